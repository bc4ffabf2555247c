"""Loading files, folders and imports; what is refused, and how."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dsl.diagnostics.diagnostic import render_text
from dsl.diagnostics.syntax_codes import LANGUAGE_CODES
from dsl.syntax import loader
from dsl.syntax.loader import Loaded, load

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write files below a folder of their own, which is the current one, so that messages are stable."""
    monkeypatch.chdir(tmp_path)

    def files(**texts: str | bytes) -> Path:
        for name, text in texts.items():
            path = Path(*name.split("__")).with_suffix(".arch")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode() if isinstance(text, str) else text)
        return tmp_path

    return files


def codes(loaded: Loaded) -> list[str]:
    found = [diagnostic.code for diagnostic in loaded.diagnostics]
    assert set(found) <= set(LANGUAGE_CODES)
    return found


def messages(loaded: Loaded) -> str:
    return "\n\n".join(map(render_text, loaded.diagnostics)) + "\n"


def test_folder_loads_in_order_of_names(write: Write) -> None:
    write(src__b="unit b", src__a="unit a", src__z__c="unit c", src__b2__d="unit d")
    Path("src/notes.txt").write_text("unit x")
    Path("src/.hidden").mkdir()
    Path("src/.hidden/e.arch").write_text("unit e")
    loaded = load(["src"])
    assert not loaded.diagnostics
    assert list(loaded.modules) == ["a.arch", "b.arch", "b2/d.arch", "z/c.arch"]
    assert loaded.digests["a.arch"] == hashlib.sha256(b"unit a").hexdigest()


def test_imports_are_followed_from_the_folder_of_their_file(write: Write) -> None:
    write(
        src__units="unit a",
        src__m__system='import "../units.arch"\nimport "parts/one.arch"',
        src__m__parts__one='import "../../units.arch"',
    )
    loaded = load(["src/m/system.arch"], root="src")
    assert not loaded.diagnostics
    assert list(loaded.modules) == ["m/parts/one.arch", "m/system.arch", "units.arch"]
    assert loaded.imports["m/system.arch"] == ("units.arch", "m/parts/one.arch")


def test_default_root_is_raised_to_what_is_imported(write: Write) -> None:
    write(src__units="unit a", src__m__system='import "../units.arch"', src__m__parts__one='import "../system.arch"')
    assert list(load(["src/m/system.arch"]).modules) == ["m/system.arch", "units.arch"]
    assert list(load(["src/m/system.arch", "src/units.arch"]).modules) == ["m/system.arch", "units.arch"]
    for given in ("src/m/parts/one.arch", "src/m", "src"):
        loaded = load([given])
        assert not loaded.diagnostics
        assert list(loaded.modules) == ["m/parts/one.arch", "m/system.arch", "units.arch"]


def test_default_root_does_not_hang_on_files_that_are_not_imported(write: Write) -> None:
    write(w__backup="unit a", w__m__one='import "../backup.arch"', w__m__two="unit b")
    given = [["w"], ["w/backup.arch"], ["w/m"], ["w/m/two.arch"], ["w/m/two.arch", "w/backup.arch"]]
    before = [load(paths) for paths in given]
    write(stray="unit b")
    assert [load(paths).digests for paths in given] == [loaded.digests for loaded in before]
    assert list(before[1].modules) == ["backup.arch"]
    assert list(before[3].modules) == ["two.arch"]


def test_stray_file_above_changes_no_name(write: Write) -> None:
    write(w__m__two="unit b", w__stray="unit c", stray="unit d")
    assert list(load(["w/m"]).modules) == ["two.arch"]


def test_imports_keep_their_order_when_one_raises_the_root(write: Write) -> None:
    write(src__units="unit a", src__m__a='import "../units.arch"\nimport "b.arch"', src__m__b="unit b")
    assert load(["src/m"]).imports["m/a.arch"] == ("units.arch", "m/b.arch")


