"""Tests of the limits on password guesses and of known addresses that are exempt."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.http import HttpResponse
from django.test import Client

from tests.study.desk import PASSWORD, sign_in
from webapp import password_hashing
from webapp.study.models import AuditLine, Invitation, KnownAddress
from webapp.study.researcher import sign_in_limits

pytestmark = pytest.mark.django_db
HOME, ELSEWHERE = "192.0.2.7", "198.51.100.9"


@pytest.fixture(autouse=True)
def ada() -> User:
    return User.objects.create_user("ada", password=PASSWORD)


def post_sign_in(address: str, password: str = PASSWORD, name: str = "ada") -> HttpResponse:
    client = Client(REMOTE_ADDR=address)
    return client.post("/study/sign-in", {"username": name, "password": password})


def test_spelling_variants_of_a_name_share_one_limit() -> None:
    written = [
        "ada",
        "Ada",
        " ada",
        "ada ",
        "ＡＤＡ",
        "ａｄａ",
        "ADA",
        "\u00a0ada",
        "aDa",
        "ada\u3000",
    ]
    assert [post_sign_in(HOME, "x", name).status_code for name in written] == [422] * 10
    rejected = post_sign_in(HOME, "x", "Ａda")
    assert rejected.status_code == 429
    assert 0 < int(rejected["Retry-After"]) <= 60
    assert "Try again in 1 minute." in rejected.content.decode()


def test_repeated_failures_increase_the_wait(clock: list[float]) -> None:
    waiting_times: list[int] = []
    while len(waiting_times) < 4:
        response = post_sign_in(HOME, "x")
        if response.status_code == 429:
            waiting_times.append(int(response["Retry-After"]))
            clock[0] += waiting_times[-1] + 1
    assert waiting_times == sorted(waiting_times)
    assert waiting_times[0] <= 60
    assert waiting_times[-1] > 3600


def test_guessing_stranger_does_not_lock_out_a_known_address() -> None:
    assert post_sign_in(HOME).status_code == 302
    for n in range(30):
        post_sign_in(ELSEWHERE, str(n))
    assert post_sign_in(ELSEWHERE).status_code == 429, "the correct password, an unknown address"
    assert post_sign_in(HOME).status_code == 302


@pytest.fixture
def checked() -> Iterator[list[str]]:
    """Collect the names for which a wrong password was checked."""
    names: list[str] = []

    def on_failure(credentials: dict[str, str], **_more: object) -> None:
        names.append(credentials["username"])

    user_login_failed.connect(on_failure)
    yield names
    user_login_failed.disconnect(on_failure)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Replace the time of the limits by the element of the list."""
    now = [time.time()]
    monkeypatch.setattr(time, "time", lambda: now[0])
    return now


def test_limited_account_checks_no_password(checked: list[str], clock: list[float]) -> None:
    assert post_sign_in(HOME).status_code == 302
    wrong = [post_sign_in(HOME, str(n)).status_code for n in range(30)]
    assert wrong == [422] * 10 + [429] * 20
    rejected = post_sign_in(HOME)
    assert rejected.status_code == 429, "the correct password is not checked either"
    assert len(checked) == 10
    clock[0] += int(rejected["Retry-After"]) + 1
    assert post_sign_in(HOME).status_code == 302
    assert post_sign_in(HOME, "x").status_code == 422, "the count restarts"


def test_wrong_passwords_are_limited_per_account_and_day(
    checked: list[str], clock: list[float]
) -> None:
    day = 24 * 3600
    assert post_sign_in(HOME).status_code == 302
    for address in (HOME, *(f"198.51.100.{n}" for n in range(8))):
        day_start = clock[0]
        while clock[0] < day_start + day / 10:
            response = post_sign_in(address, "x")
            if response.status_code == 429:
                clock[0] += min(int(response["Retry-After"]), day / 10) + 1
    assert len(checked) <= 100 + 25
    assert post_sign_in("203.0.113.5").status_code == 429, "an unknown address is limited"
    assert post_sign_in(HOME).status_code == 302, "a known address is not limited"
    clock[0] += day
    assert post_sign_in("203.0.113.5").status_code == 302, "the lock ends after a day"


def test_password_change_attempts_count_as_guesses(ada: User) -> None:
    client = Client(REMOTE_ADDR=HOME)
    client.force_login(ada)
    guess = {"old_password": "x", "new_password1": "y", "new_password2": "z"}
    answers = [client.post("/study/password", guess).status_code for _ in range(12)]
    assert answers == [422] * 10 + [429] * 2
    assert post_sign_in(HOME).status_code == 429


