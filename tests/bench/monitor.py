"""Cost of the monitor of a study with two hundred people and twenty-five games.

Measures processor time and bytes of each part and poll, and the page over HTTP.
"""

from __future__ import annotations

import json
import os
import time

import httpx2
import psutil

from tests.bench.figures import spread
from tests.live import Stack

GOES = 30
NAME = "fabula_session"  # prefix of the session cookie's name, followed by the port
SEED = """
import json, time
from collections import defaultdict
from datetime import timedelta
from django.utils import timezone
from tests.query_counter import count_queries
from tests.study import studies
from tests.study.desk import sign_in
from webapp.play.live import notifier
from webapp.play.models import LLMCall
from webapp.study.models import Study
from webapp.study.monitor import frames, page_content
from webapp.study.sessions import messages
people, tables, calls, goes = 200, 25, 4000, {goes}
bare = {{"name": "bare", "table": {{"method": "baseline"}}}}
design = dict(table={{"people": 5, "pace": "natural"}}, assignment={{"games": 20}},
    waiting={{"ready": 120}}, factors=[{{"name": "wits", "levels": [{{"name": "full"}}, bare]}}])
with notifier.diverted(lambda game, opened: None):
    study = studies.create_study(**design)
    for _table in range(tables):
        studies.confirm_all(studies.queue(study, 5))
    rest = studies.enrol(study, people - tables * 5)
for person in rest[:3]:
    messages.request_help(person, "Where do I click? " * 10)
games = [slot.game for slot in study.slots.filter(state="playing").select_related("game")]
words = [{{"role": "user", "content": "x" * 12_000}}]
line = {{"messages": words, "usage": {{"prompt_tokens": 3000, "completion_tokens": 100}}}}
LLMCall.objects.bulk_create(LLMCall(game=games[n % len(games)], seat=1, window=str(n), step="s",
    backend="openai", kind="speech", brief={{}}, reply={{}}, seconds=1, exchange=line)
    for n in range(calls))
LLMCall.objects.update(at=timezone.now() - timedelta(hours=1))
spent, sizes, plain_part, plain_row = (
    defaultdict(list), defaultdict(int), page_content.render_part, page_content.render_row)
def timed(plain):
    def one(template, *rest, **more):
        began = time.thread_time()
        html = plain(template, *rest, **more)
        spent[template].append((time.thread_time() - began) * 1000)
        sizes[template] += len(html.encode())
        return html
    return one
page_content.render_part, page_content.render_row = timed(plain_part), timed(plain_row)
def look():
    began = time.thread_time()
    found = page_content.study_content(Study.objects.get(pk=study.pk), False)
    return found, (time.thread_time() - began) * 1000
first, cold = look()
parts = {{name: [round(sum(times), 2), sizes[name]] for name, times in spent.items()}}
sent = frames.SentParts()
whole = len(frames.serialize(sent.find_changes(first)).encode())
warm = [look()[1] for _ in range(goes)]
sent.find_changes(look()[0])
messages.request_help(rest[5], "And now?")
again = len(frames.serialize(sent.find_changes(look()[0])).encode())
with count_queries() as counted:
    look()
session = sign_in("ada").session.session_key
print(json.dumps(dict(code=study.code, session=session, cold=cold, warm=warm,
    parts=parts, whole=whole, again=again, statements=counted.total(),
    tables=len(first.lists["monitor-tables"]), people=len(first.lists["monitor-people"]))))
"""


def main() -> None:
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"load {load} on {os.cpu_count()} cores")
    with Stack() as stack:
        data = json.loads(stack.shell(SEED.format(goes=GOES), seconds=600).splitlines()[-1])
        print(f"{data['people']} people on the way, {data['tables']} tables")
        for name, (ms, size) in sorted(data["parts"].items()):
            print(f"  {name}: {ms:.1f} ms, {size:,} bytes, drawn anew")
        print(f"processor time: first look of a process {data['cold']:.0f} ms")
        print(f"a look: {spread(data['warm'], 'ms')}; {data['statements']} statements")
        print(f"first frame {data['whole']:,} bytes; after a message {data['again']:,}")
        port = stack.url.rsplit(":", 1)[1]
        cookies = {f"{NAME}_{port}": data["session"]}
        with httpx2.Client(base_url=stack.url, timeout=30, cookies=cookies) as http:
            web = psutil.Process(stack.pid("web"))
            times, size, before = list[float](), 0, _processor_s(web)
            for _ in range(GOES):
                began = time.perf_counter()
                page = http.get(f"/study/studies/{data['code']}/monitor")
                times.append((time.perf_counter() - began) * 1000)
                assert page.status_code == 200, page.headers.get("location")
                size = len(page.content)
            spent = (_processor_s(web) - before) * 1000 / GOES
            print(f"the page: {spread(times, 'ms')}; {spent:.0f} ms of processor; {size:,} bytes")


def _processor_s(process: psutil.Process) -> float:
    """Return the processor seconds so far."""
    used = process.cpu_times()
    return float(used.user + used.system)
