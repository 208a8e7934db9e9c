"""Roles in a study, and the permission that each page and action needs.

NEEDED_PERMISSIONS covers every URL of `researcher.urls` with a study's or a campaign's code, and
the socket of the monitor. `tests/study/test_sharing.py` fails if one is missing.
"""

from dataclasses import dataclass
from enum import Enum, auto

from django.db.models import Q

from webapp.study.models import Study, StudyRole
from webapp.study.toml_files import read_labels


class Permission(Enum):
    """A permission in a study.

    - MEMBER: see who works on the study;
    - EDIT: change the design and the ethics, open the study, lift the blinding;
    - RUN: use links, monitor and messages, pause and close the study;
    - PAY: manage payments and see outside names;
    - DATA: see results and exports;
    - OWN: assign roles, transfer and delete the study.
    """

    MEMBER, EDIT, RUN, PAY, DATA, OWN = (auto() for _ in range(6))


OWNER, EDITOR, MONITOR, ANALYST = "owner", StudyRole.EDITOR, StudyRole.MONITOR, StudyRole.ANALYST
ROLES: dict[str, frozenset[Permission]] = {
    OWNER: frozenset(Permission),
    EDITOR: frozenset(Permission) - {Permission.OWN},
    MONITOR: frozenset({Permission.MEMBER, Permission.RUN}),
    ANALYST: frozenset({Permission.MEMBER, Permission.DATA}),
}
ROLE_LABELS = read_labels(__file__, "roles.toml")  # role -> its "name", "plural" and "help"
ROLE_NAMES = {role: labels["name"] for role, labels in ROLE_LABELS.items()}
MONITOR_SOCKET = "study_monitor_socket"
_URL_NAMES = {
    Permission.MEMBER: ("study", "campaign", "study_team", "study_leave"),
    Permission.EDIT: (
        "study_copy", "study_file", "study_setup", "study_factors", "study_stages", "study_stage",
        "study_ratings", "study_part", "study_plan", "study_preview", "study_preview_phone",
        "study_preview_page", "study_open", "study_questions", "study_rehearsal",
        "study_rehearsal_part", "study_rehearsal_data", "study_cover", "study_ethics",
        "study_ethics_file", "study_erase", "study_prolong", "copy", "setup", "plan", "games",
        "instrument", "units", "draw", "unit", "withdraw", "known", "rivals", "make_rivals",
        "rater", "judges", "judges_part", "judge", "study_judges",
    ),
    Permission.RUN: (
        "study_state", "study_people", "study_listed", "study_links", "study_link_list",
        "study_revoke", "study_monitor", "study_monitor_news", "study_monitor_news_of",
        "study_monitor_person", "study_monitor_table", MONITOR_SOCKET, "state", "raters",
        "progress", "progress_part",
    ),
    Permission.PAY: (
        "study_payments", "study_batch", "study_compare", "study_rewards", "study_batch_settle",
        "study_batch_file", "study_payment", "study_prolific", "payments",
    ),
    Permission.DATA: (
        "study_results", "study_results_part", "study_results_look", "study_take", "study_figure",
        "study_data", "study_export", "results", "results_part", "results_look", "tables",
        "figure", "exports", "export",
    ),
    Permission.OWN: ("study_role", "study_hand_over", "study_delete", "study_forget", "delete"),
}  # fmt: skip
NEEDED_PERMISSIONS = {name: needed for needed, names in _URL_NAMES.items() for name in names}
# (URL name, the posted value of `do` or the file's name) -> permission, where it differs.
NEEDED_FOR_DETAIL = {
    ("study_state", "open"): Permission.EDIT,
    ("study_state", "unlock"): Permission.EDIT,
    ("state", "open"): Permission.EDIT,
    ("study_export", "payments.csv"): Permission.PAY,
}


def needed_permission(url_name: str, detail: str = "") -> Permission:
    """Return the permission that a page or action needs, or raise KeyError."""
    return NEEDED_FOR_DETAIL.get((url_name, detail)) or NEEDED_PERMISSIONS[url_name]


@dataclass(frozen=True)
class Access:
    """The role of a researcher in a study.

    Templates look up URL names in `request.access`, with a detail after two underscores, such as
    "study_state__open".
    """

    study: Study
    role: str

    def may(self, url_name: str, detail: str = "") -> bool:
        """Return whether the page or action is allowed. KeyError as in `needed_permission`."""
        return self.has_permission(needed_permission(url_name, detail))

    def has_permission(self, permission: Permission) -> bool:
        return permission in ROLES[self.role]

    def __getitem__(self, name: str) -> bool:
        """Return what `may` returns, for lookups in templates."""
        url_name, _underscores, detail = name.partition("__")
        return self.may(url_name, detail)

    @property
    def can_see_identities(self) -> bool:
        """Whether exports may contain contact data that participants wrote."""
        return self.has_permission(Permission.PAY)


def find_access(study: Study, account_id: int | None) -> Access | None:
    """Return an account's access to a study, None if it has no role there."""
    if account_id is None:
        return None
    if study.owner_id == account_id:
        return Access(study, OWNER)
    role = StudyRole.objects.filter(study=study, account=account_id).first()
    return Access(study, role.role) if role else None


def studies_with(account_id: int | None, permission: Permission = Permission.MEMBER) -> Q:
    """Return a filter of studies in which the account has the permission."""
    shared = StudyRole.objects.filter(account=account_id, role__in=roles_with(permission))
    return Q(owner=account_id) | Q(pk__in=shared.values("study"))


def rooms_with(account_id: int | None) -> Q:
    """Return a filter of rooms that are an account's own, or lead to a study it runs."""
    studies = Study.objects.filter(studies_with(account_id, Permission.RUN))
    return Q(owner=account_id) | Q(study__in=studies)


def roles_with(permission: Permission) -> list[str]:
    """Return the roles that have a permission, the owner's first."""
    return [role for role, permissions in ROLES.items() if permission in permissions]
