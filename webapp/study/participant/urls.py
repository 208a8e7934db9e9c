"""URLs of the participants' pages, under /take/."""

from django.urls import path

from webapp.study.participant import asking, entrance, own_copy, pages

app_name = "take"

urlpatterns = [
    path("as/<str:key>/", pages.way, name="as"),
    path("as/<str:key>/news", pages.news, name="news"),
    path("as/<str:key>/leave", pages.leave, name="leave"),
    path("as/<str:key>/help", asking.ask, name="help"),
    path("as/<str:key>/data", own_copy.shown, name="data"),
    path("as/<str:key>/data.json", own_copy.download, name="data_file"),
    path("go/<str:key>/", pages.go, name="go"),
    path("go/<str:key>/leave", pages.go, {"page": "leave"}, name="go_leave"),
    path("<str:key>/", entrance.shared, name="shared"),
    path("<str:key>/unsuitable", entrance.unsuitable, name="unsuitable"),
]
