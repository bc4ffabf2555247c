"""Builds the wheel from a copy of the checkout and installs it in an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

import attrs
import pytest

from .conftest import INCIDENTS, ROOT

PACKAGES = ("dsl", "compiler", "solvers", "gpu_train_debug")

needs_hatchling = pytest.mark.skipif(find_spec("hatchling") is None, reason="needs `hatchling`, of the extra `test`")


@attrs.frozen
class Installed:
    """An environment that has the wheel, and nothing of the checkout.

    Attributes:
        outside: An empty folder to work in.
    """

    wheel: Path
    python: Path
    outside: Path

    def run(
        self,
        command: list[str],
        *,
        cwd: Path | None = None,
        variables: Mapping[str, str] | None = None,
        timeout: int = 300,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command with the environment's programs first on the path."""
        clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PRIME_API_KEY")}
        folder = self.outside if cwd is None else cwd
        environment = {
            **clean,
            "PATH": f"{self.python.parent}{os.pathsep}{os.environ.get('PATH', '')}",
            "HOME": str(folder),
            "HF_HUB_OFFLINE": "1",
            **(variables or {}),
        }
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=timeout)


def copy_checkout(target: Path, out: Path | None) -> Path:
    """Copy what packaging needs, with the second domain and its tasks in place of the first."""
    hidden = shutil.ignore_patterns("__pycache__", ".*")
    target.mkdir()
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".gitignore"):
        shutil.copyfile(ROOT / name, target / name)
    for name in PACKAGES:
        shutil.copytree(ROOT / name, target / name, ignore=hidden)
    shutil.copytree(INCIDENTS, target / "archetypes")
    if out is not None:
        shutil.copytree(out, target / "out")
    return target


def build(checkout: Path, *kinds: str) -> subprocess.CompletedProcess[str]:
    """Build packages of the kinds named into `dist/` of the copy."""
    command = [sys.executable, "-m", "hatchling", "build", *(part for kind in kinds for part in ("-t", kind))]
    return subprocess.run(command, cwd=checkout, capture_output=True, text=True, timeout=300)


def install(wheel: Path, folder: Path) -> Path:
    """Install a wheel into a new environment that shares the installed dependencies; gives its Python.

    The dependencies are on its path as a plain folder, so that an editable install of the checkout beside them is
    not seen. The console scripts of the dependencies are made here, since theirs start another Python.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, capture_output=True)
    python = folder / "bin" / "python"
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", "--quiet"]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
    for package in ("verifiers", "trl"):
        for script in distribution(package).entry_points if find_spec(package) is not None else ():
            if script.group == "console_scripts":
                path = folder / "bin" / script.name
                path.write_text(f"#!{python}\nfrom {script.module} import {script.attr}\n{script.attr}()\n")
                path.chmod(0o755)
    return python
