"""Cells on their way to Slurm: what each job is told, and arrays of jobs through submitit."""

from __future__ import annotations

import io
import logging
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr
from pathlib import Path

from accelreport.runner.launchers.base import LauncherError
from accelreport.runner.launchers.batch import Mailbox, Order, perform
from accelreport.runner.launchers.slurm_jobs import Job
from accelreport.runner.launchers.slurm_options import DeviceClass, SlurmOptions, parameters
from accelreport.runner.launchers.workplace import Workplace
from accelreport.runner.plan import Policy
from accelreport.spec.cells import Cell

LONGEST_ARRAY = 1000
"""Jobs in one array: Slurm takes 1001 unless its administrator allows more (`MaxArraySize`)."""


class Desk:
    """Submits cells.

    Args:
        results: the results folder.
        policy: what counts as done.
        options: what `--on-option` says.
        workplace: how nodes measure a cell.
    """

    def __init__(
        self, results: Path, policy: Policy, options: SlurmOptions, workplace: Workplace
    ) -> None:
        self._results = results
        self._policy = policy
        self._options = options
        self._workplace = workplace
        self._orders = 0

    def submit(self, cells: Iterable[Cell], folder: Path) -> Iterator[Job]:
        """Submit jobs for cells, an array for each device class; yields them as they are taken.

        Args:
            cells: the cells.
            folder: for orders, letters and the jobs' output.

        Raises:
            LauncherError: Slurm does not take them.
        """
        classes: dict[DeviceClass, list[Cell]] = {}
        for cell in cells:
            classes.setdefault(DeviceClass.of(cell.device_spec), []).append(cell)
        for device_class, those in classes.items():
            # The processes of two spread cells, one after the other, would meet on their ports.
            size = 1 if device_class.nodes > 1 else self._options.cells_per_job
            chunks = [those[first : first + size] for first in range(0, len(those), size)]
            for first in range(0, len(chunks), LONGEST_ARRAY):
                some = chunks[first : first + LONGEST_ARRAY]
                yield from self._submit_array(device_class, some, folder / device_class.name)

    def _submit_array(
        self, device_class: DeviceClass, chunks: list[list[Cell]], folder: Path
    ) -> list[Job]:
        from submitit import AutoExecutor
        from submitit.slurm.slurm import SlurmExecutor

        _quiet_submitit()
        longest = max(chunks, key=lambda chunk: sum(cell.measure.timeout for cell in chunk))
        chosen = parameters(
            device_class,
            longest,
            self._options.of(device_class.kind),
            SlurmExecutor._valid_parameters(),
        )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            executor = AutoExecutor(folder=folder, cluster=self._options.executor)
            executor.update_parameters(**chosen)
            orders = [self._order(folder, chunk) for chunk in chunks]
            # What sbatch complains of is told in the error, once.
            with redirect_stderr(io.StringIO()), executor.batch():
                jobs = [executor.submit(perform, *map(str, order)) for order in orders]
        except (RuntimeError, OSError, NameError, ValueError, subprocess.SubprocessError) as error:
            raise LauncherError(
                f"Slurm does not take the jobs of {device_class.name}.",
                why=f"{error}",
                remedy="Say what the cluster needs with --on-option, such as partition=NAME, "
                "time=MINUTES or gpu.gres=gpu:a100:1, or choose devices that it has with --device.",
            ) from error
        return [
            Job(job, {cell.key: cell for cell in chunk}, Mailbox(letters))
            for job, (_, letters), chunk in zip(jobs, orders, chunks, strict=True)
        ]

    def _order(self, folder: Path, chunk: list[Cell]) -> tuple[Path, Path]:
        """The files of a job's order and of its letters."""
        self._orders += 1
        path = folder / f"order-{self._orders}.json"
        letters = folder / f"letters-{self._orders}.jsonl"
        order = Order(
            cells=chunk,
            results=str(self._results),
            policy=self._policy,
            workplace=self._workplace,
        )
        path.write_text(order.model_dump_json(), encoding="utf-8")
        return path, letters


def _quiet_submitit() -> None:
    """Keep submitit's words out of standard output, which is for people's and programs' eyes."""
    logger = logging.getLogger("submitit")
    for handler in list(logger.handlers):
        if isinstance(handler, logging.StreamHandler) and handler.stream is sys.stdout:
            logger.removeHandler(handler)
