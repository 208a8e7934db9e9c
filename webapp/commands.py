"""The base of every management command, which prepares the database."""

from typing import Any, TypeVar

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Model

from webapp.backups import back_up_before_migrating, migration_lock
from webapp.play.live.notifier import notifier

Row = TypeVar("Row", bound=Model)


def get_by_code(model: type[Row], code: str) -> Row:
    """Return the row of `model` with that code, or raise CommandError."""
    row = model._default_manager.filter(code=code).first()
    if row is None:
        raise CommandError(f"there is no {model._meta.verbose_name} {code!r}")
    return row


class DatabaseCommand(BaseCommand):
    """A command that first creates or migrates the database.

    So it works right after `make setup`. It skips Django's system checks, which load the modules of
    all pages; the tests run them.
    """

    requires_system_checks = ()

    def execute(self, *args: Any, **options: Any) -> str | None:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            self.stderr.write("preparing the database …")
            with migration_lock():
                back_up_before_migrating()
                call_command("migrate", interactive=False, verbosity=0)
        try:
            return super().execute(*args, **options)
        finally:
            notifier.close()
