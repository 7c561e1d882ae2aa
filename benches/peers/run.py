"""Measures Surefoot beside its peers: `make bench-peers`, or with options `python3 benches/peers/run.py --help`.

The first call makes a virtual environment beside this file, installs the peers in it from the package index, and goes
on inside it. Results are kept in results.json, and the page is made from them.
"""

import argparse
import os
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
VENV = HERE / ".venv"
PACKAGES = ["vowpalwabbit", "liblinear-official", "scikit-learn", "river", "fasttext-numpy2-wheel", "matplotlib"]
WORKLOADS = {
    "speed": ["speed"],
    "accuracy": ["progressive", "one_pass"],
    "memory": ["speed"],
    "drift": ["drift"],
    "texts": ["texts", "confidence"],
}


def enter_environment():
    """Goes on inside the virtual environment, which is made and filled if it is not there."""
    python = VENV / "bin" / "python"
    if Path(sys.executable) == python:
        return
    if not (VENV / "ready").exists():
        venv.create(VENV, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
        (VENV / "ready").touch()
    os.execv(python, [python, __file__, *sys.argv[1:]])


class Options(argparse.Namespace):
    """What is to be run."""

    def wants(self, contender):
        return (not self.peers or contender.peer in self.peers) and (not self.match or self.match in contender.name)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=[*WORKLOADS, "progressive", "one_pass", "confidence", "page"], help="one kind of workload")
    parser.add_argument("--peers", nargs="*", help="only these: surefoot vw liblinear sklearn river fasttext baseline")
    parser.add_argument("--match", help="only contenders with this in their name, such as 'one pass'")
    parser.add_argument("--sets", nargs="*", help="only these sets or streams")
    parser.add_argument("--repeats", type=int, default=5, help="timed runs of each command")
    parser.add_argument("--orders", type=int, help="raw text: only so many random orders of each set")
    parser.add_argument("--again", action="store_true", help="measure anew what was measured before, and keep the rest")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("--no-build", action="store_true", help="take the release build that is there")
    return parser.parse_args(namespace=Options())


def chosen(only):
    """The workloads to run: all of them, those of one kind, or none for the page alone."""
    if only == "page":
        return []
    return WORKLOADS.get(only, [only]) if only else ["progressive", "one_pass", "texts", "confidence", "drift", "speed"]


def main():
    options = parse()
    enter_environment()
    os.environ["PYTHONPATH"] = str(HERE)
    import importlib

    import machine
    from results import Results

    if not options.no_build:
        targets = ["-p", "surefoot-cli", "-p", "surefoot-data", "--bin", "surefoot", "--example", "parse"]
        subprocess.run(["cargo", "build", "--profile", "dist", *targets], cwd=ROOT, check=True)
    results = Results(HERE / "results.json", options.fresh)
    for workload in chosen(options.only):
        machine.describe(results, PACKAGES)
        importlib.import_module(f"workloads.{workload}").run(options, results)
        results.table("measured")[workload] = results["versions"]["surefoot"]
        results.save()
    import page

    page.write(results, ROOT / "docs")


if __name__ == "__main__":
    main()
