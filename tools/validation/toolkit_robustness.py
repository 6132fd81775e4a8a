"""The toolkit: hostile input, signals, start, views, site and release, as tests and scripts have recorded them."""

from __future__ import annotations

from validation.figures import Figures
from validation.records import Record, Row


def robustness() -> Record:
    """Hostile command lines, and signals to commands that take long."""
    f = Figures("hostile")
    lines, signals = f["commands"], f["signals"]
    many = sum(signals.values())
    rows = [
        f.row(
            "commands",
            good=lines["wrong"] == 0 and lines["lines"] >= 2900 and lines["slowest"] < 60,
            what=f"{lines['lines']:,} hostile command lines, drawn at random from all commands and options",
            published="no traceback, wrong exit code, lost file, process left or hang above 60 s",
            ours=f"{lines['wrong']} wrong; the slowest took {lines['slowest']:.0f} s on a busy machine; "
            f"{lines['stopped']} were stopped by SIGTERM, as they take long",
        ),
        f.row(
            "signals",
            "signals_same",
            "signals_refused",
            "signals_wrong",
            good=f["signals_wrong"] == 0 and min(signals.values()) >= 100,
            what=f"SIGINT, SIGTERM and SIGKILL in turn, at random times, to {len(signals)} commands that take long or "
            "to their whole group",
            published="100 in each: the same table after resuming, or a clear line; no crash, nothing left running",
            ours=f"{many:,} found a command at work, {min(signals.values())} to {max(signals.values())} in each: "
            f"{f['signals_wrong']} wrong. Runs that were resumed until they ended: {f['signals_same']} with the same "
            f"table, {f['signals_refused']} refused with a line",
        ),
    ]
    text = "Lines and signals that went wrong when they were first tried were mended with a test each and tried again."
    return f.record("Hostile input and signals", rows, text)


def start() -> Record:
    """Time to start."""
    f = Figures("startup")
    rows = []
    for name, shown, limit in (
        ("plantar_help", "plantar --help", 0.4),
        ("import_plantar_bench", "import plantar.bench", 0.8),
    ):
        now, before = f[f"{name}.now"], f[f"{name}.before"]
        rows.append(
            f.row(
                f"{name}.now",
                f"{name}.before",
                good=now["work"] < limit and now["clock"] < limit,
                what=f"`{shown}`: processor time; time on the clock",
                published=f"below {limit} s",
                ours=f"{now['work']:.2f} s; {now['clock']:.2f} s (the version before: {before['work']:.2f} s; "
                f"{before['clock']:.2f} s; medians of {now['runs']} starts of each in turn)",
            )
        )
    return f.record("Start", rows)


def views() -> Record:
    """Pages, films and the viewer."""
    f = Figures("view")
    kinds = {name.rpartition(".")[2]: size for name, size in f.below("kinds").items()}
    named = ", ".join(sorted(kinds)).replace("_", " ")
    memory = [size / 1e6 for size in f["sliders.memory"]]
    lasts = f["page.lasts_over_motion"]
    rows = [
        f.row(
            *(f"kinds.{kind}" for kind in kinds),
            good=len(kinds) >= 10 and max(kinds.values()) < 10e6,
            what="kinds of view opened as pages in headless Chromium without a network: no console error, something "
            f"drawn, play changes the picture, the stated length is the clip's ({named})",
            published="all; below 10 MB each",
            ours=f"{len(kinds)} of {len(kinds)}; {min(kinds.values()) / 1e6:.1f} to {max(kinds.values()) / 1e6:.1f} MB",
        ),
        f.row(
            "page.addresses",
            "page.lasts_over_motion",
            good=f["page.addresses"] == 0 and min(lasts) < 1.05 and max(lasts) > 0.95,
            what="a page: addresses of the network in it; how long it plays over how long the motion lasts",
            published="none; 1",
            ours=f"{f['page.addresses']}; {min(lasts):.2f} to {max(lasts):.2f}",
        ),
        f.row(
            "press.force_apart",
            good=f["press.force_apart"] < 0.02,
            what="the press behind the sliders against `bench press`: forces",
            published="within 0.02 N",
            ours=f"{f['press.force_apart']:.1g} N",
        ),
        f.row(
            "sliders.memory",
            good=max(memory[1:]) < memory[0] + 20,
            what="memory of the viewer after 200, 400, 600, 800, 1000 moves of sliders and a minute of rest",
            published="does not grow by more than 20 MB",
            ours=f"{', '.join(f'{size:.0f}' for size in memory)} MB",
        ),
        f.row(
            "film.frames",
            good=f["film.frames"][0] == f["film.frames"][1],
            what="frames in the film of a body that deforms",
            published=f"{f['film.frames'][1]}",
            ours=f"{f['film.frames'][0]}",
        ),
    ]
    return f.record("Views and films", rows)


def front_door() -> Record:
    """The documentation's site, the wheel, and the README's film."""
    rows: list[Row] = []
    site, release, film = Figures("site"), Figures("release"), Figures("film")
    commands = sum(site.below("commands").values())
    rows.append(
        site.row(
            "dead_links",
            "commands.readme",
            good=site["dead_links"] == 0,
            what="the site, with warnings as errors: dead links; commands of the pages that the command line knows; "
            "blocks of Python that are run",
            published="none; all; all but those that need what the reader has",
            ours=f"{site['dead_links']} of {site['links']:,} links on {site['pages']} pages; {commands} of {commands}; "
            f"{site['blocks'] - site['blocks_not_run']} of {site['blocks']}",
        )
    )
    rows.append(
        release.row(
            "wheel_bytes",
            "environment_bytes",
            good=True,  # the script keeps nothing unless all of it works
            what="wheel built, looked into, installed alone into a fresh environment; a foot built, pressed and "
            "exported there; a missing extra in one line",
            published="all of it works",
            ours=f"works; wheel {release['wheel_bytes'] / 1e6:.1f} MB, environment "
            f"{release['environment_bytes'] / 1e9:.2f} GB",
        )
    )
    soft, locked = film["softfoot_fast"], film["locked_softfoot_fast"]
    rows.append(
        film.row(
            "softfoot_fast",
            "locked_softfoot_fast",
            good=(soft, locked) == ("walked", "fell"),
            what="the README's film made again: SoftFoot; the same foot locked",
            published="walked; fell",
            ours=f"{soft}; {locked}",
        )
    )
    site.used |= release.used | film.used
    return site.record("Site, release and front door", rows)
