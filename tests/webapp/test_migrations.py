"""Tests of squashed migrations, which new databases apply instead of those they replace."""

from typing import Any

from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ModelState, ProjectState

APPS = ("game", "play", "study")


def describe_models(state: ProjectState) -> dict[tuple[str, str], Any]:
    return {key: describe_model(model) for key, model in state.models.items() if key[0] in APPS}


def describe_model(model: ModelState) -> Any:
    fields = {name: field.deconstruct()[1:] for name, field in model.fields.items()}
    lists = {"indexes": [], "constraints": []}
    options = {name: value for name, value in model.options.items() if name not in lists}
    for name, values in lists.items():
        values += [value.deconstruct() for value in model.options.get(name, ())]
        values.sort(key=lambda value: value[2]["name"])
    return fields, {**options, **lists}


def test_squashed_migrations_make_the_same_models_as_those_they_replace() -> None:
    loader = MigrationLoader(None, replace_migrations=False)
    squashed_keys = list(loader.replacements)
    assert sorted(app for app, _name in squashed_keys) == sorted(APPS)
    last_replaced_keys = [loader.replacements[key].replaces[-1] for key in squashed_keys]
    squashed = loader.project_state(squashed_keys)
    replaced = loader.project_state(last_replaced_keys)
    assert describe_models(squashed) == describe_models(replaced)
