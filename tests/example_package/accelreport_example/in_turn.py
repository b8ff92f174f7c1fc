"""A launcher: cells one after the other, by processes of this machine, as if it were another."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from pathlib import Path

from accelreport.backend.availability import no_device
from accelreport.backend.environment import environment
from accelreport.results.record import Environment, Failure
from accelreport.runner.launch import LocalLauncher
from accelreport.runner.launchers.base import (
    CellListener,
    Finished,
    Launcher,
    LauncherConfig,
    LauncherPlugin,
)
from accelreport.spec.cells import Cell
from accelreport.spec.device import Device


def _elsewhere() -> Environment:
    return environment().model_copy(update={"host": "elsewhere"})


class InTurn:
    """Has cells measured with their files in a folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._local = LocalLauncher(folder, _elsewhere)

    @property
    def here(self) -> bool:
        return False

    def unavailable(self, devices: Mapping[str, Device]) -> dict[str, Failure | None]:
        return {
            name: None if row.kind == "CPU" else no_device("no CPU")
            for name, row in devices.items()
        }

    def measure_all(self, cells: Iterable[Cell], listener: CellListener) -> Generator[Finished]:
        yield from self._local.measure_all(cells, listener)

    def close(self) -> None:
        self._local.close()


def _open(config: LauncherConfig) -> Launcher:
    return InTurn(Path(str(config.options["folder"])))


LAUNCHER = LauncherPlugin("in_turn", _open)
