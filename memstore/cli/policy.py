"""``memstore policy``: what the policy in force says."""

from __future__ import annotations

import json

import typer

from memstore.cli import output
from memstore.cli.options import JsonOption, PolicyOption, default_policy_path, policy_of

policy_app = typer.Typer(no_args_is_help=True, help="The retention policy.")


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(policy_app, name="policy", rich_help_panel="Decisions")


@policy_app.command()
def show(policy: PolicyOption = None, as_json: JsonOption = False) -> None:
    """Print every setting in force, its source, and the version stored with verdicts.

    The lines are those of a policy file: save them as memstore.toml and change what you need.
    Overlays are named by their whole paths, so that the file means the same wherever it is.

    [bold]Example[/bold]

    memstore policy show --policy memstore.toml
    """
    from memstore.retention.policy_file import policy_settings

    chosen = policy_of(policy)
    settings = policy_settings(chosen)
    path = policy or default_policy_path()
    if as_json:
        output.print_json(
            {
                "source": str(path) if path else None,
                "version": chosen.version,
                "settings": settings,
            }
        )
        return
    typer.echo(f"# policy {chosen.version}, {f'from {path}' if path else 'built in'}")
    for name, value in settings.items():
        if name != "overlays":
            typer.echo(f"{name} = {_toml(value)}")
    for overlay in settings["overlays"]:
        typer.echo(
            f"# {overlay['file']}: adds {', '.join(overlay['add']) or 'nothing'}; "
            f"switches off {', '.join(overlay['disable']) or 'nothing'}"
        )
    typer.echo(f"overlays = {_toml([overlay['file'] for overlay in settings['overlays']])}")


def _toml(value: object) -> str:
    """Return a string, number, switch or list of them as TOML, which has JSON's form of them."""
    # Not in ASCII: JSON escapes what is beyond the first plane in halves, which TOML refuses.
    return json.dumps(value, ensure_ascii=False)
