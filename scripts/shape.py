"""The shape of the sources in numbers, and the limits they must keep: `make shape`.

Ends with 1 if a number is over its limit. What cannot be measured here is skipped, and said so.
"""

import argparse
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import callgrind
from rust_source import Source, arguments, sources

ROOT = Path(__file__).resolve().parent.parent

# The redesign allowed 30 and 40 files, 12 methods of `Learner` and 15 of `Store`. What came after it: mistakes are watched for changes
# (changes.rs, drift/), a model remembers the first examples (beginning.rs), stores forget (aging.rs, `Store::begin_round`), members start
# anew (restart.rs) and see examples in ways of their own (scalings.rs, naive_bayes.rs, row_map.rs), there are metrics of several labels, and
# models that were trained apart add up row by row (`add_to`, `take`, `move_mean`; `learned_rows`, `learned`, `put_learned`). 42 and 59 files were
# counted when all of it was there.
FILES_OF_AN_EXAMPLE = {"arow": 44, "auto": 62}
METHODS = {"Learner": 15, "Store": 21, "FeatureIndex": 10}
LEARNING_CALLS = 1
# What this rule counted before the redesign and when it was done: 3,000 fewer was its goal. Features since then add to it.
LINES_BEFORE, LINES_REDESIGNED = 36_804, 33_781
ARCHITECTURE_WORDS = 1_300
LONG_FILE = 400

# Names that several crates have to share, and why.
SHARED_NAMES = {
    "Error": "each crate has its own, as Rust's libraries do",
    "Result": "the alias beside each crate's Error",
    "Model": "the class that Python sees wraps the model of the same name",
}
# `Learner::update` takes the example, its target, its weight and the scores; other methods of this name take fewer arguments,
# and that of a head as many. So a learner is found whatever the variable is called.
UPDATE_ARGUMENTS = 4
UPDATE_CALL = re.compile(
    r"(?P<method>(?P<head>\bhead(?:_mut)?(?:\(\))?\s*)?\.\s*update\s*(?=\())|\b(?:Learner|Ensemble)\s*>?\s*::\s*update\b"
)
# Words that only insiders understood.
PRIVATE_WORDS = set("whoever nobody somebody desk errand aside nap debut crowd relay bank seat crew".split())


class Table:
    """What was found beside what is allowed."""

    def __init__(self, details: bool):
        self.rows, self.notes, self.details = [], [], details

    def add(self, what: str, found: int | None, limit: int | None = None, note: str = "", details: Sequence[str] = ()):
        if found is None:
            verdict = "skipped"
        elif limit is None:
            verdict = ""
        else:
            verdict = "ok" if found <= limit else "over"
        numbers = ["–" if n is None else f"{n:,}" for n in (found, limit)]
        self.rows.append([what, *numbers, ": ".join(filter(None, (verdict, note)))])
        if details and (self.details or verdict == "over"):
            self.notes += [f"\n{what}:", *(f"  {line}" for line in details)]

    def over(self) -> bool:
        return any(row[3].startswith("over") for row in self.rows)

    def print(self):
        rows = [["what", "found", "limit", ""], *self.rows]
        first, second, third = (max(len(row[i]) for row in rows) for i in range(3))
        for what, found, limit, verdict in rows:
            print(f"{what:<{first}}  {found:>{second}}  {limit:>{third}}  {verdict}".rstrip())
        print("\n".join(self.notes))


def count_files_of_an_example(table: Table, binary: Path | None, build: bool):
    for learner, limit in FILES_OF_AN_EXAMPLE.items():
        what = f"files that an example passes in train, {learner}"
        try:
            files = callgrind.files_of_an_example(binary or callgrind.binary(ROOT, build), learner)
        except callgrind.Skipped as why:
            table.add(what, None, limit, str(why))
            continue
        table.add(what, len(files), limit, details=[f"{each:9,.0f}  {file}" for file, each in files.items()])


