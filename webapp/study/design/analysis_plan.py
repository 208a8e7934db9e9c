"""The analysis plan of a campaign or study, fixed before its first rating or participant."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Annotated, Any

from django.utils.translation import gettext_lazy as _
from pydantic import Field, StrictBool

from webapp.study.design.refusals import Refused
from webapp.study.design.setting_fields import DesignPart, SingleLineText, setting

TestPart = Annotated[SingleLineText, Field(min_length=1, max_length=120)]


class PlannedTest(DesignPart):
    """A confirmatory test of two conditions, `a` and `b`.

    Differences up to `margin` steps of the scale count as equivalence.
    """

    item: TestPart
    a: TestPart
    b: TestPart
    margin: Annotated[float, Field(gt=0, le=100)] | None = None


class AnalysisPlan(DesignPart):
    """The confirmatory tests, and whether an interim look at the results is planned."""

    FIELDS_ADDED_LATER = ("tests", "interim")

    tests: tuple[PlannedTest, ...] = setting(
        _("Planned tests"),
        _(
            "Write one per line: the item’s key; the first condition; the second condition; and,"
            " optionally, a margin within which they count as equivalent. All other tests are"
            " exploratory."
        ),
        default=(),
        max_length=100,
    )
    interim: StrictBool = setting(
        _("Interim analysis"),
        _("After half of the ratings or games, with O’Brien-Fleming bounds."),
        default=False,
    )


def parse_tests(text: str) -> list[dict[str, Any]]:
    """Parse lines "item; first condition; second condition; margin", or raise `Refused`."""
    tests = [_parse_test(line) for line in filter(str.strip, text.splitlines())]
    return AnalysisPlan.from_json({"tests": tests}).to_json().get("tests", [])  # type: ignore[no-any-return]


def _parse_test(line: str) -> dict[str, Any]:
    item, a, b, margin, *extra_fields = [*map(str.strip, line.split(";")), "", "", ""]
    if not (item and a and b) or any(extra_fields):
        text = _("“{row}” is not a test. Write item; first condition; second condition; margin.")
        raise Refused([text.format(row=line.strip())])
    try:
        return {"item": item, "a": a, "b": b, "margin": float(margin) if margin else None}
    except ValueError:
        text = _("Enter the margin in “{row}” as a number of scale steps, such as 0.5.")
        raise Refused([text.format(row=line.strip())]) from None


def format_tests(tests: Iterable[Mapping[str, Any]]) -> str:
    """Return the lines that `parse_tests` reads."""
    return "\n".join(
        "; ".join([t["item"], t["a"], t["b"], *([f"{t['margin']:g}"] if t.get("margin") else [])])
        for t in tests
    )


def planned_test_errors(
    tests: Iterable[Mapping[str, Any]], conditions_by_item: Mapping[str, Collection[str]]
) -> Iterator[str]:
    """Yield a sentence for each planned test whose item or conditions cannot be compared."""
    all_conditions = sorted({name for names in conditions_by_item.values() for name in names})
    for test in tests:
        if test["item"] not in conditions_by_item:
            text = _("A planned test uses “{name}”, but the items are: {names}.")
            yield text.format(name=test["item"], names=", ".join(conditions_by_item))
        conditions = conditions_by_item.get(test["item"], all_conditions)
        for name in sorted({test["a"], test["b"]} - set(conditions)):
            text = _("A planned test uses “{name}”, but the conditions are: {names}.")
            yield text.format(name=name, names=", ".join(conditions))
        if test["a"] == test["b"]:
            yield _("A planned test compares “{name}” with itself.").format(name=test["a"])
