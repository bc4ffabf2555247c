"""Read and parse source files with everything they import.

In: files and folders. Out: a `Loaded` with the modules by name, their digests and who imports whom, and
diagnostics E101-E133. Sources are data from strangers: nothing outside the source root is read, not even
through links, and file size, number of files and nesting are bounded. The only module of the language
that touches the file system.

A module's name is its path below the source root, with `/` between the parts. The root depends
only on the given paths and on what their files import, so that other files beside them change no name. Messages show
paths relative to the current folder where the paths given were relative.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import posixpath
import stat
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs

from dsl.diagnostics.diagnostic import Diagnostic, sort_diagnostics
from dsl.source import Source, Span
from dsl.syntax import nodes
from dsl.syntax.parser import parse_text, without_uses_of_wrong_names
from gpu_train_debug.wording import did_you_mean

SUFFIX = ".arch"
MAX_FILE_BYTES = 2**20
MAX_FILES = 500
MAX_TOTAL_BYTES = 16 * 2**20
MAX_RAISED = 2  # levels by which imports may raise a root that wasn't given

_GIVE = f"give files that end in `{SUFFIX}`, or folders that hold such files"
_PERMIT = "let your user read it, or leave it out"

UNREADABLE = frozenset({"E120", "E121", "E122", "E123", "E124"})  # the input could not be read at all


@attrs.frozen
class Loaded:
    """What was read, each map in order of the names.

    `modules` lacks the files that don't parse; `digests` has the sha256 of the bytes of every file that
    was read; `imports` has the names each module imports, in the order it does.
    """

    modules: dict[str, nodes.Module]
    digests: dict[str, str]
    imports: dict[str, tuple[str, ...]]
    diagnostics: tuple[Diagnostic, ...]


def load(paths: Sequence[Path | str], root: Path | str | None = None) -> Loaded:
    """Load files, and of folders every `.arch` file below them, with all their imports.

    Args:
        root: Folder that holds all sources. By default the common folder of `paths`, raised by at most
            `MAX_RAISED` levels to the folders of the files that are imported as `../name.arch` or
            `../../name.arch` from there.
    """
    given = [Path(path) for path in paths]
    if not given:
        nothing = Diagnostic("E124", "no source files are given", helps=(_GIVE,))
        return Loaded({}, {}, {}, (nothing,))
    folder = _common_folder(given) if root is None else _resolved(Path(root)) or Path.cwd()
    raised = MAX_RAISED if root is None else 0
    loader = _Loader(folder, raised, relative=not given[0].is_absolute())
    for path in given:
        loader.add_given(path)
    return loader.run()


def _resolved(path: Path) -> Path | None:
    """Follow all links; None for what can't be a path. Links in a circle are left as they are."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError):
        return None


def _common_folder(paths: list[Path]) -> Path:
    """The nearest folder that holds all of `paths`, or is one of them."""
    real = [path for path in map(_resolved, paths) if path is not None]
    folders = [path if os.path.isdir(path) else path.parent for path in real]
    return Path(os.path.commonpath(folders)) if folders else Path.cwd()


def _sources_in(folder: Path) -> list[Path]:
    """List the source files of one folder, at most `MAX_FILES`."""
    try:
        with os.scandir(folder) as entries:
            found = (Path(entry.path) for entry in entries if entry.name.endswith(SUFFIX))
            return list(itertools.islice(found, MAX_FILES))
    except OSError:
        return []


