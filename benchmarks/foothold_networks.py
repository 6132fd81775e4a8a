"""How long foothold networks take: ours against ERFNet with its random field, in turns, in one run.

Both run in ONNX Runtime from the same kind of file, closing of gaps and the field's loop included. With a trained
model of the paper's the loop runs as long as it does in use; without one, weights and field are random and the loop
ends after a few rounds, and the time of ERFNet alone is shown beside it.

    python benchmarks/foothold_networks.py                           # makes ERFNet with random weights (needs PyTorch)
    python benchmarks/foothold_networks.py --paper erf_mrf.onnx      # trained ones, of `plantar foothold train`
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from plantar._files import write_csv
from plantar.foothold import DatasetConfig, make_samples
from plantar.foothold.learned import Network

NAMES = {"erf_mrf": "ERFNet+MRF", "erf": "ERFNet"}


def random_paper(folder: Path, card: dict[str, Any]) -> list[Path]:
    """ERFNet with random weights, with and without the field."""
    import torch  # noqa: PLC0415  # type: ignore[import-not-found]  (extra `train`)

    from plantar.foothold.networks.export import export  # noqa: PLC0415
    from plantar.foothold.networks.mean_field import ERFNetMRF  # noqa: PLC0415

    torch.manual_seed(0)
    network = ERFNetMRF(len(card["class_edges"]))
    cells = int(card["cells"])
    both = export(network, cells, folder / "erf_mrf.onnx", {**card, "kind": "erf_mrf"})
    return [both, export(network.erf, cells, folder / "erf.onnx", {**card, "kind": "erf"})]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", default="softfoot_q")
    parser.add_argument("--paper", type=Path, nargs="+", help="trained ERFNets, with and without their field (.onnx)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--out", type=Path, help="a table of the times (.csv)")
    args = parser.parse_args()
    ours = Network.load(args.ours, threads=args.threads)
    with tempfile.TemporaryDirectory() as scratch:
        files = args.paper or random_paper(Path(scratch), ours.card)
        others = [Network.load(file, threads=args.threads) for file in files]
    networks = {"ours": ours, **{NAMES.get(one.kind, one.kind): one for one in others}}
    maps = make_samples(DatasetConfig(grounds=8, patches=4, seed=77), list(range(8))).observed
    print(f"{args.threads} threads; medians of {args.rounds} rounds in turns")
    rows = [row for batch in (32, 4) for row in compare(networks, maps[:batch], args.rounds)]
    if args.out:
        write_csv(args.out, [{"threads": args.threads, **row} for row in rows])


def compare(networks: dict[str, Network], maps: np.ndarray, rounds: int) -> list[dict[str, Any]]:
    spent: dict[str, list[float]] = {name: [] for name in networks}
    work: dict[str, list[float]] = {name: [] for name in networks}
    for network in networks.values():
        network.run(maps)
    for _ in range(rounds):
        for name, network in networks.items():
            begin, cpu = time.perf_counter(), time.process_time()
            network.run(maps)
            spent[name].append(time.perf_counter() - begin)
            work[name].append(time.process_time() - cpu)
    rows = []
    for name, times in spent.items():
        ratio = np.median(times) / np.median(spent["ours"])
        busy = np.median(work[name])
        print(
            f"batch {len(maps):2d}  {name:11s} {1e3 * np.median(times):8.2f} ms  processor {1e3 * busy:8.2f} ms"
            f"  {ratio:5.2f} times ours, {busy / np.median(work['ours']):5.2f} by processor time"
        )
        rows.append({"batch": len(maps), "network": name, "ms": 1e3 * np.median(times), "processor_ms": 1e3 * busy})
    return rows


if __name__ == "__main__":
    main()
