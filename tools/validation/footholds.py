"""Footholds: Table II of Bednarek et al. (confusion of classes) by the shipped network, and what networks cost."""

from __future__ import annotations

import csv
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from plantar.foothold import metrics
from plantar.foothold.classes import to_classes
from plantar.foothold.dataset import make_samples
from plantar.foothold.learned import Network
from plantar.foothold.networks.evaluate import config_of, read_samples
from plantar.foothold.sensor import Sensor
from plantar.show.plots import figure, house_style
from validation.drawing import picture
from validation.records import ROOT, Record, Row

GROUNDS, PATCHES, SEED = 120, 4, 2222
"""Fresh grounds; no network was trained or chosen on them."""
SHOWN = 5
"""Classes of the paper's slice."""
MRF = (0.916, 0.869, 0.867, 0.873, 0.858)
ERF = (0.923, 0.870, 0.857, 0.851, 0.838)
"""Diagonals of Table II."""
TIMES = ROOT / "docs" / "results" / "foothold_networks" / "times.csv"
PAPER_TIMES = {"ERFNet": 33.82, "ERFNet+MRF": 34.43}
"""On an Intel Core i7-9750H, 32 maps [ms]."""
ROUNDS = (20, 30)
"""That a field takes to converge (docs/foothold_networks.md)."""
TARGET = 5


def confusion() -> Record:
    """Table II: what the shipped network takes each class for, on true maps."""
    network = Network.load("softfoot_q", threads=1)
    config = config_of(network, grounds=GROUNDS, patches=PATCHES, seed=SEED, sensor=Sensor())
    samples = make_samples(config, list(range(GROUNDS)))
    edges = np.array(network.card["class_edges"])
    told, true = read_samples(network, samples).classes, to_classes(samples.cost, edges)
    classes = len(edges)
    table = metrics.confusion(told, true, classes)
    shares = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    near = float(sum(np.diag(table, k).sum() for k in (-1, 0, 1)) / table.sum())
    low, high = _drawn(told, true, samples.terrain, classes)
    papers = [[f"{both[0]:.3f}", f"{both[1]:.3f}"] for both in zip(MRF, ERF, strict=True)]
    cells = [
        [str(k), *(f"{v:.3f}" for v in row[:SHOWN]), *(papers[k] if k < SHOWN else ["", ""])]
        for k, row in enumerate(shares)
    ]
    diagonal = np.diag(shares)[:SHOWN]
    row = Row(
        what=f"confusion of classes 0 to {SHOWN - 1}, cells that are given their own class: published (field, ERFNet "
        "alone), ours (the shipped network)",
        place="Section IV, Table II",
        published=f"{', '.join(f'{v:.3f}' for v in MRF)}; {', '.join(f'{v:.3f}' for v in ERF)} (14 classes)",
        ours=", ".join(f"{d:.3f} ({a:.3f}-{b:.3f})" for d, a, b in zip(diagonal, low, high, strict=True))
        + f" ({classes} classes); within one class of the true one {100 * near:.1f} % of all cells",
        n=f"{len(told)} maps of {GROUNDS} fresh grounds, true heights; 95 % over draws of grounds",
        controls="the shipped network was trained on maps behind sensors, and for costs, not classes; weights of the "
        "paper's networks are not public and those trained here on a GPU are not kept",
        verdict="confirmed" if (diagonal >= np.maximum(MRF, ERF)).all() else "not confirmed",
        regime="other grounds, classes and network than the paper's",
        command="`python tools/validate.py footholds --only table2`, `plantar.foothold.metrics.confusion`",
    )
    caption = "Table II as a picture: share of the cells of a true class (rows) that were taken for each class"
    return Record(
        title="Table II: confusion of classes",
        rows=[row],
        tables=[{
            "title": f"Slice of the confusion matrix, classes 0 to {SHOWN - 1}; rows: true class",
            "columns": ["true", *map(str, range(SHOWN)), "published, own class: field", "ERFNet"],
            "rows": cells,
        }],
        pictures=[picture("footholds", "table2", _draw(shares), caption)],
        values={"confusion": table, "edges": edges},
    )  # fmt: skip


