"""URLs of the researchers' pages, under /study/."""

from collections.abc import Callable

from django.http import HttpResponse
from django.urls import URLPattern, path, re_path

from webapp.study.researcher import accounts, all_games, export_views, study_views, team_page
from webapp.study.researcher.rating import campaign_setup, judge_pages, rater_views, unit_views
from webapp.study.researcher.results import result_views
from webapp.study.researcher.running import (
    monitor_page,
    payments_page,
    rehearsal_page,
    room_pages,
    study_people,
)
from webapp.study.researcher.setup import (
    ethics_page,
    factor_pages,
    question_pages,
    stage_pages,
    study_setup,
)

app_name = "study"


def _study_path(route: str, view: Callable[..., HttpResponse], name: str) -> URLPattern:
    return path(f"studies/<str:code>/{route}", view, name=name)


def _campaign_path(route: str, view: Callable[..., HttpResponse], name: str) -> URLPattern:
    return path(f"<str:code>/{route}", view, name=name)


urlpatterns = [
    path("sign-in", accounts.sign_in, name="sign_in"),
    path("sign-out", accounts.sign_out, name="sign_out"),
    path("invited/<str:key>/", accounts.enrol, name="enrol"),
    path("password", accounts.change_password, name="password"),
    path("researchers", accounts.researchers, name="researchers"),
    path("researchers/<int:user>/activity", accounts.change_activity, name="activity"),
    path("researchers/invite", accounts.invite, name="invite"),
    path(
        "researchers/invite/<int:invitation>/take-back",
        accounts.revoke_invitation,
        name="take_back",
    ),
    path("", study_views.study_list, name="campaigns"),
    path("new", study_views.create_rating_study, name="new"),
    path("games", all_games.game_list, name="all_games"),
    path("games/<str:code>/look-back", all_games.open_replay, name="look_back"),
    path("games/<str:code>/continue", all_games.continue_turn, name="continue"),
    path("games/<str:code>/transcript.txt", all_games.download_play_script, name="game_text"),
    path("games/<str:code>/transcript.jsonl", all_games.download_json_lines, name="game_lines"),
    path("rooms", room_pages.room_list, name="rooms"),
    path("rooms/<slug:room_name>/", room_pages.show_room, name="room"),
    path("rooms/<slug:room_name>/part", room_pages.room_part, name="room_part"),
    path("rooms/<slug:room_name>/links.txt", room_pages.download_links, name="room_links"),
    path("studies/new", study_views.create_study, name="new_study"),
    _study_path("", study_views.study_home, "study"),
    _study_path("copy", study_views.copy_study, "study_copy"),
    _study_path("delete", study_views.delete_study, "study_delete"),
    _study_path("state", study_views.change_study_state, "study_state"),
    _study_path("file", study_views.download_study, "study_file"),
    _study_path("open", study_setup.confirm_opening, "study_open"),
    _study_path("setup", study_setup.overview, "study_setup"),
    _study_path("setup/factors", factor_pages.factors, "study_factors"),
    _study_path("setup/stages", stage_pages.show_stages, "study_stages"),
    _study_path("setup/stages/<int:number>", stage_pages.edit_stage, "study_stage"),
    _study_path(
        "setup/stages/<int:number>/ratings", stage_pages.open_ratings_setup, "study_ratings"
    ),
    _study_path("setup/<slug:part>", study_setup.setup_part, "study_part"),
    _study_path("setup/<slug:part>/plan", study_setup.setup_plan, "study_plan"),
    _study_path("preview", study_setup.start_preview, "study_preview"),
    _study_path("preview/phone", study_setup.show_preview_on_phone, "study_preview_phone"),
    _study_path("preview/<str:token>/<path:path>", study_setup.preview_page, "study_preview_page"),
    _study_path("team", team_page.team, "study_team"),
    _study_path("team/role", team_page.change_role, "study_role"),
    _study_path("team/leave", team_page.leave_study, "study_leave"),
    _study_path("team/hand-over", team_page.hand_over_study, "study_hand_over"),
    _study_path("people", study_people.people, "study_people"),
    _study_path("people/listed", study_people.set_listed_only, "study_listed"),
    _study_path("people/links", study_people.create_links, "study_links"),
    _study_path("people/links.txt", study_people.download_links, "study_link_list"),
    _study_path("people/<str:pseudonym>", study_people.revoke_link, "study_revoke"),
    _study_path("monitor", monitor_page.monitor, "study_monitor"),
    _study_path("monitor/cover", monitor_page.change_blinding, "study_cover"),
    _study_path("monitor/news", monitor_page.poll, "study_monitor_news"),
    _study_path("monitor/news/<path:about>", monitor_page.poll, "study_monitor_news_of"),
    _study_path("monitor/people/<str:pseudonym>", monitor_page.participant, "study_monitor_person"),
    _study_path("monitor/games/<int:number>", monitor_page.game, "study_monitor_table"),
    _study_path(
        "setup/stages/<int:stage>/questions/<int:number>",
        question_pages.edit_study_questions,
        "study_questions",
    ),
    _study_path("rehearsal", rehearsal_page.rehearsal, "study_rehearsal"),
    _study_path("rehearsal/part", rehearsal_page.rehearsal_part, "study_rehearsal_part"),
    _study_path("rehearsal/simulated.zip", rehearsal_page.download_data, "study_rehearsal_data"),
    _study_path("payments", payments_page.payment_list, "study_payments"),
    _study_path("payments/batch", payments_page.create_batch, "study_batch"),
    _study_path("payments/prolific", payments_page.request_prolific, "study_prolific"),
    _study_path("payments/compare", payments_page.compare, "study_compare"),
    _study_path("payments/rewards", payments_page.mark_rewards_paid, "study_rewards"),
    _study_path("payments/delete", payments_page.delete_payments, "study_forget"),
    _study_path("payments/batches/<int:number>", payments_page.settle_batch, "study_batch_settle"),
    _study_path(
        "payments/batches/<int:number>/file", payments_page.download_batch, "study_batch_file"
    ),
    _study_path("payments/people/<str:pseudonym>", payments_page.person, "study_payment"),
    _study_path("ethics", ethics_page.page, "study_ethics"),
    _study_path("ethics.md", ethics_page.download_record, "study_ethics_file"),
    _study_path("ethics/erase", ethics_page.erase_data, "study_erase"),
    _study_path("ethics/prolong", ethics_page.prolong, "study_prolong"),
    _study_path("judges", judge_pages.study_judges, "study_judges"),
    _study_path("results", result_views.study_page, "study_results"),
    _study_path("results/part", result_views.study_part, "study_results_part"),
    _study_path("results/look", result_views.look_at_study, "study_results_look"),
    _study_path("results/take/<slug:form>", result_views.download_results, "study_take"),
    _study_path("results/figures/<slug:key>.svg", result_views.study_figure, "study_figure"),
    _study_path("data", export_views.study_files, "study_data"),
    _study_path("data/<str:name>", export_views.study_file, "study_export"),
    _campaign_path("", study_views.campaign_home, "campaign"),
    _campaign_path("copy", study_views.copy_campaign, "copy"),
    _campaign_path("delete", study_views.delete_campaign, "delete"),
    _campaign_path("state", study_views.change_campaign_state, "state"),
    _campaign_path("setup", campaign_setup.setup, "setup"),
    _campaign_path("setup/plan", campaign_setup.campaign_plan, "plan"),
    _campaign_path("games", campaign_setup.games, "games"),
    _campaign_path("questions", question_pages.edit_campaign_questions, "instrument"),
    _campaign_path("units", unit_views.unit_list, "units"),
    _campaign_path("units/draw", unit_views.draw_units, "draw"),
    _campaign_path("units/<int:index>/", unit_views.show_unit, "unit"),
    _campaign_path("units/<int:index>/withdraw", unit_views.change_withdrawal, "withdraw"),
    _campaign_path("units/<int:index>/known", unit_views.edit_known_answer, "known"),
    _campaign_path("rivals", unit_views.show_system_answers, "rivals"),
    _campaign_path("rivals/make", unit_views.request_system_answers, "make_rivals"),
    _campaign_path("raters", rater_views.rater_list, "raters"),
    _campaign_path("raters/payments.csv", rater_views.download_payments, "payments"),
    _campaign_path("raters/<str:pseudonym>", rater_views.change_rater, "rater"),
    _campaign_path("judges", judge_pages.judge_list, "judges"),
    _campaign_path("judges/part", judge_pages.judges_part, "judges_part"),
    _campaign_path("judges/<str:pseudonym>", judge_pages.change_judge, "judge"),
    _campaign_path("progress", rater_views.progress, "progress"),
    _campaign_path("progress/part", rater_views.progress_part, "progress_part"),
    _campaign_path("results", result_views.campaign_page, "results"),
    _campaign_path("results/part", result_views.campaign_part, "results_part"),
    _campaign_path("results/look", result_views.look_at_campaign, "results_look"),
    re_path(
        r"^(?P<code>[^/]+)/results/tables\.(?P<form>tex|md)$",
        result_views.download_tables,
        name="tables",
    ),
    _campaign_path("results/figures/<slug:key>.svg", result_views.campaign_figure, "figure"),
    _campaign_path("export", export_views.campaign_files, "exports"),
    _campaign_path("export/<str:name>", export_views.campaign_file, "export"),
]
