"""The exclusion of raters: automatic rules, fixed before a campaign opens, and decisions.

`Campaign.exclusion` is {rule: limit}. A rule that is not in it is off. The rules are applied when a
rater submits, leaves or runs out of time, and to all raters when the campaign is closed.

A researcher can exclude a rater and include an excluded one. No rule overrides such a decision.
`Rater.rulings` has every decision with its time, reason and author.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from webapp.study.design.rating_design import ExclusionLimits
from webapp.study.models import Assignment, Campaign, Rater, Unit
from webapp.study.rating import quotas, rating_rows
from webapp.study.toml_files import read_tables

RULE, HAND = "rule", "hand"  # who decided: a rule, or a researcher by hand
EXCLUDE, INCLUDE = "exclude", "include"
MAX_STORED_REASON_CHARS = 120  # length of Rater.exclusion_reason; the ruling has the whole reason
# Two of rater_behavior.THRESHOLDS. That module is imported only when needed, as it loads NumPy.
FAST_ITEM_S, MIN_TIMED_ITEMS = 3, 5
# Rule -> its texts. `ExclusionLimits` has labels and bounds.
_RULE_TEXTS = read_tables(__file__, "exclusion.toml")


def describe_rules(campaign: Campaign) -> list[str]:
    """Return the descriptions of the rules that are on."""
    return [
        _(_RULE_TEXTS[key]["description"]).format(n=limit, seconds=FAST_ITEM_S)
        for key, limit in campaign.exclusion.items()
    ]


def find_limit_problems(campaign: Campaign, gold_count: int) -> Iterator[str]:
    """Yield a sentence for each rule that can never apply."""
    available_counts = {"failed_checks": campaign.attention, "gold_missed": gold_count}
    for key, count in available_counts.items():
        limit = campaign.exclusion.get(key)
        if limit is not None and limit > count:
            yield _("“{rule}: {limit}” can never apply. Enter {count} or less.").format(
                rule=ExclusionLimits.model_fields[key].title, limit=limit, count=count
            )


def record_exit(rater: Rater, kind: str) -> None:
    """Record that the rater leaves, unless an exit is recorded. Release open assignments."""
    with quotas.locked_rater(rater) as row:
        if not (row.left_as or row.finished_at or row.screened_out_at):
            row.left_as, row.left_at = kind, timezone.now()
            row.save(update_fields=["left_as", "left_at"])
            row.assignments.filter(state=Assignment.OPEN).update(state=Assignment.TIMED_OUT)
    rater.refresh_from_db(fields=["left_as", "left_at", "finished_at", "screened_out_at"])
    apply_rules(rater)


def apply_rules(rater: Rater) -> None:
    """Exclude the rater if a rule applies and no researcher has decided about the rater.

    Judges are exempt: the rules detect careless people, and a judge takes no place in a quota that
    an exclusion could free.
    """
    if not rater.campaign.exclusion or rater.kind == Rater.JUDGE:
        return
    with quotas.locked_rater(rater) as row:
        is_decided_by_hand = any(ruling["by"] == HAND for ruling in row.rulings)
        reasons = [] if row.excluded or is_decided_by_hand else find_broken_rules(row)
        if reasons:
            _store_ruling(row, EXCLUDE, RULE, "rule: " + "; ".join(reasons))
    rater.refresh_from_db()


def apply_rules_to_all(campaign: Campaign) -> None:
    """Apply the rules to all raters who have begun, when the campaign is closed."""
    if campaign.exclusion:
        for rater in campaign.raters.exclude(trained_at=None).exclude(excluded=True):
            apply_rules(rater)


def find_broken_rules(rater: Rater) -> list[str]:
    """Return the reasons for which the campaign's rules exclude the rater."""
    limits: dict[str, int] = rater.campaign.exclusion
    if not limits:
        return []
    values = _read_rule_values(rater)
    return [
        _RULE_TEXTS[key]["reason"].format(value=values[key], limit=limit, seconds=FAST_ITEM_S)
        for key, limit in limits.items()
        if values[key] >= limit
    ]


def _read_rule_values(rater: Rater) -> dict[str, int]:
    """Return rule -> the value that it limits."""
    from webapp.statistics.rater_behavior import describe_raters

    campaign = rater.campaign
    rows = list(rating_rows.read_rating_rows(campaign, rater))
    # A check is one page, and has a row for each of its dimensions.
    uses_by_page = {row.assignment.pk: row.item.unit.use for row in rows if row.has_passed is False}
    gold_missed = sum(use == Unit.GOLD for use in uses_by_page.values())
    keys = [dimension["key"] for dimension in campaign.instrument["dimensions"]]
    values = {
        "failed_checks": len(uses_by_page) - gold_missed,
        "gold_missed": gold_missed,
        "fast_percent": 0,
        "same_in_a_row": 0,
    }
    # One entry, or none if the rater has no marks.
    for behavior in describe_raters(rating_rows.read_marks(campaign, rater), keys):
        speed, straightness = behavior["speed"], behavior["straight"]
        values["fast_percent"] = _percent(speed["fast"])
        values["same_in_a_row"] = straightness["longest_run"]
    return values


def _percent(share: Mapping[str, Any]) -> int:
    """Return a share of items in percent, rounded down, or 0 for fewer than MIN_TIMED_ITEMS."""
    if share["value"] is None or share["whole"] < MIN_TIMED_ITEMS:
        return 0
    # Computed from the counts, because 100 * 0.58 is below 58.
    return int(100 * share["part"] // share["whole"])


def exclude(rater: Rater, reason: str, *, actor: str = "") -> None:
    """Exclude a rater by a researcher's decision. This frees the rater's places in the quotas."""
    with quotas.locked_rater(rater) as row:
        _store_ruling(row, EXCLUDE, HAND, reason, actor)
    rater.refresh_from_db()


def include(rater: Rater, reason: str = "", *, actor: str = "") -> int:
    """Include an excluded rater again by a researcher's decision.

    Others may have taken the places of the rater's answers in the meantime. Such answers are marked
    `over_quota` and do not count. Return their number.
    """
    with quotas.locked_rater(rater) as row:
        now = timezone.now()
        answers = row.assignments.filter(
            state=Assignment.ANSWERED, over_quota=False, is_repeat=False, unit__use=""
        ).exclude(unit__kind=Unit.ATTENTION)
        over_quota_ids = [
            assignment.pk
            for assignment in answers.select_related("unit__campaign")
            if not quotas.has_room(assignment, now)
        ]
        Assignment.objects.filter(pk__in=over_quota_ids).update(over_quota=True)
        _store_ruling(row, INCLUDE, HAND, reason, actor)
    rater.refresh_from_db()
    return len(over_quota_ids)


def inclusion_reason(rater: Rater) -> str:
    """Return why a researcher included the rater again, "" if that is not the last decision."""
    last = rater.rulings[-1] if rater.rulings else {}
    return str(last["reason"]) if last.get("do") == INCLUDE else ""


def _store_ruling(row: Rater, decision: str, decided_by: str, reason: str, actor: str = "") -> None:
    row.excluded = decision == EXCLUDE
    row.exclusion_reason = reason[:MAX_STORED_REASON_CHARS] if row.excluded else ""
    decided_at = timezone.now().isoformat(timespec="seconds")
    row.rulings = [
        *row.rulings,
        {"at": decided_at, "do": decision, "by": decided_by, "who": actor, "reason": reason},
    ]
    row.save(update_fields=["excluded", "exclusion_reason", "rulings"])
