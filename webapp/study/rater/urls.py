"""Addresses of the raters' pages, under /rate/."""

from django.urls import path

from webapp.study.rater import interludes, pages

app_name = "rate"

urlpatterns = [
    path("as/<str:key>/", pages.personal, name="as"),
    path("as/<str:key>/example", pages.example, name="example"),
    path("as/<str:key>/quiz", interludes.quiz, name="quiz"),
    path("as/<str:key>/waited", interludes.stop_waiting, name="waited"),
    path("as/<str:key>/all", pages.overview, name="all"),
    path("item/<uuid:key>/", pages.item, name="item"),
    path("item/<uuid:key>/seen", pages.seen, name="seen"),
    path("item/<uuid:key>/feedback", interludes.feedback, name="feedback"),
    path("item/<uuid:key>/break", interludes.pause, name="break"),
    path("<str:key>/", pages.shared, name="shared"),
]
