"""The addresses of the site where people play. Those of studies are in `webapp.study`."""

from django.urls import path, re_path

from webapp.play import table_posts, views
from webapp.play.tables import invitations

urlpatterns = [
    path("", views.home, name="home"),
    path("play", views.play_now, name="play_now"),
    path("daily", views.daily, name="daily"),
    path("your-games", views.your_games_page, name="your_games"),
    path("watch", views.watch, name="watch"),
    path("tables/new", views.new_table, name="new_table"),
    path("tables/try-style/<str:seat>", views.try_style, name="try_style"),
    path("join/<str:key>/", invitations.join, name="join"),
    path("seat/<str:key>/", invitations.open_seat_link, name="seat"),
    path("rules/<slug:ruleset>/", views.rules, name="rules"),
    path("how-to-play/", views.how_to, name="how_to"),
    path("how-to-play/<slug:ruleset>/", views.how_to, name="how_to"),
    path("games/<str:code>/", views.table, name="table"),
    path("games/<str:code>/earlier", views.earlier, name="earlier"),
    path("games/<str:code>/news", views.poll_updates, name="news"),
    path("games/<str:code>/answer", table_posts.answer, name="answer"),
    path("games/<str:code>/note", table_posts.store_note, name="note"),
    path("games/<str:code>/guess", table_posts.store_guess, name="guess"),
    path("games/<str:code>/draft", table_posts.store_draft, name="draft"),
    path("games/<str:code>/act", table_posts.act, name="act"),
    path("games/<str:code>/again", views.play_again, name="again"),
    path("games/<str:code>/replay", views.replay, name="replay"),
    path("games/<str:code>/hindsight", views.hindsight, name="hindsight"),
    path("replays/<str:key>/", views.public_replay, name="public_replay"),
    path("replays/<str:key>/votes.png", views.public_picture, name="public_picture"),
    re_path(
        r"^games/(?P<code>[^/]+)/transcript\.(?P<form>jsonl|txt)$",
        views.transcript,
        name="transcript",
    ),
]
