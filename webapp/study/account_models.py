"""Models of researchers' accounts: invitations, roles, audit lines, known addresses, rooms."""

from django.conf import settings
from django.db import models

from game.models import new_key


class Invitation(models.Model):
    """A one-time link to a page that creates a researcher's account."""

    key = models.CharField(max_length=32, unique=True, default=new_key)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True
    )  # None for the first researcher of a new database
    made_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"invitation {self.pk}"


class StudyRole(models.Model):
    """The role of a researcher in a study that another researcher owns. See `permissions`."""

    EDITOR, MONITOR, ANALYST = "editor", "monitor", "analyst"

    study = models.ForeignKey("study.Study", models.CASCADE, related_name="roles")
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="study_roles"
    )
    role = models.CharField(max_length=10)
    given_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint("study", "account", name="one_role_an_account")]
        ordering = ["account__username"]

    def __str__(self) -> str:
        return f"{self.account}: {self.role} of {self.study}"


class AuditLine(models.Model):
    """A line of the audit log: a researcher's sign-in, download, change of access, or action.

    What happens to a study's participants and games is in `AuditEvent`.
    """

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    # A name, not a foreign key, because the line outlives the account.
    who = models.CharField(max_length=150)
    # Role in the study at that time, "" for none.
    role = models.CharField(max_length=10, blank=True)
    # Code of the study, "" for an action outside a study.
    study = models.CharField(max_length=24, blank=True, db_index=True)
    what = models.CharField(max_length=40)  # what was done; for an action in a study, its URL name
    # The campaign and the file, or another researcher.
    about = models.CharField(max_length=200, blank=True)
    address = models.CharField(max_length=64)  # IP address

    def __str__(self) -> str:
        about = f" {self.about}" if self.about else ""
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.label} {self.what}{about} from {self.address}"

    @property
    def label(self) -> str:
        """The actor with the role that they had, such as "ada (owner)"."""
        return f"{self.who} ({self.role})" if self.role else self.who

    @property
    def action(self) -> str:
        """The action without the study's code, such as "monitor person: P001 tell"."""
        name = self.what.removeprefix("study_").replace("_", " ")
        detail = self.about.removeprefix(self.study).strip().replace("_", " ")
        return f"{name}: {detail}" if detail else name


class KnownAddress(models.Model):
    """An IP address from which a user has signed in, stored only as a keyed digest."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    digest = models.CharField(max_length=64, unique=True)
    at = models.DateTimeField()


class Room(models.Model):
    """A permanent link for participants. It leads to the study that its owner has chosen.

    `labels` are the outside names that may enter, as the owner writes them. An empty list admits
    every visitor.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="rooms")
    name = models.CharField(max_length=40, unique=True)  # the name is part of the room's link
    labels = models.JSONField(default=list)
    study = models.ForeignKey(
        "study.Study", models.SET_NULL, null=True, blank=True, related_name="rooms"
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class RoomVisit(models.Model):
    """An open waiting page of a room. The row is deleted soon after the page is closed."""

    room = models.ForeignKey(Room, models.CASCADE, related_name="visits")
    key = models.CharField(max_length=400)  # the normalized label; without one, a key of the page
    label = models.CharField(max_length=200, blank=True)
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint("room", "key", name="one_visit_a_label")]
        ordering = ["pk"]
