"""Random systems written as prompts, with a slow evaluator that shares nothing with the reader.

Expressions are nested tuples; `show` writes them as the prompt does, `Model.value` computes them
by plain recursion. `Model.worlds` tries every hidden assignment, `Model.walk` follows the runbook, and `Model.rivals`
tries every repair. `synthetic_draws` draws models.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import Any

World = dict[str, Any]
ENUM = ("red", "green", "dark blue")


def show(e: Any) -> str:
    match e:
        case bool():
            return "true" if e else "false"
        case int():
            return str(e) if e >= 0 else f"(-{-e})"
        case str():
            return e
        case ("word", word):
            return f'"{word}"'
        case ("+" | "-" | "*" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "and" | "or" | "implies" | "mod" as op, a, b):
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
            return f"(if {show(c)} then {show(a)} else {show(b)})"
        case ("in", a, options):
            return f"({show(a)} in {{{', '.join(show(o) for o in options)}}})"
        case ("lookup", key):
            return f"rate[{show(key)}]"
        case ("with", body, changes):
            return f"({show(body)} with {', '.join(f'{n} = {show(v)}' for n, v in changes)})"
        case ("before", body):
            return f"before({show(body)})"
    raise AssertionError(e)


@dataclass
class Model:
    """A random system. `domains` lists best values first; `shown` maps a relation to its ratio and decimals."""

    domains: dict[str, list[Any]]
    locked: set[str]
    facts: dict[str, list[Any]]
    hidden: dict[str, list[Any]]
    relations: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, tuple[int, int] | None] = field(default_factory=dict)
    events: dict[str, tuple[Any, list[tuple[str, Any]]]] = field(default_factory=dict)
    sound: Any = True
    valid: Any = True
    keeps: list[tuple[str, str]] = field(default_factory=list)
    rules: list[dict[str, Any]] = field(default_factory=list)
    rate: dict[str, int] = field(default_factory=dict)

    def value(self, e: Any, w: World, before: World | None = None) -> Any:
        def of(x: Any) -> Any:
            return self.value(x, w, before)

        match e:
            case bool() | int():
                return e
            case str():
                return w[e] if e in w else self.value(self.relations[e], w, before)
            case ("word", word):
                return word
            case ("+", a, b):
                return of(a) + of(b)
            case ("-", a, b):
                return of(a) - of(b)
            case ("*", a, b):
                return of(a) * of(b)
            case ("mod", a, b):
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
            case ("==", a, b):
                return of(a) == of(b)
            case ("!=", a, b):
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
            case ("implies", a, b):
                return (not of(a)) or of(b)
            case ("not", a):
                return not of(a)
            case ("if", c, a, b):
                return of(a) if of(c) else of(b)
            case ("in", a, options):
                return any(of(a) == of(o) for o in options)
            case ("lookup", key):
                return self.rate[of(key)]
            case ("with", body, changes):
                return self.value(body, {**w, **{n: of(v) for n, v in changes}}, before)
            case ("before", body):
                assert before is not None
                return self.value(body, before, before)
        raise AssertionError(e)

    def printed(self, name: str, value: Any) -> str:
        note = self.shown.get(name)
        if note is None:
            return literal(value)
        ratio, decimals = note
        scaled = floor(Fraction(value * 10**decimals, ratio) + Fraction(1, 2))
        digits = str(abs(scaled)).rjust(decimals + 1, "0")
        text = f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits
        return f"{'-' if scaled < 0 else ''}{text} kU"

    def evidence(self, w: World) -> str:
        """Write the instance part of the prompt."""
        lines = ["## Config"]
        lines += [f"{name} = {literal(w[name])}" for name in (*self.domains, *self.facts)]
        lines += ["", "## Profiler"]
        lines += [f"{name} = {self.printed(name, self.value(name, w))}" for name in self.shown]
        lines += ["", "## Log"]
        for name, (when, attributes) in self.events.items():
            if self.value(when, w):
                shown = ", ".join(f"{a}={literal(self.value(e, w))}" for a, e in attributes)
                lines.append(f"[{name}] something (happened)" + (f" ({shown})" if shown else ""))
        return "\n".join(lines) + "\n"

    def static(self) -> str:
        lines = ["# Random system", "", "Intro.", "", "## Answer", "JSON.", "", "## Diagnosis codes"]
        lines += [f"- {rule['code']}: title" for rule in self.rules] + ["- HEALTHY: fine", "", "## Fields"]
        for rank, (name, values) in enumerate(self.domains.items(), 1):
            locked = " (locked)" if name in self.locked else ""
            lines.append(f"{rank}. {name}{locked}: {', '.join(literal(v) for v in values)} | text")
        lines += ["", "## Facts", *(f"- {name} | text" for name in self.facts), "", "## Hidden quantities"]
        lines += [f"- {name}: {', '.join(literal(v) for v in values)} | text" for name, values in self.hidden.items()]
        lines += ["", "## Relations"]
        for name, e in self.relations.items():
            head = name
            if name in self.shown:
                note = self.shown[name]
                if note is None:
                    head += " (printed)"
                else:
                    plural = "" if note[1] == 1 else "s"
                    head += f" [U] (printed as kU to {note[1]} decimal{plural}, 1 kU = {note[0]} U)"
            lines.append(f"- {head} = `{show(e)}` | text")
        table = ", ".join(f"{literal(k)} {v}" for k, v in self.rate.items())
        lines += ["", "## Tables", f"- rate: {table} | text", "", "## Log events"]
        for name, (when, attributes) in self.events.items():
            lines.append(f"- {name}: " + ("always" if when is True else f"when `{show(when)}`") + " | text")
            lines += [f"  - {a} = `{show(e)}`" for a, e in attributes]
        lines += ["", "## Conditions", f"- every run satisfies `{show(self.valid)}` | text"]
        lines += [f"- a run is sound when `{show(self.sound)}` | text", "", "## Runbook", "Walk."]
        verbs = {"equal": "changes", "not above": "raises", "not below": "lowers"}
        lines += [f"- no repair {verbs[sense]} `{name}`" for name, sense in self.keeps]
        for number, rule in enumerate(self.rules, 1):
            lines += [f"{number}. {rule['code']}: title", f"   when `{show(rule['when'])}`"]
            for at, alternative in enumerate(rule["sets"]):
                sets = "; ".join(
                    f"{name} = `{show(e)}`" if pick == "value" else f"{name} = {pick} where `{show(e)}`"
                    for name, pick, e in alternative
                )
                lines.append(f"   {'else ' if at else ''}set {sets}")
            if rule["keeps"]:
                kept = ", ".join(f"`{n}`" + ("" if sense == "equal" else f" {sense}") for n, sense in rule["keeps"])
                lines.append(f"   keep {kept}")
        return "\n".join(lines) + "\n\n"

    def worlds(self, shown: World) -> list[World]:
        """List every valid world that prints what `shown` prints."""
        evidence = self.evidence(shown)
        found = []
        for values in itertools.product(*self.hidden.values()):
            world = {**shown, **dict(zip(self.hidden, values, strict=True))}
            if self.value(self.valid, world) and self.evidence(world) == evidence:
                found.append(world)
        return found

    def walk(self, start: World) -> tuple[str, tuple[str, ...], World, list[tuple[World, dict[str, Any], set[str]]]]:
        """Follow the runbook: ending, codes, fix, and per step the state, the rule and the fields set."""
        now, steps = start, []
        while True:
            rule = next((r for r in self.rules if self.value(r["when"], now)), None)
            codes = tuple(step[1]["code"] for step in steps)
            if rule is None:
                fix = {name: now[name] for name in self.domains if now[name] != start[name]}
                if not self.value(self.sound, now):
                    return ("unsound" if steps else "uncovered"), codes, fix, steps
                if not steps:
                    return "healthy", codes, fix, steps
                return ("answer" if fix else "empty fix"), codes, fix, steps
            if rule["code"] in codes:
                return "repeated rule", codes, {}, steps
            if len(steps) == 2:
                return "too many codes", codes, {}, steps
            for alternative in rule["sets"]:
                then: World | None = now
                for name, pick, e in alternative:
                    then = self.choose(name, pick, e, then, now)
                    if then is None:
                        break
                if then is not None:
                    break
            else:
                return "no value", codes, {}, steps
            assert then is not None
            steps.append((now, rule, {name for name, _, _ in alternative}))
            now = then
            if not self.value(self.valid, now):
                return "invalid state", (*codes, rule["code"]), {}, steps

    def choose(self, name: str, pick: str, e: Any, now: World, before: World) -> World | None:
        values = self.domains[name]
        if pick == "value":
            value = self.value(e, now, before)
            return {**now, name: value} if value in values else None
        order = {"first": values, "largest": sorted(values, reverse=True), "smallest": sorted(values)}[pick]
        for value in order:
            then = {**now, name: value}
            if self.value(e, then, before):
                return then
        return None

    def is_repair(self, start: World, steps: list[Any], repair: World) -> bool:
        """Say whether a repair holds in the world `start`, whose walk took `steps`."""
        new = {**start, **repair}
        named = set().union(*(fields for _, _, fields in steps))
        kept = [(start, name, sense) for name, sense in self.keeps]
        kept += [(now, name, sense) for now, rule, _ in steps for name, sense in rule["keeps"] if name not in named]
        for old, name, sense in kept:
            a, b = self.value(name, old), self.value(name, new)
            if {"equal": a != b, "not above": b > a, "not below": b < a}[sense]:
                return False
        if not self.value(self.valid, new) or not self.value(self.sound, new):
            return False
        return not any(self.value(rule["when"], new) for rule in self.rules)

    def cost(self, start: World, repair: World) -> Any:
        ranks = [at for at, name in enumerate(self.domains) if name in repair and repair[name] != start[name]]
        names = [list(self.domains)[at] for at in ranks]
        return len(ranks), ranks, [self.domains[name].index(repair[name]) for name in names]

    def rivals(self, worlds: list[World], fix: World) -> list[World]:
        """List the repairs over the first world's named fields that cost no more than the fix."""
        home, walks = worlds[0], [self.walk(world)[3] for world in worlds]
        names = [name for name in self.domains if any(name in fields for _, _, fields in walks[0])]
        found = []
        for values in itertools.product(*(self.domains[name] for name in names)):
            repair = {n: v for n, v in zip(names, values, strict=True) if v != home[n]}
            if repair == fix or self.cost(home, repair) > self.cost(home, fix):
                continue
            if all(self.is_repair(w, steps, repair) for w, steps in zip(worlds, walks, strict=True)):
                found.append(repair)
        return sorted(found, key=lambda repair: self.cost(home, repair))


def literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and " " in value:
        return f'"{value}"'
    return str(value)
