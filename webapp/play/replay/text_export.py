"""A game as text: its log as data, its transcript as a play script, one line for a reader."""

from typing import Any

from django.utils.translation import gettext as _

from game import selectors
from game.engine import rulesets, visibility
from game.models import Game
from webapp.play.page import narrator
from webapp.play.page.table_page import Page
from webapp.play.page.transcript_parts import TranscriptLine
from webapp.play.visitors import Guest


def log_rows(guest: Guest) -> list[dict[str, Any]]:
    """Return the log as one JSON-shaped dict for each event.

    During the game these are the events of the guest's view. Afterwards they are all events except
    those that no player may ever see (`visibility.AFTERMATH`).
    """
    is_over = guest.game.status == Game.OVER
    viewer = visibility.AFTERMATH if is_over else guest.viewer
    return selectors.transcript(guest.game, viewer)


def play_script(guest: Guest) -> str:
    """Return the transcript as a play script."""
    ruleset = rulesets.get(guest.game.ruleset)
    created_text = guest.game.created_at.strftime("%Y-%m-%d %H:%M UTC")
    lines = [f"Fabula · {_(ruleset.title)} · {created_text}", ""]
    if guest.game.started_at is None:
        return "\n".join([*lines, _("The game has not begun.")]) + "\n"
    page = Page(guest)
    for entry in page.entries:
        lines += _entry_lines(entry)
    if page.end:
        lines += ["", _("Everyone’s roles")]
        for row in page.end.rows:
            role = narrator.role_name(ruleset.name, row.role_key)
            knew = f" {' '.join(row.knew)}" if row.knew else ""
            lines.append(f"  {row.seat.name}: {role}.{knew}")
    return "\n".join(lines).strip() + "\n"


def _entry_lines(entry: TranscriptLine) -> list[str]:
    if entry.kind == "phase":
        return ["", f"— {entry.title} —", entry.text, ""]
    if entry.kind == "statement" and entry.speaker:
        line_text = _("(says nothing)") if entry.is_silent else entry.text
        line_text = f"({entry.removed})" if entry.removed else line_text
        # Indented, so that a statement's second line can't imitate another speaker.
        line_text = line_text.replace("\n", "\n    ")
        label = f" [{entry.label}]" if entry.label else ""
        return [f"{entry.speaker.name.upper()}: {line_text}{label}"]
    if entry.kind == "vote":
        return [f"  {entry.text}"]
    if entry.kind == "private":
        return [_("(only for you) {text}").format(text=entry.text)]
    return [entry.text] if entry.text else []


def line_text(line: TranscriptLine) -> str:
    """Return a transcript line as text, for screen readers."""
    if line.kind == "statement" and line.speaker:
        text = _("says nothing.") if line.is_silent else line.text
        return f"{line.speaker.name}: {line.removed or text}"
    return " ".join(part for part in (line.title, line.text) if part)
