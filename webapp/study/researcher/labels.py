"""The labels of `labels.toml` on researchers' pages."""

from webapp.study.toml_files import read_labels

LABELS = read_labels(__file__, "labels.toml")  # group -> key -> label
