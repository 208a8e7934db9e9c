"""Addresses of the researchers' pages, under /study/."""

from django.urls import path

from webapp.study.researcher import accounts, overview

app_name = "study"

urlpatterns = [
    path("sign-in", accounts.sign_in, name="sign_in"),
    path("sign-out", accounts.sign_out, name="sign_out"),
    path("invited/<str:key>/", accounts.enrol, name="enrol"),
    path("password", accounts.password, name="password"),
    path("researchers", accounts.researchers, name="researchers"),
    path("researchers/invite", accounts.invite, name="invite"),
    path("researchers/invite/<int:invitation>/take-back", accounts.take_back, name="take_back"),
    path("", overview.listed, name="campaigns"),
    path("new", overview.new, name="new"),
    path("<str:code>/", overview.campaign, name="campaign"),
    path("<str:code>/copy", overview.copy, name="copy"),
    path("<str:code>/delete", overview.delete, name="delete"),
    path("<str:code>/state", overview.state, name="state"),
]
