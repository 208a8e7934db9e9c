"""Celery tasks of studies. All of them may run twice, even at the same time.

A task imports its modules itself, so that a web process that queues it never loads heavy ones.
"""

from typing import Any

from celery import shared_task

# For tasks that raise TimeoutError while another worker holds the lease of their answer.
LEASE_RETRIES: dict[str, Any] = {
    "autoretry_for": (TimeoutError,),
    "default_retry_delay": 30,  # seconds
    "max_retries": 20,
}


@shared_task(name="study.rival", **LEASE_RETRIES)
def rival(stimulus_id: int) -> None:
    """Make the comparison system answer at a moment of a game."""
    from webapp.study.models import Stimulus
    from webapp.study.rating import comparison_system

    if stimulus := Stimulus.objects.filter(pk=stimulus_id).first():
        comparison_system.make_answer(stimulus)


@shared_task(name="study.continue_turn", **LEASE_RETRIES)
def continue_turn(game_id: int, seat: int, window: str, system: str) -> None:
    """Make a system answer at a turn of a finished game."""
    from game.models import Game
    from webapp.study.rating import continuations

    if game := Game.objects.filter(pk=game_id).first():
        continuations.make_answer(game, seat, window, continuations.parse_system(system))


@shared_task(name="study.analyse")
def analyse(campaign_id: int) -> None:
    """Compute the statistics of a campaign if its ratings have changed."""
    from webapp.study import analysis
    from webapp.study.models import Campaign

    if campaign := Campaign.objects.filter(pk=campaign_id).first():
        analysis.compute_results(campaign)


@shared_task(name="study.results")
def results(study_id: int) -> None:
    """Compute the results of a study if its data have changed."""
    from webapp.study import analysis
    from webapp.study.models import Study

    if study := Study.objects.filter(pk=study_id).first():
        analysis.compute_results(study)


@shared_task(name="study.situations")
def situations(game_id: int) -> None:
    """Find and store the situations of a game's statements, and draw units from the game."""
    from game.models import Game
    from webapp.study.games.situations import store_situations
    from webapp.study.models import Campaign
    from webapp.study.rating import units

    if game := Game.objects.filter(pk=game_id).first():
        store_situations(game)
        for campaign in Campaign.objects.filter(chosen_games__game=game, state=Campaign.OPEN):
            units.draw_added_games(campaign)


@shared_task(name="study.judge")
def judge(judge_id: int) -> None:
    """Run a judge of a campaign for a while, and queue the task again if questions remain."""
    from webapp.celery import send
    from webapp.study.judging import judge_runs

    if judge_runs.run_judge(judge_id):
        send(judge_runs.TASK, judge_id)


@shared_task(name="study.platform")
def platform(request_id: int) -> None:
    """Send a request to the platform that recruits participants. It pays only once."""
    from webapp.study.payments import platform_requests

    platform_requests.carry_out_request(request_id)


@shared_task(name="study.rehearse")
def rehearse(rehearsal_id: int) -> None:
    """Start a rehearsal in a thread, because it runs for minutes."""
    from webapp.study.rehearsal import rehearsal_requests

    rehearsal_requests.start_rehearsal_thread(rehearsal_id)
