"""Rust sources as text: comments and strings blanked out, tests left out, items found by their braces.

No full parser: enough for counting, and every blanked character keeps its place, so that offsets and line numbers stay true.
"""

import re
from pathlib import Path

# Comments that may nest are handled apart. A quote that opens no character literal is a lifetime.
SKIPPED = re.compile(
    r"""//[^\n]*
      | /\*
      | \bb?r(?P<hashes>\#*)".*?"(?P=hashes)
      | b?"(?:\\.|[^"\\])*"
      | b?'(?:\\(?:x..|u\{[^}]*\}|.)|[^'\\])'""",
    re.VERBOSE | re.DOTALL,
)
TEST_ATTRIBUTE = re.compile(r"#\[cfg\(test\)\]")
TEST_FILE = re.compile(r"\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;")
TYPE = re.compile(r"\b(?:(pub)\b(?:\s*\([^)]*\))?\s+)?(?:unsafe\s+)?(struct|enum|union|trait|type)\s+([A-Z]\w*)")


def blanked(text: str) -> str:
    """The text with comments, strings and character literals as blanks."""
    out, at = [], 0
    while found := SKIPPED.search(text, at):
        end = comment_end(text, found.end()) if found[0] == "/*" else found.end()
        out += [text[at : found.start()], blank(text[found.start() : end])]
        at = end
    return "".join(out) + text[at:]


def blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def comment_end(text: str, at: int) -> int:
    depth = 1
    for found in re.finditer(r"/\*|\*/", text[at:]):
        depth += 1 if found[0] == "/*" else -1
        if depth == 0:
            return at + found.end()
    return len(text)


def closing(code: str, opening: int) -> int:
    """Offset of the brace that closes the one at `opening`."""
    depth = 0
    for found in re.finditer(r"[{}]", code[opening:]):
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return opening + found.start()
    raise ValueError("a brace is never closed")


def arguments(code: str, opening: int) -> list[str]:
    """What stands between the commas of the call whose parenthesis opens at `opening`."""
    depth, found = 0, [""]
    for letter in code[opening:]:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(letter, 0)
        if depth == 0:
            break
        if letter == "," and depth == 1:
            found.append("")
        else:
            found[-1] += letter
    return [text for text in found if text.strip("( \n")]


def test_bodies(code: str) -> list[tuple[int, int]]:
    """Offsets of the opening and closing brace of everything behind `#[cfg(test)]` that has a body."""
    bodies = []
    for found in TEST_ATTRIBUTE.finditer(code):
        end = re.compile(r"[{;]").search(code, found.end())
        if end and end[0] == "{" and (not bodies or end.start() > bodies[-1][1]):
            bodies.append((end.start(), closing(code, end.start())))
    return bodies


class Source:
    """One file: its text, and its code without comments, strings and tests."""

    def __init__(self, path: Path, name: str):
        self.path, self.name = path, name
        self.text = path.read_text(encoding="utf-8")
        code = blanked(self.text)
        self.test_modules = [
            found[1] for a in TEST_ATTRIBUTE.finditer(code) if (found := TEST_FILE.match(code, a.end()))
        ]
        self.lines = self.text.count("\n")
        for start, end in test_bodies(code):
            head = code[: start + 1].rpartition("#[cfg(test)]")[2]
            if re.search(r"\bmod\s+\w+\s*\{$", head):
                self.lines -= max(code.count("\n", start, end) - 1, 0)
            code = code[: start + 1] + blank(code[start + 1 : end]) + code[end:]
        self.code = code

    def line(self, offset: int) -> int:
        return self.code.count("\n", 0, offset) + 1

    def owns(self, other: Path) -> bool:
        """Whether `other` is, or lies below, a module that this file has for its tests alone."""
        folder = self.path.parent if self.path.name in ("mod.rs", "lib.rs", "main.rs") else self.path.with_suffix("")
        return any(other == folder / f"{name}.rs" or folder / name in other.parents for name in self.test_modules)

    def types(self):
        """(name, public, offset) of each type declared here; the associated types of traits do not count."""
        implementations = [(m.end() - 1, closing(self.code, m.end() - 1)) for m in self.blocks(r"(?:impl|trait)\b")]
        for found in TYPE.finditer(self.code):
            inside = any(start < found.start() < end for start, end in implementations)
            if not (found[2] == "type" and inside):
                yield found[3], bool(found[1]), found.start()

    def traits(self, name: str):
        """(number of methods, offset) of each trait of this name declared here."""
        for found in self.blocks(rf"trait\s+{name}\b"):
            body = self.code[found.end() : closing(self.code, found.end() - 1)]
            yield len(re.findall(r"\bfn\s+\w+", shallow(body))), found.start()

    def blocks(self, start: str):
        """Matches of items that begin like this, up to their opening brace."""
        before = r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?"
        return re.finditer(before + start + r"[^{;]*\{", self.code, re.MULTILINE)


def shallow(body: str) -> str:
    """The body of an item without the bodies inside it."""
    out, depth = [], 0
    for part in re.split(r"([{}])", body):
        depth += {"{": 1, "}": -1}.get(part, 0)
        if depth == 0:
            out.append(part)
    return "".join(out)


def sources(root: Path) -> list[Source]:
    """Every file below `crates/*/src` that is not a module for tests alone."""
    files = [Source(path, path.relative_to(root).as_posix()) for path in sorted(root.glob("crates/*/src/**/*.rs"))]
    return [file for file in files if not any(owner.owns(file.path) for owner in files)]
