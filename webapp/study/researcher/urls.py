"""Addresses of the researchers' pages, under /study/."""

from django.urls import path, re_path

from webapp.study.researcher import (
    accounts,
    campaign_views,
    export_views,
    game_picker,
    instrument,
    known_answer_views,
    payment_list,
    progress,
    rater_views,
    result_views,
    setup,
    unit_views,
)

app_name = "study"

urlpatterns = [
    path("sign-in", accounts.sign_in, name="sign_in"),
    path("sign-out", accounts.sign_out, name="sign_out"),
    path("invited/<str:key>/", accounts.enrol, name="enrol"),
    path("password", accounts.password, name="password"),
    path("researchers", accounts.researchers, name="researchers"),
    path("researchers/<int:user>/activity", accounts.activity, name="activity"),
    path("researchers/invite", accounts.invite, name="invite"),
    path("researchers/invite/<int:invitation>/take-back", accounts.take_back, name="take_back"),
    path("", campaign_views.listed, name="campaigns"),
    path("new", campaign_views.new, name="new"),
    path("<str:code>/", campaign_views.campaign, name="campaign"),
    path("<str:code>/copy", campaign_views.copy, name="copy"),
    path("<str:code>/delete", campaign_views.delete, name="delete"),
    path("<str:code>/state", campaign_views.state, name="state"),
    path("<str:code>/setup", setup.setup, name="setup"),
    path("<str:code>/setup/plan", setup.plan, name="plan"),
    path("<str:code>/games", game_picker.games, name="games"),
    path("<str:code>/questions", instrument.edit, name="instrument"),
    path("<str:code>/units", unit_views.listed, name="units"),
    path("<str:code>/units/draw", unit_views.draw, name="draw"),
    path("<str:code>/units/<int:index>/", unit_views.unit, name="unit"),
    path("<str:code>/units/<int:index>/withdraw", unit_views.withdraw, name="withdraw"),
    path("<str:code>/units/<int:index>/known", known_answer_views.know, name="known"),
    path("<str:code>/rivals", unit_views.rivals, name="rivals"),
    path("<str:code>/rivals/make", unit_views.make_rivals, name="make_rivals"),
    path("<str:code>/raters", rater_views.raters, name="raters"),
    path("<str:code>/raters/links", rater_views.links, name="links"),
    path("<str:code>/raters/links.txt", rater_views.link_list, name="link_list"),
    path("<str:code>/raters/payments.csv", payment_list.payments, name="payments"),
    path("<str:code>/raters/<str:pseudonym>", rater_views.rater, name="rater"),
    path("<str:code>/progress", progress.progress, name="progress"),
    path("<str:code>/progress/part", progress.part, name="progress_part"),
    path("<str:code>/results", result_views.results, name="results"),
    path("<str:code>/results/part", result_views.part, name="results_part"),
    re_path(
        r"^(?P<code>[^/]+)/results/tables\.(?P<form>tex|md)$", result_views.tables, name="tables"
    ),
    path("<str:code>/results/figures/<slug:key>.svg", result_views.figure, name="figure"),
    path("<str:code>/export", export_views.listed, name="exports"),
    path("<str:code>/export/<str:name>", export_views.one, name="export"),
]
