"""Rate limits of play, far above normal use."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from webapp.play import visitors
from webapp.rate_counters import ProcessRate, Rate

CROWD = settings.CROWD  # people who may share one address, such as a class
TOTAL_FACTOR = 10  # the limit in total is this many times the limit of one address
DAY_S = 86_400

# Rates that each process counts: maximum, seconds.
answer_rate = ProcessRate(30, 10)  # key: a seat
desk_rate = ProcessRate(60, 10)  # drafts, notes, other actions; key: a seat or a visitor
poll_rate = ProcessRate(30, 10)  # updates of a page without a socket; key: a visitor or an address
table_rate = ProcessRate(20, 60)  # tables opened or joined; key: a visitor or a study link
style_trial_rate = ProcessRate(6, 60)  # key: a visitor or an address

# Rates that all processes count together: name, maximum, seconds.
address_table_rate = Rate("tables/address", 3 * CROWD, 600)
site_table_rate = Rate("tables/site", TOTAL_FACTOR * 3 * CROWD, 600)
# A game takes at least ten minutes, so no person plays 40 of them in a day.
link_daily_table_rate = Rate("tables/link/day", 40, DAY_S)
address_daily_table_rate = Rate("tables/address/day", 10 * CROWD, DAY_S)
socket_rate = Rate("sockets/address", 20 * CROWD, 60)
public_replay_rate = Rate("replays/address", 20 * CROWD, 60)  # pages, parts of pages, pictures


def count_table(visitor: uuid.UUID, session: Mapping[str, Any], address: str) -> str:
    """Count a table that a visitor wants to open. Return the key of a refusal (`refusals`), or "".

    A visitor with a personal study link is counted by that link, and by the address only over a
    day. So a class with such links may open more tables within minutes than one address may.
    """
    link = visitors.link_of(session)
    if not table_rate.try_acquire(visitor.hex):
        return "many_tables"
    if link:
        if not table_rate.try_acquire(f"link/{link}"):
            return "many_tables"
        if not link_daily_table_rate.try_acquire(link):
            return "many_tables_by_link"
    elif not (address_table_rate.try_acquire(address) and site_table_rate.try_acquire("site")):
        return "many_tables"
    return "" if address_daily_table_rate.try_acquire(address) else "many_tables_today"
