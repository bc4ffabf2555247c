"""Puts the compiled splits and the `.arch` sources into built packages, as data of `gpu_train_debug`.

The splits are made by `make compile` and not kept in version control. A wheel without them would install and
then have no tasks, so there is none. An editable install takes both from the checkout.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "gpu_train_debug"


class CustomBuildHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files to take besides those under version control.

        Raises:
            RuntimeError: The splits are not compiled.
        """
        root = Path(self.root)
        if version == "editable" or (root / PACKAGE / "data").is_dir():  # the latter: unpacked from an sdist
            return
        splits = root / "out"
        try:
            files = json.loads((splits / "manifest.json").read_bytes())["content"]["files"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RuntimeError(f"{splits} holds no compiled splits to package; run `make compile` first") from error
        include = build_data["force_include"]
        for name in ("manifest.json", *files):
            include[str(splits / name)] = f"{PACKAGE}/data/{name}"
        sources = root / "archetypes"
        for path in sorted(sources.rglob("*")):
            if path.suffix in (".arch", ".toml"):
                include[str(path)] = f"{PACKAGE}/archetypes/{path.relative_to(sources).as_posix()}"
