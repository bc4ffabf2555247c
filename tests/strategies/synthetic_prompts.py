"""Random systems written as pages, with a slow evaluator that shares nothing with the reader.

Expressions are nested tuples; `show` writes them as a page does, `Model.value` computes them by plain recursion.
`Model.worlds` tries every hidden assignment, and `Model.walk` follows the runbook. `synthetic_draws` draws models.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import Any

from strategies.prompt_texts import handbook, run_part

World = dict[str, Any]
ENUM = ("red", "green", "dark_blue")
FORMS = ("yaml", "toml", "json", "sh", "text")
BETWEEN = ("+", "-", "*", "==", "!=", "<", "<=", ">", ">=", "is", "is not", "and", "or", "%")


def show(e: Any) -> str:
    match e:
        case bool():
            return "true" if e else "false"
        case int():
            return str(e) if e >= 0 else f"(-{-e})"
        case str():
            return e
        case ("word", word):
            return str(word)
        case (op, a, b) if op in BETWEEN:
            return f"({show(a)} {op} {show(b)})"
        case ("floor" | "ceil" as op, a, b):
            return f"{op}({show(a)} / {show(b)})"
        case ("min" | "max" as op, a, b):
            return f"{op}({show(a)}, {show(b)})"
        case ("abs", a):
            return f"abs({show(a)})"
        case ("not", a):
            return f"(not {show(a)})"
        case ("if", c, a, b):
            return f"({show(a)} if {show(c)} else {show(b)})"
        case ("in", a, options):
            return f"({show(a)} in {{{', '.join(show(o) for o in options)}}})"
        case ("lookup", key):
            return f"rate[{show(key)}]"
        case ("with", body, changes):
            return f"({show(body)})[{', '.join(f'{n}={show(v)}' for n, v in changes)}]"
        case ("before" | "printed" as op, body):
            return f"{op}({show(body)})"
    raise AssertionError(e)


def exact(value: int, parts: int, *, scientific: bool) -> str:
    """Write value / parts, where parts is a power of ten, with all its decimals."""
    number = Fraction(value, parts)
    power = 0
    if scientific and number:
        while abs(number) >= 10:
            number, power = number / 10, power + 1
        while abs(number) < 1:
            number, power = number * 10, power - 1
    text = f"{float(number):.9f}".rstrip("0").rstrip(".")
    return f"{text}e{power}" if scientific and number else text


def rounded(value: int, ratio: int, decimals: int) -> str:
    scaled = floor(Fraction(value * 10**decimals, ratio) + Fraction(1, 2))
    digits = str(abs(scaled)).rjust(decimals + 1, "0")
    text = f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits
    return f"{'-' if scaled < 0 else ''}{text}"


@dataclass
class Shown:
    """How a value is printed: plainly, in a unit `ratio` of which make one, or exactly in parts of one."""

    unit: str = ""
    ratio: int = 1
    decimals: int = 0
    parts: int = 0

    def note(self) -> str:
        if self.parts:
            return f"scientific, x 1e-{len(str(self.parts)) - 1}"
        if not self.unit:
            return ""
        return f"{self.unit}, {self.decimals} decimal{'' if self.decimals == 1 else 's'}"

    def text(self, value: Any, between: str = " ") -> str:
        if self.parts:
            return exact(value, self.parts, scientific=True)
        return rounded(value, self.ratio, self.decimals) + between + self.unit if self.unit else literal(value)


@dataclass
class Measure:
    """A value of the profiler; `n/a` unless `when` holds."""

    value: Any
    shown: Shown
    when: Any = True


@dataclass
class Event:
    """A line for each of `at`, or one line; `placed` says when it stands before the line of `before`."""

    when: Any = True
    attributes: dict[str, tuple[Any, Shown]] = field(default_factory=dict)
    at: tuple[int, ...] = ()
    before: str = ""
    placed: Any = False


@dataclass
class Model:
    """A random system. `domains` lists best values first."""

    domains: dict[str, list[Any]]
    fixed: dict[str, list[Any]]
    hidden: dict[str, list[Any]]
    rate: dict[str, int]
    form: str
    relations: dict[str, Any] = field(default_factory=dict)
    profiler: dict[str, Measure] = field(default_factory=dict)
    events: dict[str, Event] = field(default_factory=dict)
    stated: Any = True
    rules: list[dict[str, Any]] = field(default_factory=list)

    def value(self, e: Any, w: World, back: World | None = None) -> Any:
        """Compute `e` in the world `w`; `back` is the earlier state that it may look back at."""

        def of(x: Any) -> Any:
            return self.value(x, w, back)

        match e:
            case bool() | int():
                return e
            case "rate":
                return self.rate[w["colour"]]
            case str():
                return w[e] if e in w else self.value(self.relations[e], w, back)
            case ("word", word):
                return word
            case ("+", a, b):
                return of(a) + of(b)
            case ("-", a, b):
                return of(a) - of(b)
            case ("*", a, b):
                return of(a) * of(b)
            case ("%", a, b):
                x, y = of(a), of(b)
                return x - y * floor(Fraction(x, y))
            case ("floor", a, b):
                return floor(Fraction(of(a), of(b)))
            case ("ceil", a, b):
                return -floor(-Fraction(of(a), of(b)))
            case ("min", a, b):
                return min(of(a), of(b))
            case ("max", a, b):
                return max(of(a), of(b))
            case ("abs", a):
                return abs(of(a))
            case ("==" | "is", a, b):
                return of(a) == of(b)
            case ("!=" | "is not", a, b):
                return of(a) != of(b)
            case ("<", a, b):
                return of(a) < of(b)
            case ("<=", a, b):
                return of(a) <= of(b)
            case (">", a, b):
                return of(a) > of(b)
            case (">=", a, b):
                return of(a) >= of(b)
            case ("and", a, b):
                return of(a) and of(b)
            case ("or", a, b):
                return of(a) or of(b)
            case ("not", a):
                return not of(a)
            case ("if", c, a, b):
                return of(a) if of(c) else of(b)
            case ("in", a, options):
                return any(of(a) == of(o) for o in options)
            case ("lookup", key):
                return self.rate[of(key)]
            case ("with", body, changes):
                return self.value(body, {**w, **{n: of(v) for n, v in changes}}, back)
            case ("before" | "printed", body):
                assert back is not None
                return self.value(body, back, back)
        raise AssertionError(e)

    def setting(self, name: str, value: Any) -> str:
        """Write a value as the config does."""
        if name == "gain":
            return exact(value, 100_000, scientific=True)
        if name == "share":
            return exact(value, 100, scientific=False)
        return rounded(value, 10, 0) if name == "head" else literal(value)

    def config(self, w: World) -> str:
        """Write the config, its second half in a group."""
        names = [*self.domains, *self.fixed]
        first, second = names[: len(names) // 2], names[len(names) // 2 :]
        words = {name for name in names if isinstance(w[name], str)}

        def quoted(name: str) -> str:
            return json.dumps(w[name]) if name in words else self.setting(name, w[name])

        match self.form:
            case "yaml":
                lines = [f"{name}: {self.setting(name, w[name])}" for name in first]
                lines += ["rest:", *(f"  {name}: {self.setting(name, w[name])}" for name in second)]
            case "toml":
                lines = [f"{name} = {quoted(name)}" for name in first]
                lines += ["[rest]", *(f"{name} = {quoted(name)}" for name in second)]
            case "json":
                inner = ", ".join(f'"{name}": {quoted(name)}' for name in second)
                lines = ["{", *(f'  "{name}": {quoted(name)},' for name in first), f'  "rest": {{{inner}}}', "}"]
            case "sh":
                lines = [f"--{name} {self.setting(name, w[name])}" for name in first]
                lines += [f"--rest.{name} {self.setting(name, w[name])}" for name in second]
            case _:
                lines = [f"{name} = {self.setting(name, w[name])}" for name in first]
                lines += [f"rest.{name} = {self.setting(name, w[name])}" for name in second]
        return "\n".join(lines)

    def evidence(self, w: World) -> str:
        """Write the run part of the page."""
        values = ["chatter 3.5 ms"]
        for name, measure in self.profiler.items():
            there = self.value(measure.when, w)
            values.append(f"{name} {measure.shown.text(self.value(measure.value, w)) if there else 'n/a'}")
        rows = [" | ".join(values[at : at + 4]) for at in range(0, len(values), 4)]
        return run_part(self.config(w), "\n".join(rows), "\n".join(self.log(w)), form=self.form)

    def log(self, w: World) -> list[str]:
        groups: list[tuple[str, list[str]]] = []
        for name, event in self.events.items():
            lines = []
            for at in event.at or (0,):
                seen = {**w, "step": at}
                if self.value(event.when, seen):
                    parts = [f"step={at}"] if event.at else []
                    parts += [
                        f"{a}={shown.text(self.value(e, seen), '')}" for a, (e, shown) in event.attributes.items()
                    ]
                    lines.append(f"{name}: something (happened) {' '.join(parts)}".rstrip())
            if lines:
                others = [other for other, _ in groups]
                place = len(groups)
                if event.before in others and self.value(event.placed, w):
                    place = others.index(event.before)
                groups.insert(place, (name, lines))
        return ["chatter: e0=4 step=1 amount=2", *(line for _, lines in groups for line in lines)]

    def static(self) -> str:
        fields = [
            f"{name}: {', '.join(self.setting(name, v) for v in values)}" for name, values in self.domains.items()
        ]
        notes = {"gain": "  # of something; formulas count in 1e-5", "share": "  # formulas count in 1/100"}
        fields = [line + notes.get(line.partition(":")[0], "  # text") for line in fields]
        heads = ", ".join(map(str, self.fixed["head"]))
        table = ["One table, a row for each colour; its columns stand for the row of this run."]
        table[0] += " NAME[x] is the entry of row x." if "rate[" in self.formulas() else ""
        table += ["rate  # some rate", "| colour | rate |", "|---|---|"]
        table += [f"| {key} | {entry} |" for key, entry in self.rate.items()]
        units = {shown.unit: shown.ratio for shown in self.all_shown() if shown.unit}
        ratios = " ".join(f"1 {unit} = {ratio} U." for unit, ratio in {**units, "dm": 10}.items())
        relations = [f"{name} = {show(e)}  # text" for name, e in self.relations.items()]
        return handbook(
            "Random system",
            fields="\n".join(fields),
            fixed=f"count  # text\nhead: {heads} (dm, 0 decimals)  # text",
            hidden="\n".join(
                f"{name}: {', '.join(literal(v) for v in values)}" for name, values in self.hidden.items()
            ),
            relations="\n".join([*table, ratios, *relations, f"Always: {show(self.stated)}  # text"]),
            observations="\n".join(self.observations()),
            runbook="\n".join(self.runbook()),
        )

    def all_shown(self) -> list[Shown]:
        attributes = [shown for event in self.events.values() for _, shown in event.attributes.values()]
        return [*(measure.shown for measure in self.profiler.values()), *attributes]

    def formulas(self) -> str:
        relations = [show(e) for e in self.relations.values()]
        return "\n".join([*relations, show(self.stated), *self.observations(), *self.runbook()])

    def observations(self) -> list[str]:
        lines = []
        for name, measure in self.profiler.items():
            notes = [measure.shown.note(), "" if measure.when is True else f"n/a unless {show(measure.when)}"]
            comment = "; ".join(note for note in notes if note)
            head = name if measure.value == name else f"{name} = {show(measure.value)}"
            lines.append(head + (f"  # {comment}" if comment else ""))
        for name, event in self.events.items():
            head = name + (f" (step = {', '.join(map(str, event.at))})" if event.at else "")
            attributes = ", ".join(
                f"{a} = {show(e)}" + (f" ({shown.note()})" if shown.note() else "")
                for a, (e, shown) in event.attributes.items()
            )
            there = "" if event.when is True else f"there if {show(event.when)}"
            if attributes or event.at:
                head += f", {there}" if there else ""
                head += f": {attributes}" if attributes else ""
            elif there:
                head += f": {there}"
            place = f"stands before {event.before} if {show(event.placed)}" if event.before else ""
            if not attributes and not there:
                lines += [f"{head}: {place}"] if place else []
            else:
                lines.append(head + (f"; {place}" if place else ""))
        return lines

    def runbook(self) -> list[str]:
        lines = []
        for number, rule in enumerate(self.rules, 1):
            lines.append(f"{number}. {rule['code']}: {show(rule['when'])}  # title")
            for at, alternative in enumerate(rule["sets"]):
                sets = ", ".join(
                    f"{name} = {show(e)}" if pick == "value" else f"{name} = {pick} {show(e)}"
                    for name, pick, e in alternative
                )
                lines.append(f"   {'else' if at else '->'} {sets}")
        return lines

    def worlds(self, shown: World) -> list[World]:
        """List every world that prints what `shown` prints and of which all holds that the page says of every run."""
        evidence = self.evidence(shown)
        found = []
        for values in itertools.product(*self.hidden.values(), self.fixed["head"]):
            world = {**shown, **dict(zip([*self.hidden, "head"], values, strict=True))}
            if self.value(self.stated, world) and self.evidence(world) == evidence:
                found.append(world)
        return found

    def walk(self, start: World) -> tuple[str, tuple[str, ...], World]:
        """Follow the runbook: ending, codes and fix."""
        now, codes = start, ()
        while True:
            rule = next((r for r in self.rules if self.value(r["when"], now, start)), None)
            if rule is None:
                fix = {name: now[name] for name in self.domains if now[name] != start[name]}
                return ("answer" if codes else "healthy"), codes, fix
            if rule["code"] in codes:
                return "repeated rule", codes, {}
            if len(codes) == 2:
                return "too many codes", codes, {}
            for alternative in rule["sets"]:
                then: World | None = now
                for name, pick, e in alternative:
                    then = self.choose(name, pick, e, then, now)
                    if then is None:
                        break
                if then is not None:
                    break
            else:
                return "no value", codes, {}
            assert then is not None
            codes = (*codes, rule["code"])
            now = then
            if not self.value(self.stated, now):
                return "invalid state", codes, {}

    def choose(self, name: str, pick: str, e: Any, now: World, back: World) -> World | None:
        values = self.domains[name]
        if pick == "value":
            value = self.value(e, now, back)
            return {**now, name: value} if value in values else None
        word, way = pick.split(" ")
        order = {"first": values, "largest": sorted(values, reverse=True), "smallest": sorted(values)}[word]
        for value in order:
            then = {**now, name: value}
            if self.value(e, then, back) if way == "with" else self.value(e, then) == self.value(e, back):
                return then
        return None


def literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
