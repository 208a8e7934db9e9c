"""Tests of the papers' tables and figures over planted games with known values."""

from __future__ import annotations

import csv
from dataclasses import replace
from io import StringIO
from statistics import pstdev
from xml.etree import ElementTree

from tests.lab.making import ABSTAINED, MOVED, day, game
from tests.study.planted_games import cells_by_row, one_night_record, tables_by_key
from webapp.measures.game_record import Claim, GameRecord, Inducement
from webapp.study.researcher.results.study_result_tables import build_study_results
from webapp.study.results.figure_rendering import use_condition_names
from webapp.study.results.figures import estimate_figures, flow_figure, wrap_name
from webapp.study.results.paper_figures import paper_figures
from webapp.study.results.paper_tables import paper_tables
from webapp.study.results.result_table import DESIGN_KEY, ResultTable
from webapp.study.results.study_results import build_results
from webapp.study.results.study_rows import GameRow, SeatRow, StudyRows
from webapp.study.results.table_files import render_cells_csv, render_latex, render_markdown

UNUSUAL_NAMES = (
    "=1+1",
    "שלום " * 40,
    "n" * 200,
    "a|b & 50 % of <b>",
    *(f"cell-{n}" for n in range(60)),
)


def test_planted_games_give_tables_5_6_and_7() -> None:
    """Baseline has 8 votes: 4 for the Werewolf, 2 for a Mason, 1 for the Tanner, 1 invalid."""
    baseline = [one_night_record([6, 6, 6, 6, 2, 3, 8, None], exiled_seat=6)]
    full = [
        one_night_record([8, 8, 8, 8, 8, 8, 8, 8], exiled_seat=8),
        one_night_record([6] * 8, exiled_seat=1, code="b"),
    ]
    tables = tables_by_key(paper_tables({"baseline": baseline, "full": full}, "baseline"))
    shares = cells_by_row(tables["table-humanized-6"])
    assert shares["werewolf"] == ["50.00", "50.00"]
    assert shares["mason 1"] == shares["mason 2"] == ["12.50", "0.00"], "2 of 8, for two Masons"
    assert shares["tanner"] == ["12.50", "50.00"]
    assert shares["seer, published"] == ["5.51", "5.76"]
    variation = cells_by_row(tables["table-humanized-5"])
    units = [0, 1 / 8, 1 / 8, 0, 0, 4 / 8, 0, 1 / 8]
    assert variation["baseline"][:2] == ["8", f"{1 / pstdev(units):.3f}"]
    assert variation["full"][-1] == "15.212?"
    winners = cells_by_row(tables["table-humanized-7"])
    assert winners["village"] == ["12.50", "50.00", "50.00"]
    assert winners["tanner"] == ["12.50", "12.50", "50.00 ↑"]
    assert winners["werewolf"] == ["75.00", "37.50", "0.00 ↓"], "invalid votes count"
    assert winners["village, published"] == ["12.5", "22.1", "21.33"]
    wins = cells_by_row(tables["table-humanized-7-wins"])
    assert wins["village"] == ["12.50", "100.00", "0.00 ↓"]
    assert wins["tanner"] == ["12.50", "0.00", "50.00 ↑"]
    assert wins["werewolf"] == ["75.00", "0.00", "50.00 ↑"]


def test_figures_state_their_values_and_are_reproducible() -> None:
    conditions = {"baseline": [one_night_record([6, 6, 6, 6, 2, 3, 8, None], exiled_seat=6)],
                  "full": [one_night_record([8] * 8, exiled_seat=8)]}  # fmt: skip
    figures = paper_figures(conditions, "baseline")
    assert "full: mason 1 0.0 %, mason 2 0.0 %" in figures["votes-by-role"]
    assert "tanner 100.0 %" in figures["votes-by-role"]
    assert "baseline, minion: " in figures["votes-between-roles"]
    assert "<image" not in figures["votes-between-roles"], "pages must not load images"
    assert paper_figures(conditions, "baseline") == figures
    between = tables_by_key(paper_tables(conditions, "baseline"))["votes-between-roles"]
    rows = {tuple(list(row.texts())[:2]): list(row.texts())[2:] for row in between.rows}
    roles = ["mason", "minion", "seer", "tanner", "villager", "werewolf"]
    assert rows["baseline", "mason"] == ["0.0"] * 5 + ["100.0"]
    assert rows["baseline", "villager"][roles.index("mason")] == "50.0"
    assert rows["baseline", "tanner"] == ["0.0"] * 6, "the Tanner's vote was invalid"


