"""The policy file, ``memstore.toml``: one key a setting of ``RetentionPolicy``, lengths as ``7d``.

Overlays are names of files, relative to the policy file's folder.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from memstore.duration import format_duration, parse_duration
from memstore.errors import ConfigurationError
from memstore.retention.cues import Overlay
from memstore.retention.near_miss import hint
from memstore.retention.policy import RetentionPolicy

_SETTINGS = {field.name: field for field in dataclasses.fields(RetentionPolicy)}


def load_policy(path: Path) -> RetentionPolicy:
    """Return the policy that a file describes; what it leaves out keeps its default.

    Raises:
        ConfigurationError: the file cannot be read, or a key is unknown or has a wrong value; the
            message names the file and the key, and a key that was probably meant.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8"
        raise ConfigurationError(f"policy file {path} cannot be read: {reason}") from None
    try:
        return parse_policy(text, folder=path.parent)
    except ConfigurationError as error:
        raise ConfigurationError(f"policy file {path}: {error}") from None


def parse_policy(text: str, *, folder: Path) -> RetentionPolicy:
    """Return the policy that a TOML text describes.

    Args:
        text: the content of a policy file.
        folder: where names of overlay files start.

    Raises:
        ConfigurationError: as for ``load_policy``.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"no valid TOML: {error}") from None
    settings: dict[str, Any] = {key: _read(key, value, folder) for key, value in table.items()}
    return RetentionPolicy(**settings)


def policy_settings(policy: RetentionPolicy) -> dict[str, Any]:
    """Return a policy's settings as a policy file writes them.

    Overlays are told by their file, None where code made them, and the ids that they add and
    switch off.
    """
    settings = {name: _write(getattr(policy, name)) for name in _SETTINGS}
    settings["overlays"] = [
        {
            "file": None if overlay.path is None else str(overlay.path.absolute()),
            "add": sorted(cue.id for cue in overlay.add),
            "disable": sorted(overlay.disable),
        }
        for overlay in policy.overlays
    ]
    return settings


def _write(value: object) -> Any:
    if isinstance(value, timedelta):
        return format_duration(value)
    if isinstance(value, frozenset):
        return sorted(value)
    return list(value) if isinstance(value, tuple) else value


def _read(key: str, value: object, folder: Path) -> object:
    if key not in _SETTINGS:
        raise ConfigurationError(f"{key}: no such setting; {hint(key, _SETTINGS)}")
    return _READERS[str(_SETTINGS[key].type)](key, value, folder)


def _read_duration(key: str, value: object, _folder: Path) -> timedelta:
    if not isinstance(value, str):
        raise ConfigurationError(f'{key}: write a length of time in quotes, such as "7d" or "36h"')
    try:
        return parse_duration(value)
    except ValueError as error:
        raise ConfigurationError(f"{key}: {error}") from None


def _read_strings(key: str, value: object, _folder: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigurationError(f'{key}: write a list of strings, such as ["…", "…"]')
    return tuple(value)


def _read_overlays(key: str, value: object, folder: Path) -> tuple[Overlay, ...]:
    return tuple(Overlay.from_toml(folder / name) for name in _read_strings(key, value, folder))


def _read_string(key: str, value: object, _folder: Path) -> str:
    if not isinstance(value, str):
        raise ConfigurationError(f"{key}: write a string in quotes")
    return value


def _read_number(key: str, value: object, _folder: Path) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigurationError(f"{key}: write a number")
    return value


def _read_switch(key: str, value: object, _folder: Path) -> bool:
    if not isinstance(value, bool):
        raise ConfigurationError(f"{key}: write true or false")
    return value


_READERS: Mapping[str, Callable[[str, object, Path], object]] = {
    "timedelta": _read_duration,
    "tuple[str, ...]": _read_strings,
    "frozenset[RuleCode]": _read_strings,
    "tuple[Overlay, ...]": _read_overlays,
    "str": _read_string,
    "float": _read_number,
    "bool": _read_switch,
}
"""How a value is read, by the type of its setting as ``RetentionPolicy`` declares it."""
