"""The command `completion`: a script by which a shell completes commands, options and the names that they take.

The script is made of the commands themselves and has everything in it: completing starts no Python.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tokenfield.cli.flags import CONFIG_FLAGS
from tokenfield.errors import ConfigError, did_you_mean
from tokenfield.study.config import SECTIONS
from tokenfield.study.toml import choices_of

SHELLS = ("bash", "zsh", "fish")


def completion(
    context: typer.Context, shell: Annotated[str, typer.Argument(help=f"{', '.join(SHELLS[:-1])} or {SHELLS[-1]}.")]
) -> None:
    """Print a completion script for a shell.

    For bash: tokenfield completion bash > ~/.local/share/bash-completion/completions/tokenfield

    For zsh: tokenfield completion zsh > ~/.tokenfield.zsh, and in ~/.zshrc: source ~/.tokenfield.zsh

    For fish: tokenfield completion fish > ~/.config/fish/completions/tokenfield.fish
    """
    if shell not in SHELLS:
        raise ConfigError(f"unknown shell '{shell}'{did_you_mean(shell, SHELLS)}")
    assert context.parent is not None
    commands: dict[str, Any] = context.parent.command.commands  # type: ignore[attr-defined]
    typer.echo(_fish(commands) if shell == "fish" else _bash(commands, is_zsh=shell == "zsh"))


def _options(command: Any) -> dict[str, Any]:
    """The options of a command by their names, such as --merge and --no-merge; of a group, those of its commands."""
    if hasattr(command, "commands"):
        return {name: option for one in command.commands.values() for name, option in _options(one).items()}
    found = {name: option for option in command.params for name in (*option.opts, *option.secondary_opts)}
    return {name: option for name, option in found.items() if name.startswith("--")} | {"--help": None}


def _values() -> dict[str, tuple[str, ...]]:
    """The names that options take, by option."""
    found: dict[str, tuple[str, ...]] = {}
    for key, flag in CONFIG_FLAGS.items():
        section, _, name = key.partition(".")
        if choices := choices_of(SECTIONS[section], name):
            found |= dict.fromkeys(flag.names, choices)
    return found


def _bash(commands: dict[str, Any], *, is_zsh: bool) -> str:
    values = "\n".join(f'    {name}) words="{" ".join(names)}" ;;' for name, names in _values().items())
    after = {name: [*getattr(command, "commands", ()), *_options(command)] for name, command in commands.items()}
    options = "\n".join(f'    {name}) words="{" ".join(words)}" ;;' for name, words in after.items())
    start = "autoload -U +X bashcompinit && bashcompinit\n" if is_zsh else ""
    return f"""{start}_tokenfield() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words=""
  case "$before" in
{values}
  esac
  if [ -z "$words" ] && [ "$COMP_CWORD" -eq 1 ]; then
    words="{" ".join(commands)} --help --version"
  elif [ -z "$words" ]; then
    case "${{COMP_WORDS[1]}}" in
{options}
    esac
  fi
  COMPREPLY=( $(compgen -W "$words" -- "$word") )
}}
complete -o default -F _tokenfield tokenfield"""


def _fish(commands: dict[str, Any]) -> str:
    values, lines = _values(), []
    for name, command in commands.items():
        lines.append(f"complete -c tokenfield -n __fish_use_subcommand -f -a {name} -d '{_summary(command.help)}'")
        for sub, one in getattr(command, "commands", {}).items():
            where = f"-n '__fish_seen_subcommand_from {name}'"
            lines.append(f"complete -c tokenfield {where} -f -a {sub} -d '{_summary(one.help)}'")
        for option, parameter in _options(command).items():
            taken = f" -x -a '{' '.join(values[option])}'" if option in values else ""
            text = _summary("Show this message and exit." if parameter is None else parameter.help)
            where = f"-n '__fish_seen_subcommand_from {name}'"
            lines.append(f"complete -c tokenfield {where} -l {option.removeprefix('--')}{taken} -d '{text}'")
    return "\n".join(lines)


def _summary(text: str | None) -> str:
    """The first line of a help text, as fish quotes it."""
    return (text or "").strip().partition("\n")[0].replace("\\", "\\\\").replace("'", "\\'")