def test_undefined_value_has_a_reason_and_is_never_zero() -> None:
    even = [one_night_record([1, 2, 3, 4, 5, 6, 7, 8], exiled_seat=1)]
    tables = tables_by_key(paper_tables({"even": even, "empty": []}, "even"))
    table = tables["table-humanized-5"]
    assert cells_by_row(table) == {"even": ["8", "–", "–", "–", "–"]}
    assert "judgement variation: every unit has the same share." in table.notes.sentences
    leadership = tables_by_key(paper_tables({"one": [game()]}, "one"))["table-helmsman-1"]
    assert "–" in cells_by_row(leadership)["one"]
    assert any("in no game" in sentence for sentence in leadership.notes.sentences)


def test_single_game_has_no_interval_in_any_table() -> None:
    tables: list[ResultTable] = []
    for one in (one_night_record([6, 6, 6, 6, 2, 3, 8, None], exiled_seat=6), game(MOVED)):
        tables += paper_tables({"one": [one]}, "one")
    intervals = [
        (table.key, cell)
        for table in tables
        for row in table.rows
        for head, cell in zip(table.headers, row.texts(), strict=True)
        if "CI" in head
    ]
    assert {"table-humanized-5", "figure-helmsman-3"} <= {key for key, _cell in intervals}
    assert {cell for _key, cell in intervals} == {"–"}
    for table in tables:
        if table.key in {key for key, _cell in intervals}:
            notes = " ".join(table.notes.sentences)
            assert "none below three games" in notes or "none below 3 games" in notes


def test_model_named_as_in_the_paper_appears_beside_its_column() -> None:
    tables = tables_by_key(
        paper_tables({"glm-4+homogeneous": [game()], "other": [game()]}, "other")
    )
    rows = cells_by_row(tables["table-helmsman-1"])
    first = rows["GLM-4, published, Table 1 (heterogeneous)"]
    assert first[:5] == ["30", "1.167", "–", "0.113", "–"]
    elected = rows["GLM-4, published, Table 19 (homogeneous, elected)"]
    assert elected[:4] == ["10", "1.152", "–", "0.098"]
    (outcomes,) = (row for name, row in rows.items() if "Table 24" in name)
    assert outcomes[-3:] == ["0.433", "0.615", "0.266"]
    assert [name for name in rows if "published" not in name] == ["glm-4+homogeneous", "other"]
    assert not any("Table 2 " in name for name in rows), "the fine-tuned table has no GLM-4"
    roles = rows_of(tables["table-helmsman-25"])
    assert ["GLM-4, published", "werewolf", "0.958", "–", "1.054", "–"] in roles


def test_model_named_as_in_the_paper_is_a_point_in_its_figures() -> None:
    """Helmsman, Table 1: GLM-4 has a Ratio of 1.167 and a DC of 0.113."""
    rows = StudyRows(("glm-4+homogeneous", "other"), is_experiment=True, games=tuple(
        GameRow(str(n), str(n), ("glm-4+homogeneous", "other")[n % 2], record=record)
        for n, record in enumerate([*sheriff_games()[:2], *sheriff_games()[:2]])
    ))  # fmt: skip
    outcome = build_results(rows) | {"by_itself": True}
    figures = estimate_figures(outcome)
    assert "Helmsman, GLM-4" in figures["leadership-dc-over_living"]
    assert "Helmsman" not in figures["leadership-dc-over_others"]
    lines = [one for one in outcome["sections"]["leadership"]["lines"] if one["published"]]
    assert {(o["measure"], p["value"]) for o in lines for p in o["published"]} == {("dc", 0.113)}
    (leadership,) = [
        one for one in build_study_results(outcome, ())["sections"] if one["key"] == "leadership"
    ]
    texts = [
        list(row.texts())
        for block in leadership["blocks"]
        for t in block["tables"]
        for row in t.rows
    ]
    (row,) = [row for row in texts if row[0] == "Published: GLM-4 in Helmsman, Table 1"]
    assert "0.113" in row