def _drawn(told: np.ndarray, true: np.ndarray, ground: np.ndarray, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the 95 % intervals of the diagonal, over draws of grounds."""
    numbers = np.unique(ground)
    tables = np.array([metrics.confusion(told[ground == g], true[ground == g], classes) for g in numbers])
    drawn = np.random.default_rng(0).multinomial(len(numbers), np.full(len(numbers), 1 / len(numbers)), 1000)
    sums = np.einsum("dg,gij->dij", drawn.astype(float), tables)
    shares = np.diagonal(sums, axis1=1, axis2=2) / np.maximum(sums.sum(axis=2), 1)
    low, high = np.quantile(shares[:, :SHOWN], [0.025, 0.975], axis=0)
    return low, high


def _draw(shares: np.ndarray) -> Figure:
    with house_style():
        fig, axes = figure(1, 1, size=(5.2, 4.2))
        drawn = axes[0, 0].imshow(shares, cmap="Blues", vmin=0, vmax=1)
        axes[0, 0].set(xlabel="taken for", ylabel="true class")
        axes[0, 0].grid(visible=False)
        fig.colorbar(drawn, ax=axes[0, 0])
    return fig


def times() -> Record:
    """Times of the networks, from the stored table of the benchmark."""
    with TIMES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    cost: dict[str, dict[int, float]] = {}
    for row in rows:
        cost.setdefault(row["network"], {})[int(row["batch"])] = float(row["processor_ms"])
    field, alone, ours = cost["ERFNet+MRF"], cost["ERFNet"], cost["ours"]
    cells = [[name, *(f"{v:.1f}" for v in own.values()), _published(name)] for name, own in cost.items()]
    ratios = {name: [one[b] / ours[b] for b in ours] for name, one in (("field", field), ("alone", alone))}
    met = min(ratios["field"] + ratios["alone"]) >= TARGET
    command = "`python benchmarks/foothold_networks.py --threads 1 --paper MRF.onnx ERF.onnx --out times.csv`"
    n = "medians in turns, processor time of one core of a machine in use, ONNX Runtime"
    return Record(
        title="Times of the networks",
        text="The field was trained briefly here, for its loop to run as long as that of a trained one; its accuracy "
        "does not matter to its time. The paper gives CPU and GPU times of 32 maps (Intel Core i7-9750H, NVIDIA "
        "GTX 1660); no GPU was at hand for ours.",
        rows=[
            Row(
                what="32 maps: ERFNet; with its random field; on a GPU",
                place="Section IV",
                published="33.82; 34.43 ms; 5.76 and 5.98 ms on the GPU",
                ours=f"{alone[32]:.1f}; {field[32]:.1f} ms: the field adds {100 * (field[32] / alone[32] - 1):.0f} %; "
                "on a GPU not measured",
                n=n,
                verdict="not confirmed",
                regime=f"the field is run until it has converged, {ROUNDS[0]} to {ROUNDS[1]} rounds of "
                f"{(field[32] - alone[32]) / ROUNDS[1]:.1f} to {(field[32] - alone[32]) / ROUNDS[0]:.1f} ms each; "
                "the paper's 0.61 ms would hold one",
                command=command,
            ),
            Row(
                what="shipped network against ERFNet with its field, and against ERFNet alone, batch 32 and 4",
                published=f"at least {TARGET} times faster",
                ours=" and ".join(f"{v:.1f}" for v in ratios["field"])
                + " times; alone " + " and ".join(f"{v:.1f}" for v in ratios["alone"]),
                n=n,
                verdict="confirmed" if met else "only in a regime" if min(ratios["field"]) >= TARGET
                else "not confirmed",
                regime="" if met else "with the field" if min(ratios["field"]) >= TARGET
                else "neither with the field nor without",
                command=command,
            ),
        ],
        tables=[{"columns": ["network", *(f"{b} maps [ms]" for b in ours), "published, 32 maps"], "rows": cells}],
        origin="read",
        values={"source": "docs/results/foothold_networks"},
    )  # fmt: skip


def _published(name: str) -> str:
    value: Any = PAPER_TIMES.get(name)
    return f"{value:g} ms" if value else ""
