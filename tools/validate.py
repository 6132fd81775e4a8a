"""Measure what the five papers claim, and write the pages of docs/validation from the results.

    python tools/validate.py softfoot            # measure (minutes), write its page and the table of docs/validation.md
    python tools/validate.py softfoot --only press_errors
    python tools/validate.py --pages             # write all pages from the files that are there, measure nothing
    python tools/validate.py --check             # do pages and files agree? exit code 1 if not

Results lie in docs/results/validation/PAPER/NAME.json. Long studies are not run again: their stored tables are read, or
figures that tools/figures.py kept from them, and each file says which. What needs ../shared (released models, measured
data) says so and is left as it is where that folder is not there.
"""

from __future__ import annotations

import argparse
import sys
import time

from validation import pages
from validation.papers import PAPERS
from validation.records import NotHere, replace_origin, write


def measure(paper: str, only: str | None) -> None:
    """Run the measurements of a paper and store them."""
    for name, function in PAPERS[paper].measures.items():
        if only and name != only:
            continue
        start = time.monotonic()
        try:
            record = function()
        except NotHere as reason:
            print(f"{paper}/{name}: skipped, {reason}", flush=True)
            continue
        write(paper, name, replace_origin(record, f"python tools/validate.py {paper} --only {name}"))
        print(f"{paper}/{name}: {len(record.rows)} rows, {time.monotonic() - start:.0f} s", flush=True)


def main() -> int:
    """Measure, write, or check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papers", nargs="*", metavar="PAPER", help=f"any of {', '.join(PAPERS)}; all without")
    parser.add_argument("--only", metavar="NAME", help="this measurement alone")
    parser.add_argument("--pages", action="store_true", help="write pages from the files, measure nothing")
    parser.add_argument("--check", action="store_true", help="only say whether pages and files agree")
    options = parser.parse_args()
    papers = options.papers or list(PAPERS)
    unknown = [name for name in papers if name not in PAPERS]
    if unknown:
        parser.error(f"paper {unknown[0]!r} is not known: give {', '.join(PAPERS)}")
    if options.only and not any(options.only in PAPERS[name].measures for name in papers):
        known = ", ".join(key for name in papers for key in PAPERS[name].measures)
        parser.error(f"measurement {options.only!r} is not known: give {known}")
    if options.check:
        wrong = pages.differences()
        print("\n".join(wrong) or "pages and files agree")
        return 1 if wrong else 0
    if not options.pages:
        for name in papers:
            measure(name, options.only)
    pages.write(papers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