def _read(path: Path, shown: str) -> bytes | Diagnostic:
    """Read a regular file of bounded size, or say why not."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return Diagnostic("E120", f"`{shown}` isn't a regular file", path=shown, helps=(_GIVE,))
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        return _missing(shown)
    except OSError as error:
        return _unreadable(shown, error)
    if len(data) <= MAX_FILE_BYTES:
        return data
    message = f"`{shown}` is larger than {MAX_FILE_BYTES} bytes"
    return Diagnostic("E121", message, path=shown, helps=("split it, and import the parts",))


def _unreadable(shown: str, error: OSError) -> Diagnostic:
    notes = (error.strerror or "unknown reason",)
    return Diagnostic("E120", f"`{shown}` can't be read", path=shown, notes=notes, helps=(_PERMIT,))


def _missing(shown: str) -> Diagnostic:
    helps = ("check its spelling and the folder that you are in",)
    return Diagnostic("E120", f"`{shown}` doesn't exist", path=shown, helps=helps)


def _dangles(path: Path, real: Path) -> bool:
    """Whether links lead from `path` to `real`, where nothing is."""
    return Path(os.path.abspath(path)) != real and not os.path.lexists(real)


def _decode(data: bytes, shown: str) -> tuple[Source, Diagnostic | None]:
    """Give the text of a file without byte-order mark, and what is wrong with its encoding."""
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    try:
        source = Source(shown, data[start:].decode("utf-8"))
    except UnicodeDecodeError as error:
        wrong = f"this isn't UTF-8: byte 0x{error.object[error.start]:02x}"
        source = Source(shown, data[start:].decode("utf-8", errors="replace"))
        at = len(error.object[: error.start].decode("utf-8"))
    else:
        wrong, at = "a source file can't contain NUL characters", source.text.find("\0")
    if at < 0:
        return source, None
    helps = ("save the file as UTF-8 text",)
    return source, Diagnostic("E122", wrong, Span(source, at, at + 1), helps=helps)


class _Loader:
    """Reads what is queued. The root only rises, and names are given at the end: no order of the files matters."""

    def __init__(self, root: Path, raised: int, *, relative: bool) -> None:
        self.root = root
        self.may_become = (root, *root.parents)[: raised + 1]
        self.relative = relative
        self.queue: deque[Path] = deque()
        self.seen: set[Path] = set()
        self.total = 0
        self.modules: dict[Path, nodes.Module] = {}
        self.digests: dict[Path, str] = {}
        self.edges: dict[Path, list[tuple[Path, nodes.Import]]] = {}
        self.waiting: list[tuple[Path, nodes.Import]] = []  # imports that lead out of the root as it is now
        self.diagnostics: list[Diagnostic] = []

    # -------------------------------------------------------------- names

    def name(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def shown(self, path: Path) -> str:
        """Give the path as messages show it."""
        return os.path.relpath(path) if self.relative else str(path)

    def inside(self, path: Path) -> bool:
        return path.is_relative_to(self.root)

    # -------------------------------------------------------------- what to read

    def add_given(self, path: Path) -> None:
        """Queue a given file, or the sources below a given folder; report what can't be."""
        real = _resolved(path)
        if real is None:
            self.diagnostics.append(Diagnostic("E120", f"`{path}` can't be read", path=str(path), helps=(_GIVE,)))
        elif not self.inside(real):
            message = f"`{path}` is outside the source root `{self.shown(self.root)}`"
            self.diagnostics.append(Diagnostic("E131", message, path=str(path)))
        elif _dangles(path, real):
            self.diagnostics.append(self.dangling(path, real))
        elif os.path.isdir(real):
            said = len(self.diagnostics)
            found = self.below(real)
            if not found and len(self.diagnostics) == said:
                message = f"`{path}` contains no file that ends in `{SUFFIX}`"
                helps = ("name the folder that holds the sources; hidden folders and links to folders are passed over",)
                self.diagnostics.append(Diagnostic("E124", message, path=str(path), helps=helps))
            for file in found:
                self.add_found(file)
        elif os.path.exists(real) and real.suffix != SUFFIX:
            message = f"the name of `{path}` doesn't end in `{SUFFIX}`"
            helps = (f"sources end in `{SUFFIX}`: name another file, or rename this one",)
            self.diagnostics.append(Diagnostic("E124", message, path=str(path), helps=helps))
        else:
            self.enqueue(real)

    def below(self, folder: Path) -> list[Path]:
        """List the sources below a folder in order; hidden folders and links to folders are left out.

        Reports folders that can't be read. Stops at one more than may be read.
        """
        found: list[Path] = []

        def report(error: OSError) -> None:
            self.diagnostics.append(_unreadable(self.shown(Path(error.filename)), error))

        for where, folders, files in os.walk(folder, onerror=report):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            found += (Path(where, name) for name in sorted(files) if name.endswith(SUFFIX) and name != SUFFIX)
            if len(found) > MAX_FILES:
                break
        return sorted(found)

    def add_found(self, path: Path) -> None:
        real = _resolved(path)
        if real is None:
            shown = self.shown(path)
            self.diagnostics.append(Diagnostic("E120", f"`{shown}` can't be read", path=shown, helps=(_PERMIT,)))
        elif not self.inside(real):
            shown = self.shown(path)
            message = f"`{shown}` links to a file outside the source root"
            self.diagnostics.append(Diagnostic("E131", message, path=shown))
        elif _dangles(path, real):
            self.diagnostics.append(self.dangling(path, real))
        else:
            self.enqueue(real)

    def dangling(self, path: Path, real: Path) -> Diagnostic:
        """What is wrong with a link, named as it was given or found."""
        shown = str(path) if not path.is_absolute() else self.shown(path)
        message = f"`{shown}` links to `{self.shown(real)}`, which doesn't exist"
        return Diagnostic("E120", message, path=shown, helps=("remove the link, or make what it names",))

    def enqueue(self, path: Path) -> None:
        if path not in self.seen:
            self.seen.add(path)
            self.queue.append(path)

    # -------------------------------------------------------------- reading

    def run(self) -> Loaded:
        while self.queue or self.raise_root():
            if len(self.digests) == MAX_FILES or self.total > MAX_TOTAL_BYTES:
                message = f"more than {MAX_FILES} source files or {MAX_TOTAL_BYTES} bytes of source"
                self.diagnostics.append(Diagnostic("E123", message, helps=("give fewer files or folders",)))
                self.waiting.clear()
                break
            self.read(self.queue.popleft())
        for importer, item in self.waiting:
            self.refuse_far(importer, item)
        edges = {
            self.name(path): [
                (self.name(target), item) for target, item in sorted(found, key=lambda edge: edge[1].span.start)
            ]
            for path, found in self.edges.items()
        }
        self.diagnostics += _cycles(edges)
        return Loaded(
            dict(sorted((self.name(path), module) for path, module in self.modules.items())),
            dict(sorted((self.name(path), digest) for path, digest in self.digests.items())),
            {name: tuple(target for target, _ in edges[name]) for name in sorted(edges)},
            sort_diagnostics(without_uses_of_wrong_names(self.diagnostics)),
        )

    def raise_root(self) -> bool:
        """Raise the root as far as the imports that wait ask for, and follow those that now lead inside.

        Gives whether that queued a file.
        """
        asked = [self.raised_for(importer, item) for importer, item in self.waiting]
        self.root = min(
            [self.root, *(folder for folder in asked if folder is not None)], key=lambda each: len(each.parts)
        )
        again, self.waiting = self.waiting, []
        for importer, item in again:
            self.follow(importer, item)
        return bool(self.queue)

    def raised_for(self, importer: Path, item: nodes.Import) -> Path | None:
        """The folder that the root must become for an import; None if it may not."""
        target = self.upwards(importer, item)
        return target.parent if target is not None and _resolved(target) == target and os.path.isfile(target) else None

    def upwards(self, importer: Path, item: nodes.Import) -> Path | None:
        """What an import names that may raise the root: by steps upwards alone, in a folder that it may become."""
        *steps, name = posixpath.normpath(item.path).split("/")
        folder = importer.parents[len(steps)] if len(steps) < len(importer.parents) else None
        if folder not in self.may_become or set(steps) != {".."} or not name.endswith(SUFFIX):
            return None
        return folder / name

    def refuse_far(self, importer: Path, item: nodes.Import) -> None:
        """Report an import that leads out of the root for good."""
        target = self.upwards(importer, item)
        if target is not None and not os.path.exists(target):
            self.refuse(item, "E130", *self.suggestions(importer, item.path))
            return
        helps = [f"it leads out of the source root `{self.shown(self.root)}`"]
        if len(self.may_become) > 1:
            helps.append("give both files, or a folder that contains both")
        self.refuse(item, "E131", *helps)

    def read(self, path: Path) -> None:
        data = _read(path, self.shown(path))
        if isinstance(data, Diagnostic):
            self.diagnostics.append(data)
            return
        self.total += len(data)
        self.digests[path] = hashlib.sha256(data).hexdigest()
        source, wrong = _decode(data, self.shown(path))
        if wrong is not None:
            self.diagnostics.append(wrong)
            return
        module, diagnostics = parse_text(source)
        self.diagnostics += diagnostics
        if module is not None:
            self.modules[path] = module
            self.edges[path] = []
            for declaration in module.declarations:
                if isinstance(declaration, nodes.Import):
                    self.follow(path, declaration)

    # -------------------------------------------------------------- imports

    def follow(self, importer: Path, item: nodes.Import) -> None:
        """Queue what an import names, or report why not; one that leads out of the root has to wait."""
        target = _resolved(importer.parent / item.path)
        if Path(item.path).is_absolute() or "\\" in item.path:
            self.refuse(item, "E131", "write the path relative to the importing file, with `/` between its parts")
        elif target is not None and not self.inside(target):
            self.waiting.append((importer, item))
        elif target is None or target.suffix != SUFFIX or not os.path.isfile(target):
            self.refuse(item, "E130", *self.suggestions(importer, item.path))
        elif target == importer:
            self.refuse(item, "E132")
        else:
            self.edges[importer].append((target, item))
            self.enqueue(target)

    def refuse(self, item: nodes.Import, code: str, *helps: str) -> None:
        message = {
            "E130": f"can't find `{item.path}`",
            "E131": f"`{item.path}` can't be imported from here",
            "E132": "this file imports itself",
        }[code]
        self.diagnostics.append(Diagnostic(code, message, item.span, helps=helps))

    def suggestions(self, importer: Path, wanted: str) -> list[str]:
        """Name sources like the wanted one: near the importer, where it should be, or already known."""
        if not wanted.endswith(SUFFIX):
            return [f"the path of an import ends in `{SUFFIX}`"]
        target = _resolved(importer.parent / wanted)
        folders = {importer.parent, self.root} | ({target.parent} if target is not None else set())
        near = {path for folder in folders if self.inside(folder) for path in _sources_in(folder)}
        others = sorted((near | self.seen) - {importer})
        known = [Path(os.path.relpath(path, importer.parent)).as_posix() for path in others]
        base = wanted.rpartition("/")[2]
        same = [path for path in known if path.rpartition("/")[2] == base]
        question = did_you_mean(wanted, same, cutoff=0.0) if same else did_you_mean(wanted, known)
        return [question] if question else []


def _cycles(edges: Mapping[str, Sequence[tuple[str, nodes.Import]]]) -> list[Diagnostic]:
    """Report each import that closes a circle. Not recursive: chains of imports may be long."""
    done: set[str] = set()
    found = []
    for start in sorted(edges):
        trail = [start] if start not in done else []
        pending = [iter(edges[start])] if trail else []
        while trail:
            target, item = next(pending[-1], (None, None))
            if target is None or item is None:
                done.add(trail.pop())
                pending.pop()
            elif target in trail:
                circle = [*trail[trail.index(target) :], target]
                note = " imports ".join(f"`{name}`" for name in circle)
                found.append(
                    Diagnostic(
                        "E133",
                        "imports in a circle",
                        item.span,
                        "this import closes the circle",
                        notes=(note,),
                        helps=("move what both need into a file of its own",),
                    )
                )
            elif target not in done:
                trail.append(target)
                pending.append(iter(edges.get(target, ())))
    return found
