"""Addresses of the researchers' pages, under /study/."""

from django.urls import path, re_path

from webapp.study.researcher import (
    accounts,
    exporting,
    instrument,
    listing,
    overview,
    paying,
    picker,
    progress,
    reading,
    recruiting,
    setup,
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
    path("", overview.listed, name="campaigns"),
    path("new", overview.new, name="new"),
    path("<str:code>/", overview.campaign, name="campaign"),
    path("<str:code>/copy", overview.copy, name="copy"),
    path("<str:code>/delete", overview.delete, name="delete"),
    path("<str:code>/state", overview.state, name="state"),
    path("<str:code>/setup", setup.setup, name="setup"),
    path("<str:code>/setup/plan", setup.plan, name="plan"),
    path("<str:code>/games", picker.games, name="games"),
    path("<str:code>/questions", instrument.edit, name="instrument"),
    path("<str:code>/units", listing.listed, name="units"),
    path("<str:code>/units/draw", listing.draw, name="draw"),
    path("<str:code>/units/<int:index>/", listing.unit, name="unit"),
    path("<str:code>/units/<int:index>/withdraw", listing.withdraw, name="withdraw"),
    path("<str:code>/rivals", listing.rivals, name="rivals"),
    path("<str:code>/rivals/make", listing.make_rivals, name="make_rivals"),
    path("<str:code>/raters", recruiting.raters, name="raters"),
    path("<str:code>/raters/links", recruiting.links, name="links"),
    path("<str:code>/raters/links.txt", recruiting.link_list, name="link_list"),
    path("<str:code>/raters/payments.csv", paying.payments, name="payments"),
    path("<str:code>/raters/<str:pseudonym>", recruiting.rater, name="rater"),
    path("<str:code>/progress", progress.progress, name="progress"),
    path("<str:code>/progress/part", progress.part, name="progress_part"),
    path("<str:code>/results", reading.results, name="results"),
    path("<str:code>/results/part", reading.part, name="results_part"),
    re_path(r"^(?P<code>[^/]+)/results/tables\.(?P<form>tex|md)$", reading.tables, name="tables"),
    path("<str:code>/results/figures/<slug:key>.svg", reading.figure, name="figure"),
    path("<str:code>/export", exporting.listed, name="exports"),
    path("<str:code>/export/<str:name>", exporting.one, name="export"),
]