def test_import_beside_the_given_folder_needs_a_root_that_another_raises(write: Write) -> None:
    write(src__m__a='import "../n/b.arch"', src__n__b="unit b")
    loaded = load(["src/m"])
    assert codes(loaded) == ["E131"]
    assert "give both files, or a folder that contains both" in messages(loaded)
    assert codes(load(["src/m/a.arch", "src/n/b.arch"])) == []
    write(src__units="unit u", src__m__z='import "../units.arch"')
    assert list(load(["src/m"]).modules) == ["m/a.arch", "m/z.arch", "n/b.arch", "units.arch"]


@pytest.mark.parametrize(
    "path",
    ["../../../far.arch", "../n/b.arch", "../../x/y/m/../n/b.arch", "../notes.txt", "../link.arch", "../folder.arch"],
)
def test_import_out_of_the_default_root_is_refused(write: Write, path: str) -> None:
    root = write(x__y__m__a=f'import "{path}"', x__y__n__b="unit b", far="unit f")
    Path("x/y/notes.txt").write_text("secret")
    Path("x/y/link.arch").symlink_to(root / "far.arch")
    Path("x/y/folder.arch").mkdir()
    loaded = load(["x/y/m"])
    assert codes(loaded) == ["E131"]
    assert list(loaded.digests) == ["a.arch"]


def test_default_root_is_raised_by_two_levels_in_all(write: Write) -> None:
    write(x__y__m__a='import "../../b.arch"', x__b='import "../c.arch"', c="unit c")
    loaded = load(["x/y/m"])
    assert codes(loaded) == ["E131"]
    assert list(loaded.digests) == ["b.arch", "y/m/a.arch"]


def test_missing_import_above_the_root_is_not_found(write: Write) -> None:
    write(src__m__a='import "../unitz.arch"\nimport "../units.arch"', src__units="unit a")
    loaded = load(["src/m"])
    assert codes(loaded) == ["E130"]
    assert "did you mean `../units.arch`?" in messages(loaded)
    write(src__m__a='import "../unitz.arch"')
    assert codes(load(["src/m"])) == ["E130"]


def test_file_given_twice_or_through_a_link_loads_once(write: Write) -> None:
    write(src__a="unit a")
    Path("src/b.arch").symlink_to("a.arch")
    loaded = load(["src/a.arch", "src", "src/../src/b.arch"])
    assert list(loaded.modules) == ["a.arch"]


