"""Launchers: cells are measured on this machine, or on machines of an engine such as Ray or Slurm.

`--on` names one: accelreport's own, or those of packages.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager

from accelreport.origin import install_command
from accelreport.plugins import LAUNCHERS, Plugins
from accelreport.runner.launchers.base import (
    BadLauncher,
    Launcher,
    LauncherConfig,
    LauncherError,
    LauncherPlugin,
)

LOCAL = "local"
"""The name of this machine, which needs no launcher of its own."""

BUILT_IN = {
    "ray": ("ray", "accelreport.runner.launchers.ray.launcher"),
    "slurm": ("submitit", "accelreport.runner.launchers.slurm.launcher"),
}
"""Name → the package it needs, and the module whose `opened` makes it. The extra that installs
the package bears the launcher's name."""


@contextmanager
def launching(name: str, config: LauncherConfig) -> Iterator[Launcher | None]:
    """The launcher of a name, closed at the end; see `open_launcher`."""
    launcher = open_launcher(name, config)
    try:
        yield launcher
    finally:
        if launcher is not None:
            launcher.close()


def open_launcher(name: str, config: LauncherConfig) -> Launcher | None:
    """The launcher of a name; None for this machine itself.

    Args:
        name: the value of `--on`.
        config: its settings.

    Raises:
        BadLauncher: there is none of that name, or it does not know an option.
        LauncherError: its package is not installed.
        PluginError: it is a package's, and does not work.
    """
    if name == LOCAL:
        if config.options:
            raise BadLauncher(
                f"--on-option {next(iter(config.options))}: local runs have no such option.",
                remedy="Choose a launcher with --on.",
            )
        return None
    if name in BUILT_IN:
        package, module = BUILT_IN[name]
        if importlib.util.find_spec(package) is None:
            raise LauncherError(
                f"--on {name} needs the package {package}, which is not installed.",
                remedy=f"Install the extra {name}: {install_command(name)}",
            )
        launcher: Launcher = importlib.import_module(module).opened(config)
        return launcher
    plugins = Plugins(LAUNCHERS, LauncherPlugin, "name", taken=(LOCAL, *BUILT_IN))
    if name in plugins.broken:
        raise plugins.broken[name]
    if name not in plugins.usable:
        known = ", ".join(sorted({LOCAL, *BUILT_IN, *plugins.usable}))
        raise BadLauncher(
            f"--on {name}: there is no such launcher.", why=f"The launchers are: {known}."
        )
    return plugins.usable[name].open(config)
