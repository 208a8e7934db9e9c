"""Celery tasks of studies.

Heavy modules are imported inside the tasks, so that a web process that queues them never loads
them.
"""

from __future__ import annotations

from celery import shared_task

# For tasks that raise TimeoutError while another worker holds the lease of their answer.
LEASE_RETRY_S, MAX_LEASE_RETRIES = 30, 20


@shared_task(
    name="study.rival",
    autoretry_for=(TimeoutError,),
    default_retry_delay=LEASE_RETRY_S,
    max_retries=MAX_LEASE_RETRIES,
)
def rival(stimulus_id: int) -> None:
    """Make the comparison system answer a moment of a log. It may run twice at once."""
    from webapp.study.models import Stimulus
    from webapp.study.rating import comparison_system

    stimulus = Stimulus.objects.filter(pk=stimulus_id).first()
    if stimulus:
        comparison_system.make_answer(stimulus)


@shared_task(
    name="study.continue_turn",
    autoretry_for=(TimeoutError,),
    default_retry_delay=LEASE_RETRY_S,
    max_retries=MAX_LEASE_RETRIES,
)
def continue_turn(game_id: int, seat: int, window: str, system: str) -> None:
    """Make a system answer at a turn of a finished game. Safe to run twice, at once or later."""
    from game.models import Game
    from webapp.study.rating import continuations

    if game := Game.objects.filter(pk=game_id).first():
        continuations.make_answer(game, seat, window, continuations.parse_system(system))


@shared_task(name="study.analyse")
def analyse(campaign_id: int) -> None:
    """Compute the statistics of a campaign if its ratings have changed."""
    from webapp.study import analysis
    from webapp.study.models import Campaign

    campaign = Campaign.objects.filter(pk=campaign_id).first()
    if campaign:
        analysis.compute_results(campaign)


@shared_task(name="study.results")
def results(study_id: int) -> None:
    """Compute the results of a study if its data have changed."""
    from webapp.study import analysis
    from webapp.study.models import Study

    study = Study.objects.filter(pk=study_id).first()
    if study:
        analysis.compute_results(study)


@shared_task(name="study.situations")
def situations(game_id: int) -> None:
    """Find and store the situations of a game's statements."""
    from game.models import Game
    from webapp.study.models import Campaign
    from webapp.study.rating import situation_cache, units

    game = Game.objects.filter(pk=game_id).first()
    if game:
        situation_cache.store_situations(game)
        for campaign in Campaign.objects.filter(
            chosen__game=game, study__isnull=False, state=Campaign.OPEN
        ):
            units.draw_added_games(campaign)


@shared_task(name="study.judge")
def judge(judge_id: int) -> None:
    """Run a judge of a campaign for a while. Safe to run any number of times, concurrently."""
    from webapp.study.judging import judge_runs
    from webapp.task_queue import send

    if judge_runs.run_judge(judge_id):
        send(judge_runs.TASK, judge_id)


@shared_task(name="study.platform")
def platform(request_id: int) -> None:
    """Send a request to the platform that recruits people. Safe to run twice: it pays once."""
    from webapp.study.payments import platform_requests

    platform_requests.carry_out_request(request_id)


@shared_task(name="study.rehearse")
def rehearse(rehearsal_id: int) -> None:
    """Begin a rehearsal, which runs for minutes outside the queue. Safe to run twice."""
    from webapp.study.rehearsal import rehearsal_requests

    rehearsal_requests.start_rehearsal_thread(rehearsal_id)