def test_names_do_not_depend_on_how_paths_are_given(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(src__a="unit a", src__m__b="unit b")
    relative, absolute = load(["src"]), load([root / "src"])
    monkeypatch.chdir("src/m")
    assert relative.digests == absolute.digests == load([".."]).digests


def test_messages_show_paths_as_given(write: Write) -> None:
    root = write(src__a="unit =")
    assert "--> src/a.arch:1:6" in messages(load(["src"]))
    assert f"--> {root}/src/a.arch:1:6" in messages(load([root / "src"]))


@pytest.mark.parametrize("path", ["../secret.arch", "../../etc/passwd", "m/../../secret.arch"])
def test_import_out_of_the_root_is_refused(write: Write, path: str) -> None:
    write(src__a=f'import "{path}"', secret="unit a")
    loaded = load(["src"], root="src")
    assert codes(loaded) == ["E131"]
    assert list(loaded.digests) == ["a.arch"]


def test_import_of_an_absolute_path_is_refused(write: Write) -> None:
    root = write(src__b="unit b")
    write(src__a=f'import "{root}/src/b.arch"')
    assert codes(load(["src"])) == ["E131"]


def test_import_out_of_the_root_through_a_link_is_refused(write: Write) -> None:
    write(src__a='import "b.arch"', secret__b="unit b")
    Path("src/b.arch").symlink_to("../secret/b.arch")
    Path("src/folder").symlink_to("../secret")
    assert codes(load(["src/a.arch"], root="src")) == ["E131"]
    write(src__a='import "folder/b.arch"')
    assert codes(load(["src/a.arch"], root="src")) == ["E131"]
    loaded = load(["src"], root="src")
    assert codes(loaded) == ["E131", "E131"]
    assert list(loaded.digests) == ["a.arch"]


def test_given_path_out_of_the_root_is_refused(write: Write) -> None:
    write(src__a="unit a", other__b="unit b")
    loaded = load(["src", "other/b.arch"], root="src")
    assert codes(loaded) == ["E131"]
    assert list(loaded.digests) == ["a.arch"]


def test_missing_import_is_told_with_names_like_it(write: Write, golden: Callable[[str, Path], None]) -> None:
    write(
        src__units="unit a",
        src__m__system="unit s",
        src__m__a='import "unit.arch"\nimport "sytsem.arch"\nimport "system"\nimport "b\\\\c.arch"\nimport ""\n',
    )
    loaded = load(["src/m/a.arch", "src/units.arch"])
    assert codes(loaded) == ["E130", "E130", "E130", "E131", "E130"]
    golden(messages(loaded), Path(__file__).parents[1] / "bad" / "imports.expect")


def test_import_of_a_folder_is_not_found(write: Write) -> None:
    write(src__a='import "b.arch"')
    Path("src/b.arch").mkdir()
    assert codes(load(["src"])) == ["E130"]


def test_import_of_itself_is_refused(write: Write) -> None:
    write(src__a='import "../src/a.arch"')
    assert codes(load(["src"])) == ["E132"]


def test_circle_of_imports_is_told_with_its_names(write: Write) -> None:
    write(src__a='import "b.arch"', src__b='import "c.arch"\nimport "d.arch"', src__c='import "a.arch"', src__d="")
    loaded = load(["src"])
    assert codes(loaded) == ["E133"]
    assert "`a.arch` imports `b.arch` imports `c.arch` imports `a.arch`" in messages(loaded)
    assert "--> src/c.arch:1:1" in messages(loaded)


def test_file_imported_by_two_others_is_no_circle(write: Write) -> None:
    write(src__a='import "b.arch"\nimport "c.arch"', src__b='import "d.arch"', src__c='import "d.arch"', src__d="")
    assert codes(load(["src"])) == []


@pytest.mark.slow
def test_long_chain_of_imports_loads(write: Write) -> None:
    write(**{f"src__f{i:03}": f'import "f{i + 1:03}.arch"' for i in range(400)}, src__f400="unit a")
    loaded = load(["src/f000.arch"])
    assert not loaded.diagnostics
    assert len(loaded.modules) == 401


def test_nothing_to_read_is_told(write: Write) -> None:
    write(other__a="unit a")
    Path("empty").mkdir()
    Path("notes.txt").write_text("unit a")
    assert codes(load([])) == ["E124"]
    assert codes(load(["empty"])) == ["E124"]
    assert codes(load(["notes.txt"])) == ["E124"]
    assert codes(load(["missing.arch"])) == ["E120"]
    assert codes(load(["missing"])) == ["E120"]


def test_what_is_no_regular_file_is_not_opened(write: Write) -> None:
    write(src__a="unit a")
    os.mkfifo("src/pipe.arch")
    loaded = load(["src"])
    assert codes(loaded) == ["E120"]
    assert list(loaded.modules) == ["a.arch"]


def test_links_in_a_circle_are_told(write: Write) -> None:
    write(src__a="unit a")
    Path("src/loop.arch").symlink_to("loop.arch")
    Path("src/up").symlink_to(".")
    assert codes(load(["src"])) == ["E120"]
    assert codes(load(["src/loop.arch"])) == ["E120"]


def test_unreadable_folder_is_told(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write(src__a="unit a", src__sub__b="unit b")
    scandir = os.scandir

    def refuses(path: str) -> object:
        if Path(path).name == "sub":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr("os.scandir", refuses)
    (told,) = load(["src"]).diagnostics
    assert (told.code, told.path, told.notes) == ("E120", "src/sub", ("Permission denied",))
    assert codes(load(["src/sub"])) == ["E120"]  # and not that it holds no sources


def test_unreadable_file_is_told(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write(src__a="unit a")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    loaded = load(["src"])
    assert codes(loaded) == ["E120"]
    assert "Permission denied" in messages(loaded)


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"unit MiB\n# \xff\n", "2:3"),
        (b"\xff\xfeu\0n\0i\0t\0", "1:1"),
        (b"# \xc3", "1:3"),
        ('# "é"\nunit a\0b'.encode(), "2:7"),
        (b"# \xed\xa0\x80", "1:3"),
    ],
)
def test_file_that_is_not_utf8_is_told(write: Write, data: bytes, place: str) -> None:
    write(src__a=data)
    loaded = load(["src"])
    assert codes(loaded) == ["E122"]
    assert f"--> src/a.arch:{place}" in messages(loaded)
    assert loaded.digests == {"a.arch": hashlib.sha256(data).hexdigest()}


