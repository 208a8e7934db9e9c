"""The instruments that a study has whole: a researcher wrote them, or changed a built-in one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from webapp.study import instruments
from webapp.study.design import Design
from webapp.study.instruments import Instrument
from webapp.study.models import Study
from webapp.study.sessions import questions
from webapp.study.value_checks import Refused


def at(study: Study, stage: int, number: int) -> Instrument | None:
    """What stands in that place of a stage (both from 0); none in the place after the last.
    Raises LookupError where there is no such place."""
    stages = Design.of(study.design).stages
    if not 0 <= stage < len(stages) or not hasattr(stages[stage], "instruments"):
        raise LookupError(_("There is no such stage."))
    found = questions.chosen(stages[stage], study.asked)
    if not 0 <= number <= len(found):
        raise LookupError(_("There are no such questions."))
    return found[number] if number < len(found) else None


def keys(study: Study) -> set[str]:
    """The keys of all instruments that the study or everybody has."""
    named = [n for s in Design.of(study.design).stages for n in getattr(s, "instruments", ())]
    own = {n if isinstance(n, str) else str(n.get("key")) for n in named}
    return own | {i.key for i in (*instruments.all(), *instruments.of_participants())}


def put(study: Study, stage: int, number: int, data: Mapping[str, Any]) -> None:
    """Put an instrument in that place of a draft's stage. Raises Refused."""
    if faults := Instrument.check(data):
        raise Refused(faults)
    with transaction.atomic():
        row = Study.objects.select_for_update().get(pk=study.pk)
        if row.state != Study.DRAFT:
            raise Refused([_("The study was opened with these questions: they stay.")])
        design = Design.of(row.design).data()
        design["stages"][stage]["instruments"][number : number + 1] = [_named(data)]
        found = Design.of(design)
        if faults := questions.faults(found.stages[stage]):
            raise Refused(faults)
        row.design = study.design = found.data()
        row.save(update_fields=["design"])


def _named(data: Mapping[str, Any]) -> str | dict[str, Any]:
    """The key of the built-in instrument that the data are an unchanged copy of, else the data."""
    instrument = Instrument.of(data)
    for one in instruments.of_participants():
        if one.for_participants and one.data() | {"key": ""} == instrument.data() | {"key": ""}:
            return one.key
    return instrument.data()
