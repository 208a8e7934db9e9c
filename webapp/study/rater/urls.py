"""Addresses of the raters' pages, under /rate/."""

from django.urls import path

from webapp.study.rater import between, entrance, pages

app_name = "rate"

urlpatterns = [
    path("as/<str:key>/", entrance.personal, name="as"),
    path("as/<str:key>/example", pages.example, name="example"),
    path("as/<str:key>/quiz", between.quiz, name="quiz"),
    path("as/<str:key>/leave", between.leave, name="leave"),
    path("as/<str:key>/all", pages.overview, name="all"),
    path("item/<uuid:key>/", pages.item, name="item"),
    path("item/<uuid:key>/seen", pages.seen, name="seen"),
    path("item/<uuid:key>/feedback", between.feedback, name="feedback"),
    path("item/<uuid:key>/break", between.pause, name="break"),
    path("<str:key>/", entrance.shared, name="shared"),
]