def test_survival_by_role_leaves_out_a_role_that_a_condition_lacks() -> None:
    """Games of five and of thirteen seats have different roles (the experiment contest-self)."""
    rows = StudyRows(("five", "thirteen"), is_experiment=True, games=tuple(
        GameRow(str(n), str(n), condition, seats=tuple(
            SeatRow(seat, "computer", role, "village", n < 2, survived=True)
            for seat, role in enumerate(roles, 1)
        ))
        for n, (condition, roles) in enumerate(
            [("five", ["seer"]), ("thirteen", ["seer", "hunter"])] * 2
        )
    ))  # fmt: skip
    outcome = build_results(rows) | {"by_itself": True}
    description = estimate_figures(outcome)["endings-survived-by-role"]
    assert "hunter, thirteen: 1.00" in description
    assert "seer, five: 1.00" in description
    assert "hunter, five" not in description


def test_systems_and_inducements_are_counted() -> None:
    systems = {1: "a", 2: "b", 3: "b", 4: "a", 5: "b"}
    games = [game(systems=systems, inducements=(Inducement(1, 5, 2, "call"),)), game(code="b")]
    tables = tables_by_key(paper_tables({"one": games}, "one"))
    wins = cells_by_row(tables["table-impressions-5"])
    assert wins["a"] == ["–", "100.0 (1; 3 to 100)", "–", "0.0 (1; 0 to 98)"]
    assert wins["b"][2] == "100.0 (1; 3 to 100)"


def sheriff_games() -> list[GameRecord]:
    """Return two games led by the Seer and one led by the Guard."""
    attempts = [Inducement(1, seat, target, "call") for seat, target in ((5, 2), (4, 2), (5, 3))]
    lost = {"winner": "werewolf", "winners": frozenset({4, 5}), "dead": frozenset({1})}
    return [
        game(MOVED, ABSTAINED, inducements=tuple(attempts[:2]), exiles=frozenset({(1, 2)})),
        game(ABSTAINED, code="b", leader=2, inducements=(attempts[2],), exiles=frozenset({(1, 3)})),
        game(day(), code="c", reason="sheriff_dead", inducements=(attempts[0],), **lost),
    ]


def test_planted_sheriff_games_give_leadership_and_inducements() -> None:
    """DC of the days by hand is 2/4 and 1/4 over the others, 2/5 and 1/5 over all living."""
    tables = tables_by_key(
        paper_tables(
            {"one": sheriff_games(), "polled": [one_night_record([6] * 8, exiled_seat=6)]}, "one"
        )
    )
    lead = cells_by_row(tables["table-helmsman-1"])
    assert list(lead) == ["one"], "games without a leader have no row"
    # Two games have a DC: (3/8 + 1/4) / 2 and (3/10 + 1/5) / 2, and a DC* of (1/2 + 2/5) / 2.
    # Two of three are completed and won.
    assert lead["one"] == ["3", "–", "0.312", "0.250", "0.450", "–", "0.667", "1.000", "0.667"]
    by_role = [list(row.texts()) for row in tables["figure-helmsman-3"].rows]
    assert by_role == [
        ["one", "guard", "1", "–", "–", "0.200", "–"], ["one", "seer", "2", "–", "–", "0.300", "–"]
    ]  # fmt: skip
    figures = paper_figures({"one": sheriff_games()}, "one")
    assert "seer, one: 0.30, n 1" in figures["lead-by-role-dc"]
    assert "lead-by-role" not in figures, "no game has a Ratio"
    attempts = {row[1]: row[2:4] for row in rows_of(tables["table-impressions-8"])}
    assert attempts["werewolf, call"] == ["4", "3"]
    assert attempts["targets pressed by 1"] == ["2", "1"], "counts, not shares"
    assert attempts["targets pressed by 2"] == ["1", "1"]
    notes = tables["table-humanized-6"].notes.sentences
    assert "polled: 8 polls." in notes
    without = tables_by_key(paper_tables({"one": sheriff_games()}, "one"))
    assert not {"table-humanized-5", "table-humanized-6"} & set(without)
    assert "table-helmsman-1" not in tables_by_key(
        paper_tables({"p": [one_night_record([6] * 8, exiled_seat=6)]}, "p")
    )


