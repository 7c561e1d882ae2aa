"""Which files of the workspace run for every example of `surefoot train`: counted by callgrind, not read from the sources.

Two runs that differ in the number of examples alone; a file counts if it ran at least one instruction more for each example
that was added. Instructions without a line of their own (line 0, which the compiler makes) belong to no file.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

# Past the start of a run, where tables grow every few examples.
FEW, MANY = 2000, 4000
FILE = re.compile(r"(fl|fi|fe|cfi|cfl)=(?:\((\d+)\))?(?: ?(.*))?$")
OURS = re.compile(r"(?:^|/)crates/(surefoot[^/]*/src/.*)$")


class Skipped(Exception):
    """Why nothing could be measured."""


def binary(root: Path, build: bool) -> Path:
    """The binary that is distributed, which has line tables; built if that is asked for, and never one that is older than the sources."""
    require_valgrind()
    target = root / os.environ.get("CARGO_TARGET_DIR", "target")
    path = target / "dist" / "surefoot"
    if build:
        if subprocess.run(["cargo", "build", "--profile", "dist", "-p", "surefoot-cli"], cwd=root).returncode != 0:
            sys.exit("the build failed; its messages stand above")
    elif not path.exists():
        raise Skipped("no binary to measure; --build makes it")
    elif path.stat().st_mtime < max(file.stat().st_mtime for file in root.glob("crates/*/src/**/*.rs")):
        raise Skipped("the binary is older than the sources; --build makes it anew")
    return path


def require_valgrind() -> None:
    if shutil.which("valgrind") is None:
        raise Skipped("valgrind is not installed")


def files_of_an_example(surefoot: Path, learner: str) -> dict[str, float]:
    """Instructions an example in each file of the workspace that every example passes, the dearest first."""
    require_valgrind()
    with tempfile.TemporaryDirectory() as folder:
        few, many = (profile(surefoot, learner, count, Path(folder)) for count in (FEW, MANY))
    grown = {file: (many[file] - few[file]) / (MANY - FEW) for file in many}
    ours = {found[1]: each for file, each in grown.items() if each >= 1 and (found := OURS.search(file))}
    if not ours:
        raise Skipped("the binary has no line tables of the workspace")
    return dict(sorted(ours.items(), key=lambda item: -item[1]))


def profile(surefoot: Path, learner: str, count: int, folder: Path) -> Counter:
    """Instructions by file of one run on so many examples."""
    data, out = folder / f"{count}.svm", folder / f"{count}.callgrind"
    run([surefoot, "generate", "zipf", "-n", str(count), "-o", data])
    tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
    # One thread: what two of them do besides depends on when each is scheduled.
    run([*tool, surefoot, "train", data, "--learner", learner, "--threads", "1", "--json"])
    return instructions(out.read_text(encoding="utf-8", errors="replace").splitlines())


def run(command: list) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["nothing on standard error"])[-1]
        raise Skipped(f"{Path(command[0]).name} ended with {done.returncode}: {last}")


def instructions(lines: list[str]) -> Counter:
    """Instructions by file in callgrind's output, those of called functions left to the files of those."""
    names, counts = {}, Counter()
    file, line, called = "", 0, False
    for text in lines:
        if found := FILE.match(text):
            kind, number, name = found.groups()
            if number and name:
                names[number] = name
            if kind in ("fl", "fi", "fe"):
                file = names[number] if number else name
        elif text.startswith("calls="):
            called = True  # the line behind it has the cost of the function called
        elif text[:1].isdigit() or text[:1] in ("+", "-", "*"):
            place, _, cost = text.partition(" ")
            line = line if place == "*" else line + int(place) if place[0] in "+-" else int(place)
            if line and cost and not called:
                counts[file] += int(cost)
            called = False
    return counts
