"""Addresses of the raters' pages, under /rate/."""

from django.urls import path

from webapp.study.rater import entrance, pages

app_name = "rate"

urlpatterns = [
    path("as/<str:key>/", entrance.personal, name="as"),
    path("as/<str:key>/example", pages.example, name="example"),
    path("as/<str:key>/all", pages.overview, name="all"),
    path("item/<uuid:key>/", pages.item, name="item"),
    path("item/<uuid:key>/seen", pages.seen, name="seen"),
    path("<str:key>/", entrance.shared, name="shared"),
]