def test_known_address_is_stored_only_as_a_digest(ada: User) -> None:
    post_sign_in(HOME)
    known_address = KnownAddress.objects.get()
    assert known_address.user == ada
    assert HOME not in known_address.digest
    assert len(known_address.digest) == 32


def test_failures_of_all_addresses_together_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    assert post_sign_in(HOME).status_code == 302
    statuses = [post_sign_in(f"198.51.100.{n}", "x", f"name{n}").status_code for n in range(70)]
    assert statuses.count(422) <= 60
    assert statuses[-1] == 429
    assert post_sign_in(HOME).status_code == 302


@pytest.fixture
def full_queue() -> Iterator[None]:
    reservations = [
        password_hashing.occupy_place(password_hashing.stranger_queue)
        for _ in range(password_hashing.MAX_WAITING)
    ]
    for reservation in reservations:
        reservation.__enter__()
    yield
    for reservation in reservations:
        reservation.__exit__(None, None, None)


@pytest.mark.usefixtures("full_queue")
def test_full_queue_rejects_strangers_but_not_known_addresses() -> None:
    response = post_sign_in(ELSEWHERE)
    assert response.status_code == 503
    assert "in a few seconds" in response.content.decode()
    sign_in_limits.SignInAttempt("ada", HOME).record_success(User.objects.get())
    assert post_sign_in(HOME).status_code == 302


def test_passwords_are_hashed_serially_by_a_low_priority_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import os

    from django.contrib.auth.hashers import PBKDF2PasswordHasher

    threads: list[tuple[str, int]] = []
    at_once: list[int] = [0, 0]
    lock = threading.Lock()
    original_encode = PBKDF2PasswordHasher.encode

    def encode(self, *args):  # type: ignore[no-untyped-def]
        with lock:
            at_once[0] += 1
            at_once[1] = max(at_once)
        nice = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
        threads.append((threading.current_thread().name, nice))
        try:
            return original_encode(self, *args)
        finally:
            with lock:
                at_once[0] -= 1

    monkeypatch.setattr(PBKDF2PasswordHasher, "encode", encode)
    with ThreadPoolExecutor(8) as pool:
        hashes = list(pool.map(make_password, map(str, range(8))))
        assert all(pool.map(check_password, map(str, range(8)), hashes))
    assert at_once[1] == 1
    assert len({name for name, _nice in threads}) == 1
    assert {nice for _name, nice in threads} == {password_hashing.NICENESS}
    assert all(value.startswith("pbkdf2_sha256$") for value in hashes)


def test_hash_iterations_match_the_django_default() -> None:
    from django.contrib.auth.hashers import PBKDF2PasswordHasher

    from webapp.settings import PASSWORD_HASHERS

    assert PASSWORD_HASHERS[0] == "webapp.password_hashing.LowPriorityHasher"
    assert (
        password_hashing.LowPriorityHasher.iterations == PBKDF2PasswordHasher.iterations >= 600_000
    )


def test_leading_spaces_do_not_evade_the_limit() -> None:
    written = [" " * (1000 - k) + "ada" for k in range(4)]
    assert [post_sign_in(HOME, "x", written[n % 4]).status_code for n in range(10)] == [422] * 10
    assert post_sign_in(HOME, "x").status_code == 429


def test_failed_sign_ins_are_audited_without_other_input() -> None:
    post_sign_in(HOME, "x")
    post_sign_in(HOME, "x", "my passw0rd")
    post_sign_in(HOME, "")
    for _ in range(20):
        post_sign_in(HOME, "x")
    lines = AuditLine.objects.filter(what="sign_in_failed").values_list("who", "about", "address")
    assert list(lines)[:2] == [("ada", "", HOME), ("", "", HOME)]
    assert len(lines) < 15, "rejected attempts are not audited"


def test_address_used_to_enrol_is_known() -> None:
    invitation = Invitation.objects.create(invited_by=User.objects.get())
    form = {"username": "berta", "password1": PASSWORD, "password2": PASSWORD}
    url = f"/study/invited/{invitation.key}/"
    assert Client(REMOTE_ADDR=HOME).post(url, form).status_code == 302
    for n in range(30):
        post_sign_in(ELSEWHERE, str(n), "berta")
    for n in range(60):
        post_sign_in(f"198.51.100.{n}", str(n), "berta")
    assert post_sign_in(HOME, name="berta").status_code == 302


@pytest.mark.parametrize("target", ["x", "%", "home", "study:new", "\ufffd", "x/../y"])
def test_invalid_next_target_leads_to_the_study_list(target: str) -> None:
    client = sign_in("ada")
    response = client.get("/study/sign-in", {"next": target})
    assert (response.status_code, response["Location"]) == (302, "/study/")
