"""Data files for the runs: every set as numbers and as raw text, in the format that each contender reads.

All of it is made once and kept in the work folder. Text becomes numbers by one plain tokeniser, the same for everybody:
lower case, runs of letters and digits, counted.
"""

import itertools
import json
import os
import random
import re
import subprocess
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path

HERE = Path(__file__).parent
WORK = HERE / ".work"
# Of each set so much is for learning, and the rest for testing.
SPLIT = 0.8
WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


@dataclass(frozen=True)
class Files:
    """One part of a data set, in every format: `stem` and the extension of the format."""

    stem: str
    classes: int
    features: int
    lines: int

    def path(self, format):
        return WORK / f"{self.stem}.{format}"


def available(item):
    """Whether the set's file is there."""
    return "SUREFOOT_DATA" in os.environ and (Path(os.environ["SUREFOOT_DATA"]) / item.file).exists()


def rows(item):
    """The set as rows of (label, text or features), in the order of the file. Labels are 1, 2, …; of two, -1 and 1."""
    source = Path(os.environ["SUREFOOT_DATA"]) / item.file
    text = subprocess.run(["zstd", "-dcq", source], check=True, capture_output=True).stdout.decode()
    split = [line.split("\t" if item.text else " ", 1) for line in text.split("\n") if line]
    names = sorted({label for label, _ in split}, key=_order)
    numbers = {name: str(i + 1) for i, name in enumerate(names)} if len(names) > 2 else dict(zip(names, ("-1", "1")))
    return [(numbers[label], rest) for label, rest in split]


def _order(label):
    try:
        return (0, float(label), "")
    except ValueError:
        return (1, 0.0, label)


def numeric(table, text, words=WORD):
    """Rows of (label, features) with features as svmlight writes them, and how many features there are.

    `words` is the expression that finds the words of a text.
    """
    if not text:
        return table, max(int(rest.rsplit(" ", 1)[-1].split(":")[0]) for _, rest in table if rest)
    ids = {}
    result = []
    for label, rest in table:
        counts = Counter(ids.setdefault(word, len(ids) + 1) for word in words.findall(rest.lower()))
        result.append((label, " ".join(f"{i}:{counts[i]}" for i in sorted(counts))))
    return result, len(ids)


def shuffled(table, seed):
    """The rows in a random order that depends on the seed alone."""
    table = list(table)
    random.Random(seed).shuffle(table)
    return table


def write(stem, table, classes, features, text=False):
    """Writes a table in all formats and tells where."""
    WORK.mkdir(exist_ok=True)
    for format, line in (RAW if text else NUMBERS).items():
        with open(WORK / f"{stem}.{format}", "w", encoding="utf-8") as out:
            out.writelines(line(label, rest) for label, rest in table)
    (WORK / f"{stem}.svm.features").write_text(str(features))
    files = Files(stem, classes, features, len(table))
    (WORK / f"{stem}.json").write_text(json.dumps(asdict(files)))
    return files


def kept(*stems):
    """Files that an earlier run has made, if all of them are there."""
    notes = [WORK / f"{stem}.json" for stem in stems]
    return tuple(Files(**json.loads(note.read_text())) for note in notes) if all(n.exists() for n in notes) else None


def _vw_words(words):
    return words.lower().replace(":", " ").replace("|", " ")


NUMBERS = {
    "svm": lambda label, rest: f"{label} {rest}\n",
    "vw": lambda label, rest: f"{label} | {rest}\n",
}
# Vowpal Wabbit and fastText get the words in lower case and cut as they can read them; that preparation is not timed.
RAW = {
    "tsv": lambda label, rest: f"{label}\t{rest}\n",
    "vw": lambda label, rest: f"{label} | {_vw_words(rest)}\n",
    "ft": lambda label, rest: f"__label__{label} {rest.lower()}\n",
}


def parts(item, text=False, seed=None):
    """Training and test part: the first 80 % and the rest, of the file or of it in a random order."""
    stem = f"{item.name}-{'raw' if text else 'num'}-{seed or 'file'}"
    made = kept(f"{stem}-train", f"{stem}-test")
    if made:
        return made
    table, features = _table(item, text)
    return _cut(stem, shuffled(table, seed) if seed else table, features, item.classes, text)


def head(files, lines):
    """The same data, cut off after so many lines."""
    if files.lines <= lines:
        return files
    shorter = replace(files, stem=f"{files.stem}-{lines}", lines=lines)
    for whole in WORK.glob(f"{files.stem}.*"):
        part = WORK / f"{shorter.stem}{whole.name.removeprefix(files.stem)}"
        if not part.exists():
            with open(whole, "rb") as source, open(part, "wb") as out:
                out.writelines(itertools.islice(source, lines))
    return shorter


def _table(item, text):
    table = rows(item)
    return (table, 0) if text else numeric(table, item.text)


def _cut(stem, table, features, classes, text=False):
    at = int(len(table) * SPLIT)
    pieces = {"train": table[:at], "test": table[at:]}
    return tuple(write(f"{stem}-{part}", piece, classes, features, text) for part, piece in pieces.items())


def generated(program, name, stream, count, classes, features):
    """Training and test part of a synthetic stream of `surefoot generate`."""
    made = kept(f"{name}-train", f"{name}-test")
    if made:
        return made
    WORK.mkdir(exist_ok=True)
    whole = WORK / f"{name}.all"
    subprocess.run([program, "generate", *stream, "-n", str(count), "--seed", "1", "-o", whole], check=True)
    with open(whole) as source:
        table = [tuple(line.rstrip("\n").split(" ", 1)) for line in source]
    whole.unlink()
    return _cut(name, table, features, classes)
