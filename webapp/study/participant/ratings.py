"""The page of a ratings stage, which leads to the raters' pages."""

from datetime import timedelta

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from webapp.play import visitors
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import RatingsStage
from webapp.study.models import Campaign, Rater
from webapp.study.participant.stage_pages import StagePage, Visit
from webapp.study.rater import assigning, navigation
from webapp.study.rating import unit_candidates
from webapp.study.sessions import study_campaigns, study_events

MAX_READING_WAIT = timedelta(seconds=60)  # the longest wait for a worker to read the games


class RatingsPage(StagePage):
    """Describes the task, assigns units, and leads to the raters' pages."""

    kind = "ratings"

    def show(self, visit: Visit) -> HttpResponse:
        campaign = _find_campaign(visit)
        if campaign is None:
            return visit.advance()
        rater = Rater.objects.filter(campaign=campaign, participant=visit.participant).first()
        if rater and visit.participant.study.rates_only:
            # The consent page has already described the task.
            return redirect("rate:next_page", rater.key)
        if rater and navigation.has_finished(rater):
            return visit.advance()
        return self._render_page(visit, rater)

    def post(self, visit: Visit) -> HttpResponse:
        if visit.action not in ("rate", "onward"):
            return super().post(visit)
        campaign = _find_campaign(visit)
        if campaign is None:
            return visit.advance()
        study_campaigns.add_missing_games(visit.participant.study)
        rater = study_campaigns.get_or_create_rater(visit.participant, campaign)
        if not navigation.has_finished(rater):
            assigning.assign_pages(rater, visitor=visitors.visitor_of(visit.request.session))
            if not assigning.rater_pages(rater):
                return self._respond_without_units(visit, rater)
        return redirect("rate:next_page", rater.key)

    def _respond_without_units(self, visit: Visit, rater: Rater) -> HttpResponse:
        """Respond to a rater who got no unit.

        The page asks to wait while a worker reads games. After that it says that nothing is left,
        and its button ("onward") leads to the next step.
        """
        now = timezone.now()
        arrived_at = visit.participant.step_at or now
        is_reading = bool(unit_candidates.games_without_situations(rater.campaign))
        if is_reading and now < arrived_at + MAX_READING_WAIT:
            return self._render_page(visit, rater, "reading")
        if visit.action != "onward":
            return self._render_page(visit, rater, "nothing")
        return navigation.leave_without_units(rater)

    def _render_page(
        self, visit: Visit, rater: Rater | None, lack_of_units: str = ""
    ) -> HttpResponse:
        """Render the page. `lack_of_units` is "reading" (games), "nothing" (left), or ""."""
        assert isinstance(visit.step.stage, RatingsStage)
        return visit.page(
            "study/take/ratings.html",
            items=visit.step.stage.items,
            has_begun=bool(rater and rater.trained_at),
            lack_of_units=lack_of_units,
        )


def _find_campaign(visit: Visit) -> Campaign | None:
    """Return the stage's campaign, None if it no longer exists, which is recorded."""
    assert isinstance(visit.step.stage, RatingsStage)
    study = visit.participant.study
    try:
        return study_campaigns.get_or_create_campaign(study, visit.step.stage)
    except Refused as refused:
        kind, actor = "ratings:no_campaign", study_events.CLOCK
        study_events.record_event(visit.participant, kind, actor=actor, reason=str(refused))
        return None
