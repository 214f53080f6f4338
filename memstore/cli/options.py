"""The options that commands share, and what they stand for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import platformdirs
import typer

from memstore.duration import parse_duration
from memstore.errors import ConfigurationError, InvalidMemoryError, StoreUnavailableError
from memstore.memory import MemoryKind, TemporalKind, Tier

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from memstore.retention.policy import RetentionPolicy
    from memstore.store.engine import DatabaseUrl
    from memstore.store.sync import MemoryStore


def _one_of(values: Iterable[str]) -> Callable[[str], str]:
    """Return a parser that accepts one of the values, whatever its case."""
    known = tuple(values)

    def parse(text: str) -> str:
        value = text.strip().casefold()
        if value not in known:
            raise typer.BadParameter(f"choose from {', '.join(known)}")
        return value

    return parse


def duration(text: str) -> timedelta:
    """Parse an option that is a length of time."""
    try:
        return parse_duration(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


_TEMPORAL = [kind.value for kind in TemporalKind if kind is not TemporalKind.UNSET]
_TIERS = [Tier.TEMP.value, Tier.LONG.value]

DatabaseOption = Annotated[
    str | None,
    typer.Option(
        "--db",
        envvar="MEMSTORE_DATABASE_URL",
        metavar="URL",
        help="Database: sqlite:///FILE, a file name or postgresql://HOST/NAME; "
        "a SQLite file in the user's data folder where left out.",
    ),
]
TenantOption = Annotated[str, typer.Option("--tenant", help="Whose memories they are.")]
PolicyOption = Annotated[
    Path | None,
    typer.Option(
        "--policy",
        envvar="MEMSTORE_POLICY",
        metavar="FILE",
        help="Policy file; memstore.toml in the user's configuration folder where left out, "
        "if there is one.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
TemporalOption = Annotated[
    str | None,
    typer.Option(
        parser=_one_of(_TEMPORAL),
        metavar="|".join(_TEMPORAL),
        help="What an extractor said about its time.",
    ),
]
TierOption = Annotated[
    str | None,
    typer.Option(parser=_one_of(_TIERS), metavar="|".join(_TIERS), help="Retention tier."),
]
KindOption = Annotated[MemoryKind, typer.Option(help="What sort of memory.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Go on without asking.")]
MemoryIdArgument = Annotated[str, typer.Argument(metavar="ID", help="Id of the memory.")]
TtlOption = Annotated[
    timedelta | None,
    typer.Option("--ttl", parser=duration, metavar="TIME", help="Time to live: 7d, 36h, 1d12h."),
]


def database_url(option: str | None) -> DatabaseUrl:
    """Return the URL that ``--db`` stands for: a URL, a file name, or the user's own file.

    Raises:
        ConfigurationError: it is empty, which SQLite would take for a database in memory.
        StoreUnavailableError: the folder of the user's own file cannot be made.
    """
    from memstore.store.engine import file_url

    if option is None:
        folder = platformdirs.user_data_path("memstore")
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreUnavailableError(
                f"cannot create {folder} ({error.strerror}); name a database with --db"
            ) from None
        return file_url(str(folder / "memories.db"))
    if not option.strip():
        raise ConfigurationError("--db is empty; give a URL or a file name, or leave it out")
    return option if "://" in option else file_url(option)


def existing_database_url(option: str | None) -> DatabaseUrl:
    """Return the URL that ``--db`` stands for, for commands that shall not create a store.

    Raises:
        ConfigurationError: as ``database_url``, or there is no store.
    """
    from memstore.store import schema
    from memstore.store.engine import checked_url
    from memstore.store.schema_state import SchemaStatus

    url = checked_url(database_url(option))
    if schema.current(url).status is SchemaStatus.EMPTY:
        raise ConfigurationError(
            f"there is no store at {url.render_as_string(hide_password=True)}; check --db, or "
            "store a memory first (memstore db upgrade makes an empty store)"
        )
    return url


def policy_of(option: Path | None) -> RetentionPolicy:
    """Return the policy of ``--policy``, of the user's own file, or the default one."""
    from memstore.retention.policy import DEFAULT_POLICY
    from memstore.retention.policy_file import load_policy

    path = option or default_policy_path()
    return load_policy(path) if path else DEFAULT_POLICY


def default_policy_path() -> Path | None:
    """Return the user's own policy file, if there is one.

    The working directory is not searched: how long memories live must not depend on where a
    command happens to run.
    """
    path = platformdirs.user_config_path("memstore") / "memstore.toml"
    return path if path.is_file() else None


def open_store(
    database: str | None, tenant: str, policy: Path | None = None, *, create: bool = False
) -> MemoryStore:
    """Open the store that the shared options name; make one only for commands that may.

    Raises:
        ConfigurationError: the options are unusable, or there is no store and none may be made.
    """
    from memstore.store.sync import MemoryStore

    url = database_url(database) if create else existing_database_url(database)
    return MemoryStore.open(url, tenant=tenant, policy=policy_of(policy), actor="cli")


def moment(field: str, text: str | None, zone: tzinfo) -> datetime | None:
    """Return an option's ISO 8601 time in UTC; a date alone means the end of that day."""
    from memstore.extraction.candidates import read_moment

    return None if text is None else read_moment(field, text, zone)


def read_input(file: str) -> bytes:
    """Return what is in a file, or what is on the standard input where its name is ``-``.

    Raises:
        InvalidMemoryError: it cannot be read.
    """
    try:
        if file != "-":
            return Path(file).read_bytes()
        if sys.stdin is None:
            raise InvalidMemoryError("FILE", "the standard input is closed")
        return sys.stdin.buffer.read()
    except OSError as error:
        raise InvalidMemoryError("FILE", f"{file} cannot be read: {error.strerror}") from None
