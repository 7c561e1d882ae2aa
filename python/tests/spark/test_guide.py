"""The programs of the guide run, in their order."""

import pathlib
import re

GUIDE = pathlib.Path(__file__).parents[3] / "docs/guides/spark.md"


def test_the_guide(spark, tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert len(blocks) >= 5
    names = {"spark": spark, "folder": str(tmp_path)}
    for block in blocks:
        exec(block, names)
