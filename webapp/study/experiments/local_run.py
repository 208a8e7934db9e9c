"""Plays an experiment's games in this process, without web server, queue or sweeper."""

from collections.abc import Iterator
from math import ceil
from queue import Empty, SimpleQueue
from typing import Any

from agents import backends
from game import cached_games
from webapp.play.live import notifier
from webapp.play.simulation.game_pool import GamePool
from webapp.play.simulation.game_summary import game_summary
from webapp.study.design.conditions import build_conditions
from webapp.study.design.stages import Design
from webapp.study.experiments import game_starts
from webapp.study.models import Slot, Study
from webapp.study.planning.experiment_checks import experiment_backends
from webapp.study.sessions import slot_games, slots

OTHER_PROCESSES_POLL_INTERVAL_S = 3.0


def play_games(study: Study, processes: int = 1) -> Iterator[dict[str, Any]]:
    """Play an open experiment until no game is left or it pauses.

    Yield the summary of each game as it ends. Workers may play other games of the experiment at the
    same time; those are not yielded. As many `processes` do the same, and each begins with its
    share of `at_once`. A single one also continues the unfinished games of one that died.
    """
    design = Design.from_json(study.design)
    has_models = experiment_backends(design, build_conditions(design)) != {backends.HOUSE}
    ended_game_ids: SimpleQueue[int] = SimpleQueue()
    # Built-in players only compute: more threads would slow each other down.
    at_once = design.experiment.at_once if has_models else 1
    pool = GamePool(at_once, has_models, use_lease=True, on_end=ended_game_ids.put)
    with notifier.diverted(pool.on_game_changed):
        try:
            # Continue the games of a process that died. With more processes, each would do it.
            if processes == 1:
                for slot in study.slots.filter(state=Slot.PLAYING).select_related("game"):
                    if slot.game:
                        windows = cached_games.cached_game(slot.game).windows
                        pool.on_game_changed(slot.game.pk, list(windows))
            game_starts.start_games(study.pk, ceil(design.experiment.at_once / processes))
            while _is_under_way(study) or not ended_game_ids.empty():
                try:
                    game_id = ended_game_ids.get(timeout=OTHER_PROCESSES_POLL_INTERVAL_S)
                except Empty:
                    # Another process may have freed a place. Normally the end of a game starts the
                    # next (`game_starts.on_game_changed`).
                    game_starts.start_games(study.pk, 1)
                else:
                    yield _finish_game(pool, game_id)
        except BaseException:  # also an interrupt, or the caller closes the generator
            pool.stop()
            raise
        pool.close()


def _is_under_way(study: Study) -> bool:
    study.refresh_from_db(fields=["state"])
    states = [Slot.PLAYING, Slot.FREE] if study.state == Study.OPEN else [Slot.PLAYING]
    return study.slots.filter(state__in=states).exists()


def _finish_game(pool: GamePool, game_id: int) -> dict[str, Any]:
    """Finish or fail the slot of an ended game. Return the game's summary."""
    slot = Slot.objects.select_related("study", "condition", "game").get(game=game_id)
    slot_facts = {"condition": slot.condition.name, "block": slot.block, "slot": slot.index}
    if error := pool.error(game_id):
        slots.fail_slot(slot, repr(error))
        return {**slot_facts, "state": Slot.FAILED, "cause": repr(error)}
    slot_games.finish_slot(slot)
    slot.refresh_from_db()
    assert slot.game
    duration = (slot.ended_at or slot.game.phase_at) - (slot.began_at or slot.game.created_at)
    summary = game_summary(slot.game, duration.total_seconds())
    cached_games.remove_from_cache(game_id)  # it will not be read again
    return {**summary, **slot_facts, "state": slot.state, "cause": slot.void_reason}
