"""What participants go through, give, get and are not told, for a study's ethics record."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.study.design import Debriefing, Design
from webapp.study.exits import EXITS
from webapp.study.models import Study
from webapp.study.sessions import planning
from webapp.study.sessions.pay_checks import BONUSES


def gone_through(study: Study, design: Design) -> Iterator[str]:
    """How many take part, what each does and for how long, in Markdown."""
    plan = planning.plan(study)
    if plan.counted:
        people = ngettext("{n} person", "{n} people", plan.people).format(n=plan.people)
        games = ngettext("{n} game", "{n} games", plan.games).format(n=plan.games)
        yield _(
            "- Planned: {people} who come to the end, in {games} that count. Each takes about"
            " {minutes} minutes."
        ).format(people=people, games=games, minutes=plan.minutes)
        parts = (_("{stage} ({n} min)").format(stage=name, n=n) for name, n in plan.parts)
        yield _("- In order: {stages}.").format(stages=", ".join(parts))
    yield _(
        "- Stored of each: what they answer, say, vote and choose, and when; when they came to each"
        " stage and left it; what their browser can do; apart from that, the name or number that"
        " came with their link."
    )
    yield _("- They can stop at any time, by a link on every page.")


def paid(design: Design) -> Iterator[str]:
    """What each way out pays, and bonuses."""
    for kind, way in design.exits.items():
        if way.pay:
            amount = design.format_money(way.pay)
            yield _("- {amount} for {who}").format(amount=amount, who=EXITS[kind])
    for bonus in design.bonuses:
        amount = design.format_money(bonus.amount)
        yield _("- a bonus of {amount} each time, for {what}").format(
            amount=amount, what=BONUSES[bonus.rule]
        )
    if not design.bonuses and not any(way.pay for way in design.exits.values()):
        yield _("- Nobody is paid by this study.")


def untold(design: Design) -> Iterator[str]:
    """What is kept from participants while they take part, and when they learn it."""
    if not design.blind:
        yield _("- Everybody sees who is a person and who is a computer player.")
        return
    yield _("- While they play, nobody is told which players are people.")
    debriefed = [stage for stage in design.stages if isinstance(stage, Debriefing)]
    if any(stage.reveal for stage in debriefed):
        yield _("- The debriefing tells each of them who was who in their games.")
    elif debriefed:
        yield _("- There is a debriefing, and it does not tell who was who.")
    else:
        yield _("- There is no debriefing: nobody learns it.")