def test_byte_order_mark_and_line_ends_do_not_matter(write: Write) -> None:
    write(src__a="unit MiB\n", src__b=b"\xef\xbb\xbfunit MiB\r\n")
    loaded = load(["src"])
    assert not loaded.diagnostics
    assert loaded.modules["a.arch"] == loaded.modules["b.arch"]
    assert loaded.digests["a.arch"] != loaded.digests["b.arch"]


def test_large_file_is_refused_unread(write: Write) -> None:
    write(src__a="unit a\n" * (10 * 2**20 // 7))
    loaded = load(["src"])
    assert codes(loaded) == ["E121"]
    assert not loaded.digests


def test_file_of_the_largest_size_is_read(write: Write) -> None:
    write(src__a="unit a\n" + "#" * (loader.MAX_FILE_BYTES - 7))
    assert not load(["src"]).diagnostics


def test_too_many_files_are_refused(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write(**{f"src__f{i}": f'import "../more/f{i}.arch"' for i in range(3)}, **{f"more__f{i}": "" for i in range(3)})
    monkeypatch.setattr(loader, "MAX_FILES", 5)
    loaded = load(["src"], root=".")
    assert codes(loaded) == ["E123"]
    assert len(loaded.digests) == 5
    monkeypatch.setattr(loader, "MAX_FILES", 6)
    assert not load(["src"], root=".").diagnostics


def test_too_much_source_in_all_is_refused(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write(src__a="#" * 60, src__b="#" * 60, src__c="#" * 60)
    monkeypatch.setattr(loader, "MAX_TOTAL_BYTES", 100)
    loaded = load(["src"])
    assert codes(loaded) == ["E123"]
    assert list(loaded.digests) == ["a.arch", "b.arch"]


def test_errors_in_several_files_are_all_told(write: Write) -> None:
    write(src__a="unit =", src__b='import "a.arch"\nimport "missing.arch"', src__c="const c = 1 / 2")
    loaded = load(["src"])
    assert codes(loaded) == ["E101", "E130", "E108"]
    assert list(loaded.modules) == ["b.arch"]
    assert list(loaded.digests) == ["a.arch", "b.arch", "c.arch"]


@pytest.mark.parametrize("given", ["src/dang.arch", "src", "src/gone/a.arch"])
def test_a_link_to_nothing_is_told_by_its_own_name(write: Write, given: str) -> None:
    write()
    Path("src").mkdir()
    Path("src/dang.arch").symlink_to("nowhere.arch")
    Path("src/gone").symlink_to("no-folder")
    (found,) = load([Path(given)]).diagnostics
    named, target = ("src/gone/a.arch", "no-folder/a.arch") if "gone" in given else ("src/dang.arch", "nowhere.arch")
    assert (found.code, found.path) == ("E120", named)
    assert found.message == f"`{named}` links to `src/{target}`, which doesn't exist"


def test_a_file_that_does_not_exist_is_told_with_one_help(write: Write) -> None:
    write()
    (found,) = load([Path("b.arch")]).diagnostics
    assert (found.message, found.helps) == (
        "`b.arch` doesn't exist",
        ("check its spelling and the folder that you are in",),
    )
