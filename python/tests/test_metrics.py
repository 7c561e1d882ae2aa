"""Python lists the metrics that the program prints: the schema of ``surefoot test --json`` is made from the same list."""

import json
import pathlib

from surefoot import fit_file, metrics

ROOT = pathlib.Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs/reference/schema/test.json").read_text())["properties"]


def test_every_metric_is_listed():
    numbers = {key for key, schema in SCHEMA.items() if schema["type"] in (["number", "null"], ["integer", "null"])}
    assert {metric.key for metric in metrics()} == numbers
    for metric in metrics():
        assert SCHEMA[metric.key]["description"].startswith(f"{metric.title}: {metric.help}")


def test_the_report_of_training_has_them_by_key(tmp_path):
    (tmp_path / "mail.tsv").write_text("spam\tcheap pills\nham\tlunch today\n" * 20)
    report = fit_file(str(tmp_path / "mail.tsv")).report_
    keys = {metric.key for metric in metrics()} & set(report)
    of_several = {"f1_micro", "f1_macro", "hamming_loss", "subset_accuracy", "label_log_loss"}
    assert keys == {"mistakes", "error_rate", "log_loss", "auc", "pr_auc", "f1", "macro_f1"} | of_several
    assert all(report[key] is None for key in of_several)
    assert report["auc"] > 0.5