def count_methods(table: Table, files: list[Source]):
    for name, limit in METHODS.items():
        found = [(methods, f"{file.name}:{file.line(at)}") for file in files for methods, at in file.traits(name)]
        methods, place = max(found, default=(None, "no such trait"))
        table.add(f"methods of the trait {name}", methods, limit, place)


def learning_calls(code: str):
    """Matches of the calls that let a learner learn: `learner.update(…)`, `Learner::update(…)`."""
    for found in UPDATE_CALL.finditer(code):
        of_learner = not found["head"] and len(arguments(code, found.end())) == UPDATE_ARGUMENTS
        if of_learner or not found["method"]:
            yield found


def count_learning_calls(table: Table, files: list[Source]):
    crates = tuple(f"crates/{name}/src/" for name in ("surefoot", "surefoot-cli", "surefoot-python"))
    places = [
        f"{file.name}:{file.line(found.start())}: {' '.join(file.code.splitlines()[file.line(found.start()) - 1].split())}"
        for file in files
        if file.name.startswith(crates)
        for found in learning_calls(file.code)
    ]
    table.add("places outside the core that let a learner learn", len(places), LEARNING_CALLS, details=places)


def count_shared_names(table: Table, files: list[Source]):
    places, public = defaultdict(list), set()
    for file in files:
        for name, is_public, at in file.types():
            places[name].append(f"{file.name}:{file.line(at)}")
            public |= {name} if is_public else set()
    shared = {name: where for name, where in places.items() if len(where) > 1 and name not in SHARED_NAMES}
    for what, names in (("pub somewhere", public & shared.keys()), ("private", shared.keys() - public)):
        details = [f"{name}: {', '.join(shared[name])}" for name in sorted(names)]
        table.add(f"type names that mean two things, {what}", len(names), 0, details=details)


def count_lines(table: Table, files: list[Source]):
    """Every line of `crates/*/src`, comments and blank lines too, but neither files of tests alone nor what stands between
    the braces of a `#[cfg(test)] mod`."""
    lines = sorted((file.lines, file.name) for file in files)
    note = f"{LINES_BEFORE:,} before the redesign, {LINES_REDESIGNED:,} after it"
    table.add("source lines of the crates without their tests", sum(n for n, _ in lines), note=note)
    table.add("files", len(lines))
    table.add("lines of the median file", int(statistics.median(n for n, _ in lines)))
    table.add("lines of the longest file", lines[-1][0], note=lines[-1][1])
    long = [f"{n}  {name}" for n, name in reversed(lines) if n > LONG_FILE]
    table.add(f"files of more than {LONG_FILE} lines", len(long), details=long)


def count_words(table: Table, files: list[Source]):
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table.add("words of ARCHITECTURE.md", len(text.split()), ARCHITECTURE_WORDS)
    found = defaultdict(int)
    for file in files:
        for word in re.findall(r"[A-Z]?[a-z]+", f"{file.name} {file.text}"):
            word = word.lower()
            word = word if word in PRIVATE_WORDS else word.removesuffix("s")
            found[word] += word in PRIVATE_WORDS
    details = [f"{n:5}  {word}" for word, n in sorted(found.items(), key=lambda item: -item[1]) if n]
    table.add("private words in the sources", sum(found.values()), details=details)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    binary = parser.add_mutually_exclusive_group()
    binary.add_argument("--build", action="store_true", help="build the release binary that is measured")
    binary.add_argument("--binary", type=Path, help="measure this binary, which must have line tables")
    parser.add_argument("--details", action="store_true", help="list what was counted, where it is under its limit too")
    options = parser.parse_args()
    table, files = Table(options.details), sources(ROOT)
    count_files_of_an_example(table, options.binary, options.build)
    count_methods(table, files)
    count_learning_calls(table, files)
    count_shared_names(table, files)
    count_lines(table, files)
    count_words(table, files)
    table.print()
    return 1 if table.over() else 0


if __name__ == "__main__":
    sys.exit(main())
