"""The command `completion`: a script by which a shell completes commands, options and the names that they take.

The script is made of the commands themselves and has everything in it: completing starts no Python.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tokenfield.cli.flags import CONFIG_FLAGS, flags_of
from tokenfield.cli.plot import MOVIE_FORMATS
from tokenfield.errors import ConfigError, did_you_mean
from tokenfield.study.config import SECTIONS
from tokenfield.study.diagram import Diagram
from tokenfield.study.sections import FORMATS
from tokenfield.study.toml import choices_of

SHELLS = ("bash", "zsh", "fish")
# the completion of bash stands on that of zsh, which a short .zshrc has not set up
_ZSH_START = """(( $+functions[compdef] )) || { autoload -U compinit && compinit; }
autoload -U +X bashcompinit && bashcompinit
"""


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


def _values() -> dict[tuple[str, str], tuple[str, ...]]:
    """The names that options take, by command and option; the command "*" is any that has no row of its own."""
    found = {("plot", "--format"): FORMATS, ("plot", "--animate"): MOVIE_FORMATS}
    for name, flag in flags_of(Diagram, {}).items():
        if choices := choices_of(Diagram, name):
            found |= dict.fromkeys((("phase-diagram", option) for option in flag.names), choices)
    for key, flag in CONFIG_FLAGS.items():
        section, _, name = key.partition(".")
        if choices := choices_of(SECTIONS[section], name):
            found |= dict.fromkeys((("*", option) for option in flag.names), choices)
    return found


def _words(name: str, command: Any) -> str:
    """What can follow a command: its options, and the names that it takes by themselves."""
    subcommands = getattr(command, "commands", ())
    return " ".join([*(SHELLS if name == "completion" else ()), *subcommands, *_options(command)])


def _bash(commands: dict[str, Any], *, is_zsh: bool) -> str:
    values = "\n".join(f'    {c}" {option}") words="{" ".join(names)}" ;;' for (c, option), names in _values().items())
    options = "\n".join(f'    {name}) words="{_words(name, command)}" ;;' for name, command in commands.items())
    start = _ZSH_START if is_zsh else ""
    return f"""{start}_tokenfield() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words=""
  case "${{COMP_WORDS[1]}} $before" in
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
    values, lines = _values(), ["complete -c tokenfield -n __fish_use_subcommand -l version -d 'Print the version.'"]
    for name, command in commands.items():
        lines.append(f"complete -c tokenfield -n __fish_use_subcommand -f -a {name} -d '{_summary(command.help)}'")
        for sub, one in getattr(command, "commands", {}).items():
            where = f"-n '__fish_seen_subcommand_from {name}'"
            lines.append(f"complete -c tokenfield {where} -f -a {sub} -d '{_summary(one.help)}'")
        for option, parameter in _options(command).items():
            names = values.get((name, option), values.get(("*", option), ()))
            taken = f" -x -a '{' '.join(names)}'" if names else ""
            text = _summary("Show this message and exit." if parameter is None else parameter.help)
            where = f"-n '__fish_seen_subcommand_from {name}'"
            lines.append(f"complete -c tokenfield {where} -l {option.removeprefix('--')}{taken} -d '{text}'")
    shells = f"complete -c tokenfield -n '__fish_seen_subcommand_from completion' -f -a '{' '.join(SHELLS)}'"
    return "\n".join([*lines, shells])


def _summary(text: str | None) -> str:
    """The first line of a help text, as fish quotes it."""
    return (text or "").strip().partition("\n")[0].replace("\\", "\\\\").replace("'", "\\'")