def test_systems_are_compared_within_one_ruleset_only() -> None:
    alone = game(systems=dict.fromkeys(range(1, 6), "a"))
    assert "table-impressions-5" not in tables_by_key(paper_tables({"one": [alone]}, "one"))
    both = game(systems={1: "a", 2: "b"})
    other_ruleset = replace(both, ruleset="aiwolf-5")
    assert "table-impressions-5" in tables_by_key(paper_tables({"one": [both]}, "one"))
    mixed = {"one": [both], "two": [other_ruleset]}
    assert "table-impressions-5" not in tables_by_key(paper_tables(mixed, "one"))


def test_planted_claims_are_counted_by_kind_and_in_total() -> None:
    """A vote for another player than announced is not in the total."""
    claims = (
        Claim(1, 5, "role", "seer"), Claim(1, 5, "look", "seer", (2,), "werewolf", 1),
        Claim(1, 5, "look", "seer", (2,), "human", 1), Claim(1, 5, "role", "guard"),
    )  # fmt: skip
    games = [game(day(votes={5: 3}), claims=claims, systems={5: "x"})]
    (row,) = rows_of(
        tables_by_key(paper_tables({"one": games}, "one"))["table-guarded-contradictions"]
    )
    kinds = [float(value) for value in row[2:]]
    assert kinds[-2] == sum(kinds[:-2]) == 2
    assert len(set(kinds[:-1])) > 1


def test_games_with_different_decks_share_no_role_figure() -> None:
    first = one_night_record([6] * 8, exiled_seat=6)
    roles = {**first.roles, 8: "villager"}
    figures = paper_figures({"one": [first], "two": [replace(first, roles=roles)]}, "one")
    assert set(figures) == {"wins-by-team"}
    assert set(paper_figures({"one": [first]}, "one")) == {
        "votes-by-role", "votes-between-roles", "wins-by-team"
    }  # fmt: skip


def rows_of(table: ResultTable) -> list[list[str]]:
    return [list(row.texts()) for row in table.rows]


def test_unusual_names_and_64_conditions_give_valid_tables_and_files() -> None:
    games = {
        name: [one_night_record([6] * 8, exiled_seat=6, code=str(n))]
        for n, name in enumerate(UNUSUAL_NAMES)
    }
    tables, figures = paper_tables(games, UNUSUAL_NAMES[0]), paper_figures(games, UNUSUAL_NAMES[0])
    assert {"votes-by-role", "wins-by-team"} <= set(figures)
    for svg in figures.values():
        ElementTree.fromstring(svg)
    cells_read = list(csv.DictReader(StringIO(render_cells_csv(tables).decode())))
    assert {row["column"] for row in cells_read if row["table"] == "table-humanized-6"} == {
        "'=1+1", *UNUSUAL_NAMES[1:]
    }  # fmt: skip
    assert not any(value.startswith("=") for row in cells_read for value in row.values())
    assert r"a\textbar{}b \& 50 \% of \textless{}b\textgreater{}" in render_latex(tables)
    assert r"a\|b \& 50 % of \<b\>" in render_markdown(tables)
    assert render_markdown([ResultTable("a_b*", ("A",))]).startswith(r"### a\_b\*")
    for table in tables:
        table.link_games(
            {name: f"#games-{n}" for n, name in enumerate(UNUSUAL_NAMES)} | {"": "#games"}
        )
    assert tables_by_key(tables)["table-humanized-5"].rows[0].cells[0].address == "#games-0"
    assert tables_by_key(tables)["table-humanized-6"].columns[1].address == "#games-0"


