"""A composite action as GitHub's runner executes it: expressions, files and shell, step by step."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.house.tree import ROOT
from tests.support.program import alone

EXPRESSION = re.compile(r"\$\{\{ ([\w.-]+) \}\}")

Finished = subprocess.CompletedProcess[str]

PYTHON = """\
#!/bin/sh
# Stands for Python: makes an environment with itself in it, and says what it was asked for.
echo "$*" >> "$ASKED"
if [ "$2" = venv ]; then mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; fi
"""


def stand_in_python(folder: Path) -> str:
    """A search path on which `python` makes environments and installs nothing."""
    program = folder / "stand-in" / "python"
    program.parent.mkdir()
    program.write_text(PYTHON, encoding="utf-8")
    program.chmod(0o755)
    return f"{program.parent}:{os.environ['PATH']}"


@dataclass
class Runner:
    """What a runner knows while it executes an action.

    Attributes:
        action: the action's document.
        folder: the checked-out repository.
        temporary: the runner's folder for files in passing.
        inputs: what the workflow gives; the others have their defaults.
        path: the search path of programs.
        outputs: step → what it has put out.
        context: other expressions → what they stand for.
    """

    action: dict[str, Any]
    folder: Path
    temporary: Path
    inputs: dict[str, str] = field(default_factory=dict)
    path: str = os.environ["PATH"]
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    context: dict[str, str] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """The job's summary so far, as Markdown."""
        file = self.temporary / "summary"
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def value(self, text: str) -> str:
        """A text, its expressions replaced by what they stand for."""
        return EXPRESSION.sub(lambda found: self._meant(found[1]), text)

    def _meant(self, expression: str) -> str:
        match expression.split("."):
            case ["inputs", name]:
                return self.inputs.get(name, str(self.action["inputs"][name]["default"]))
            case ["steps", step, "outputs", name]:
                return self.outputs[step][name]
            case ["github", "action_path"]:
                return str(ROOT)
        return self.context[expression]

    def step(self, step: dict[str, Any]) -> Finished:
        """Executes one step of the action's own shell."""
        script = self.temporary / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        put_out = self.temporary / "output"
        put_out.write_text("", encoding="utf-8")
        given = {name: self.value(text) for name, text in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.folder,
            env={
                "HOME": str(self.temporary),
                "PATH": self.path,
                **alone(self.temporary),
                "ACCELREPORT_CACHE": os.environ["ACCELREPORT_CACHE"],
                "ASKED": str(self.temporary / "asked"),
                "RUNNER_TEMP": str(self.temporary),
                "GITHUB_OUTPUT": str(put_out),
                "GITHUB_STEP_SUMMARY": str(self.temporary / "summary"),
                **given,
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=1200,
        )
        lines = put_out.read_text(encoding="utf-8").splitlines()
        self.outputs[step.get("id", "")] = dict(line.split("=", 1) for line in lines)
        return done

    def run(self, *names: str) -> Finished:
        """Executes these steps up to the first that fails, and returns the last one's end."""
        steps = {step["name"]: step for step in self.action["runs"]["steps"] if "run" in step}
        for name in names:
            done = self.step(steps[name])
            if done.returncode:
                break
        return done
