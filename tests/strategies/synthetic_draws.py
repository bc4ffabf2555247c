"""Draws random systems for `synthetic_prompts`: fields, relations, printed values, events and rules of every kind."""

from __future__ import annotations

import random
from typing import Any

from strategies.synthetic_prompts import ENUM, FORMS, Event, Measure, Model, Shown, World


class Maker:
    """Draws a model. Numbers stay small; divisors are positive constants."""

    def __init__(self, seed: int, *, relations: int = 8, rules: int = 3, hidden: tuple[int, ...] = (3, 2, 4)) -> None:
        self.draw = random.Random(seed)
        self.model = Model(
            domains={
                "speed": [8, 4, 2, 1],
                "load": [1, 2, 3, 5, 7],
                "colour": list(ENUM),
                "fast": [False, True],
                "level": [-2, -1, 0, 1, 2],
                "gain": [0, 5, 10, 150],
                "share": [25, 50, 100],
            },
            fixed={"count": [1, 2, 8], "paint": ["red", "green"], "size": [64, 16, 128], "head": [10, 14, 15, 26]},
            hidden={f"h{at}": list(range(at, at + n)) for at, n in enumerate(hidden)},
            rate={"red": 5, "green": -3, "dark_blue": 40},
            form=self.draw.choice(FORMS),
        )
        model = self.model
        self.numbers = ["speed", "load", "level", "size", "count", "head", "gain", "share", "rate", *model.hidden]
        for at in range(relations):
            name = f"r{at}"
            model.relations[name] = self.number(3)
            self.numbers.append(name)
        for name in self.draw.sample(list(model.relations), max(1, relations // 4)):
            model.profiler[name] = Measure(name, self.shown(), self.when())
        model.profiler["own"] = Measure(self.flag(2), Shown(), self.when())
        self.draw_events()
        model.stated = ("<=", ("*", "speed", "load"), 40)
        for at in range(rules):
            model.rules.append(self.rule(f"CODE_{at}"))

    def draw_events(self) -> None:
        """Draw a line that is always there, one that may stand before it, and one that is repeated."""
        events = self.model.events
        events["e0"] = Event(attributes=self.attributes(1))
        events["e1"] = Event(when=self.when(), attributes=self.attributes(0))
        if self.draw.random() < 0.6:
            events["e1"].before, events["e1"].placed = "e0", self.flag(2)
        self.numbers.append("step")
        events["steps"] = Event(when=("<", "step", self.number(1)), attributes=self.attributes(1), at=(1, 10, 50))
        self.numbers.remove("step")

    def attributes(self, least: int) -> dict[str, tuple[Any, Shown]]:
        both = {"amount": (self.number(2), self.shown()), "tone": (self.word(), Shown())}
        return dict(list(both.items())[: self.draw.randint(least, 2)])

    def when(self) -> Any:
        return True if self.draw.random() < 0.5 else self.flag(2)

    def shown(self) -> Shown:
        drawn = self.draw.random()
        if drawn < 0.4:
            return Shown()
        if drawn < 0.6:
            return Shown(parts=1000)
        ratio = self.draw.choice([4, 10, 16])
        return Shown(f"k{chr(ratio + 97)}", ratio, self.draw.randint(0, 1))

    def number(self, depth: int) -> Any:
        draw = self.draw
        if depth == 0 or draw.random() < 0.15:
            return draw.choice(self.numbers) if draw.random() < 0.8 else draw.randint(-9, 20)
        match draw.choice(["+", "-", "*", "floor", "ceil", "%", "min", "max", "abs", "if", "lookup", "with", "+"]):
            case "*":
                return ("*", draw.choice(self.numbers[:5]), self.number(0))
            case "floor" | "ceil" | "%" as op:
                return (op, self.number(depth - 1), draw.choice([2, 3, 7, "load", "count"]))
            case "abs":
                return ("abs", self.number(depth - 1))
            case "if":
                return ("if", self.flag(depth - 1), self.number(depth - 1), self.number(depth - 1))
            case "lookup":
                return ("lookup", self.word())
            case "with":
                changes = [(name, self.number(0)) for name in draw.sample(["speed", "level", "h0"], draw.randint(1, 2))]
                if draw.random() < 0.3:
                    changes.append(("colour", self.word()))
                return ("with", self.number(depth - 1), changes)
            case op:
                return (op, self.number(depth - 1), self.number(depth - 1))

    def flag(self, depth: int) -> Any:
        draw = self.draw
        if depth == 0 or draw.random() < 0.4:
            if draw.random() < 0.15:
                return draw.choice(["fast", ("is", "colour", self.word()), ("is not", "paint", self.word())])
            return (draw.choice(["<", "<=", ">", ">=", "==", "!="]), self.number(0), self.number(1))
        match draw.choice(["and", "or", "not", "in"]):
            case "not":
                return ("not", self.flag(depth - 1))
            case "in":
                return ("in", self.number(0), [self.number(0) for _ in range(3)])
            case op:
                return (op, self.flag(depth - 1), self.flag(depth - 1))

    def word(self) -> Any:
        return self.draw.choice(["colour", "paint", *(("word", word) for word in ENUM)])

    def rule(self, code: str) -> dict[str, Any]:
        """Draw a rule whose settings mostly make its guard false."""
        draw = self.draw
        name = draw.choice(["speed", "load", "level"])
        noise = ("%", draw.choice(self.numbers), draw.choice([3, 5, 9]))
        when: Any = (draw.choice("<>"), ("+", ("*", name, draw.randint(2, 6)), noise), draw.randint(2, 16))
        guard = ("and", when, self.flag(1)) if draw.random() < 0.4 else when
        if draw.random() < 0.3:
            guard = ("and", guard, (draw.choice(["<=", ">="]), self.number(1), ("printed", self.number(1))))
        alternatives = [
            [self.setting(name, when) for _ in range(draw.randint(1, 2))] for _ in range(draw.randint(1, 3))
        ]
        return {"code": code, "when": guard, "sets": alternatives}

    def setting(self, name: str, when: Any) -> tuple[str, str, Any]:
        draw = self.draw
        name = draw.choice([name, name, name, "speed", "fast", "colour", "gain"])
        if draw.random() < 0.2:
            value = {"fast": self.flag(1), "colour": self.word()}.get(name)
            return name, "value", draw.choice([1, 2, ("+", name, 1)]) if value is None else value
        pick = "first" if name in ("fast", "colour") else draw.choice(["first", "largest", "smallest"])
        if draw.random() < 0.15:
            return name, f"{pick} keeping", draw.choice([self.number(1), "paint", "fast"])
        condition: Any = ("not", when)
        if draw.random() < 0.2:
            quantity = draw.choice(self.numbers)
            condition = (draw.choice(["<", ">", ">="]), quantity, ("before", quantity))
        elif draw.random() < 0.2:
            condition = ("with", ("not", when), [("level", ("before", self.number(0)))])
        return name, f"{pick} with", condition

    def world(self) -> World:
        """Draw a world in which all holds that the page says of every run."""
        model = self.model
        while True:
            parts = {**model.domains, **model.fixed, **model.hidden}
            world = {name: self.draw.choice(values) for name, values in parts.items()}
            if model.value(model.stated, world):
                return world
