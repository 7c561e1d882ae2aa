"""Prints the table of docs/guides/spark.md from results.json."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "peers"))

from estimators import CONTENDERS  # noqa: E402
from markdown import table  # noqa: E402


def cell(fit):
    if fit is None:
        return "–"
    if fit["problem"]:
        return f"{fit['problem']} ({fit['cpu']:.0f} s)"
    return f"{fit['error']:.4f}, {fit['cpu']:.1f} s"


def main():
    results = json.loads((HERE / "results.json").read_text())
    sets = results["sets"]
    head = ["error, processor time", *(found["title"].split(",")[0] for found in sets.values())]
    body = [[name, *(cell(found["fits"].get(name)) for found in sets.values())] for name in CONTENDERS]
    made = [f"{found['vectors']['cpu']:.1f} s" if "vectors" in found else "–" for found in sets.values()]
    body.append(["(vectors from text)", *made])
    print(table(head, body))
    print()
    for which, found in results["start-up"].items():
        print(f"Python's start, {which} job: {found['wall']} s, {found['cpu']} s of processor time")


if __name__ == "__main__":
    main()
