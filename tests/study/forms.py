"""What the forms of the set-up pages send."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.test import Client

from tests.study.pages import page_url
from webapp.study.models import Campaign
from webapp.study.researcher.rating.campaign_form import CampaignForm


def campaign_form_data(campaign: Campaign, **changed: Any) -> dict[str, Any]:
    """Return what the set-up page sends, with some fields changed."""
    form = CampaignForm(campaign)
    values = {name: form.get_initial_for_field(f, name) for name, f in form.fields.items()}
    return {**{k: "" if v is None else v for k, v in values.items()}, **changed}


def post_setup(client: Client, campaign: Campaign, **changed: Any) -> HttpResponse:
    """Post the set-up page with some fields changed."""
    return client.post(page_url("setup", campaign), campaign_form_data(campaign, **changed))


def form_data(form: Any, **changed: Any) -> dict[str, Any]:
    """Return what a form sends unchanged, except for `changed`."""
    forms = [form, *getattr(form, "casts", ())]
    fields = {}
    for one in forms:
        for field in one:
            value = field.value()
            if value is not None and value is not False and value != []:
                fields[field.html_name] = "on" if value is True else value
    return {**fields, **changed}
