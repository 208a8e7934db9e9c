"""URLs of the raters' pages, under /rate/."""

from django.urls import path

from webapp.study.rater import views

app_name = "rate"

urlpatterns = [
    path("as/<str:key>/", views.personal_link, name="next_page"),
    path("as/<str:key>/example", views.example, name="example"),
    path("as/<str:key>/quiz", views.quiz, name="quiz"),
    path("as/<str:key>/waited", views.stop_waiting, name="stop_waiting"),
    path("as/<str:key>/all", views.overview, name="overview"),
    path("item/<uuid:key>/", views.item, name="item"),
    path("item/<uuid:key>/seen", views.mark_seen, name="seen"),
    path("item/<uuid:key>/feedback", views.feedback, name="feedback"),
    path("item/<uuid:key>/break", views.pause, name="break"),
    path("<str:key>/", views.redirect_old_link, name="shared_link"),
]