def test_rename_changes_condition_names_but_not_equal_role_names() -> None:
    names = {"seer": "The Seer leads", "a+b": "A, B"}
    rows = ResultTable("Roles", ("Condition", "Role", "Difference"), 3)
    rows.add("seer", "seer", "a+b − seer")
    rows.note("a+b: 3 polls.")
    rows.rename(names)
    assert list(rows.rows[0].texts()) == ["The Seer leads", "seer", "A, B − The Seer leads"]
    assert rows.notes.sentences == ["A, B: 3 polls."]
    heads = ResultTable("Polls", ("Unit", "a+b"))
    heads.add("seer", "1.0")
    heads.rename(names)
    assert ([column.header for column in heads.columns], list(heads.rows[0].texts())) == (
        ["Unit", "A, B"], ["seer", "1.0"]
    )  # fmt: skip


def test_design_table_renames_conditions_and_levels() -> None:
    design = ResultTable("The design", ("Part", "As it was fixed"), 2, key=DESIGN_KEY)
    design.add("Varied: model", "a / c")
    design.add("League", "a:b / seer")
    design.add("Tested as planned", "won/computer/team:a: a+b against c+b; dc: c+b against a+b")
    assert list(design.rows[0].texts()) == ["Varied: model", "a / c"]
    stored = render_cells_csv([design]).decode()
    design.rename({"a+b": "Alpha, With b", "c+b": "Gamma, of two, With b"})
    (varied, league, tests) = [list(row.texts())[1] for row in design.rows]
    assert varied == "Alpha / c", "names with a comma are not level names"
    assert league == "a:b / seer"
    assert tests == (
        "won/computer/team:a: Alpha, With b against Gamma, of two, With b;"
        " dc: Gamma, of two, With b against Alpha, With b"
    )
    assert "Alpha" not in stored


def test_flow_figure_wraps_long_condition_names() -> None:
    row = {"condition": "a", "assigned": 3, "started": 2, "under_way": 0, "completed": 2,
           "excluded": 0, "games": 1, "void": {}}  # fmt: skip
    with use_condition_names({"a": "A Werewolf leads the village"}):
        figures = flow_figure(
            {"conditions": [row], "enrolled": 3, "screened_out": 0, "unassigned": 0}
        )
    assert "A Werewolf leads the village: assigned 3" in figures, "the description is complete"
    assert ">A Werewolf leads<" in figures
    assert ">the village<" in figures


def test_wrapped_condition_names_stay_distinct() -> None:
    names = {wrap_name(f"A Werewolf leads the village, {name}", 24) for name in ("plain", "full")}
    assert names == {"A Werewolf leads the\nvillage, plain", "A Werewolf leads the\nvillage, full"}
    assert wrap_name("n" * 200, 24).count("\n") == 1


def test_team_missing_in_the_baseline_has_no_mark() -> None:
    without_tanner = replace(
        one_night_record([6] * 8, exiled_seat=6),
        teams={seat: "werewolf" if seat > 5 else "village" for seat in range(1, 9)},
    )
    conditions = {"full": [one_night_record([8] * 8, exiled_seat=8)], "baseline": [without_tanner]}
    wins = cells_by_row(
        tables_by_key(paper_tables(conditions, "baseline"))["table-humanized-7-wins"]
    )
    assert wins["tanner"] == ["12.50", "100.00", "–"]
