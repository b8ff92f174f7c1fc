"""Programs of the names of Slurm's, which start jobs here and say of them what a test says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

SBATCH = """\
    import json, os, pathlib, re, subprocess, sys
    text = open(sys.argv[1]).read()
    if "partition=nowhere" in text:
        sys.exit("sbatch: error: invalid partition specified: nowhere")
    here = pathlib.Path(__file__).parent
    job = str(71 + len(list(here.glob("job-*.json"))))
    found = re.search(r"--array=0-(\\d+)", text)
    numbers = range(int(found[1]) + 1) if found else [None]
    nodes = (re.search(r"--nodes=(\\d+)", text) or [None, "1"])[1]
    script = here / f"script-{job}.sh"
    script.write_text(text)  # as Slurm keeps one: submitit moves its own while the job starts
    print("Submitted batch job", job, flush=True)
    for number in numbers:
        more = {"SLURM_JOB_ID": job, "SLURM_JOB_NUM_NODES": nodes}
        if number is not None:
            more |= {"SLURM_ARRAY_JOB_ID": job, "SLURM_ARRAY_TASK_ID": str(number)}
        (here / f"job-{job}.json").write_text(json.dumps([str(script), more]))
        if (here / "full").exists():
            continue
        nowhere = subprocess.DEVNULL
        subprocess.Popen(["bash", script], env={**os.environ, **more},
                         stdout=nowhere, stderr=nowhere, start_new_session=True)
"""
"""Runs the tasks of an array at once, as Slurm does where there are nodes enough."""

SRUN = """\
    import os, subprocess, sys, tempfile
    count = os.environ["SLURM_JOB_NUM_NODES"]
    program = sys.argv[sys.argv.index(sys.executable):]
    step = {"SLURM_STEP_NUM_TASKS": count, "SLURM_NTASKS": count, "SLURM_LOCALID": "0",
            "SLURM_STEP_NODELIST": "localhost", "SLURM_STEP_TASKS_PER_NODE": count}
    tasks = [
        subprocess.Popen(program, env={**os.environ, **step, "SLURM_PROCID": str(number),
                                       "SLURM_NODEID": str(number), "TMPDIR": tempfile.mkdtemp()})
        for number in range(int(count))
    ]
    sys.exit(max(task.wait() for task in tasks))
"""
"""Starts a task for each node, all of them here; each has a folder, and so a lock, of its own."""

SAYS = """\
    import pathlib, sys
    told = pathlib.Path(__file__).with_suffix(".says")
    if not told.exists():
        sys.exit("Slurm accounting storage is disabled")
    print(told.read_text())
"""
"""Says what stands in the file beside it, or what a cluster without accounts says."""

SCANCEL = """\
    import pathlib, sys
    with pathlib.Path(__file__).with_suffix(".asked").open("a") as file:
        print(*sys.argv[1:], file=file)
"""

PROGRAMS = {"sbatch": SBATCH, "srun": SRUN, "squeue": SAYS, "sacct": SAYS, "scancel": SCANCEL}


@dataclass(frozen=True)
class SlurmStandIn:
    """Slurm's programs, first in `PATH`.

    Attributes:
        folder: where they are.
    """

    folder: Path

    @classmethod
    def installed(cls, folder: Path, monkeypatch: pytest.MonkeyPatch) -> SlurmStandIn:
        """A new folder of them; `squeue` says that jobs run, and there are no accounts."""
        folder.mkdir()
        for name, text in PROGRAMS.items():
            path = folder / name
            path.write_text(f"#!{sys.executable}\n{textwrap.dedent(text)}")
            path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        it = cls(folder)
        it.says("squeue", *(f"{job}|RUNNING|None" for job in (71, *(f"71_{n}" for n in range(9)))))
        return it

    def says(self, program: str, *lines: str) -> None:
        """What `squeue` or `sacct` says from now on."""
        (self.folder / f"{program}.says").write_text("\n".join(lines))

    def is_full(self) -> None:
        """From now on no job that is submitted starts."""
        (self.folder / "full").touch()

    @property
    def cancelled(self) -> list[str]:
        """What `scancel` was asked to cancel."""
        asked = self.folder / "scancel.asked"
        return asked.read_text().split() if asked.exists() else []

    def start_again(self, job: int) -> None:
        """Start a job once more, as Slurm does where a node was lost or preempted."""
        script, more = json.loads((self.folder / f"job-{job}.json").read_text())
        subprocess.run(
            [sys.executable, "-c", AGAIN, script],
            env={**os.environ, **more},
            check=True,
        )


AGAIN = """
import subprocess, sys
nowhere = subprocess.DEVNULL
subprocess.Popen(["bash", sys.argv[1]], stdout=nowhere, stderr=nowhere, start_new_session=True)
"""


def jobs_of(folder: Path) -> list[psutil.Process]:
    """The processes of submitit's jobs whose files lie in a folder."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if "submitit.core._submit" in (line := " ".join(process.info["cmdline"] or []))
        and str(folder) in line
    ]
