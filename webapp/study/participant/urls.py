"""URLs of the participants' pages, under /take/."""

from django.urls import path

from webapp.study.participant import consent_page, entrance, pages

app_name = "take"

urlpatterns = [
    path("as/<str:key>/", entrance.personal_link, name="step"),
    path("as/<str:key>/news", pages.step_status, name="status"),
    path("as/<str:key>/leave", pages.leave_study, name="leave"),
    path("as/<str:key>/help", pages.help_page, name="help"),
    path("as/<str:key>/data", pages.own_data_page, name="own_data"),
    path("as/<str:key>/data.json", pages.download_own_data, name="own_data_file"),
    path("go/<str:key>/", pages.return_from_table, name="from_table"),
    path("go/<str:key>/leave", pages.return_from_table, {"page": "leave"}, name="leave_from_table"),
    path("room/<slug:name>/", entrance.enter_room, name="room"),
    path("<str:key>/", entrance.shared_link, name="shared_link"),
    path("<str:key>/unsuitable", consent_page.unsuitable_browser, name="unsuitable"),
]
