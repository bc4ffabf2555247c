"""Draws random systems for `synthetic_prompts`: fields, relations, events and rules of every kind."""

from __future__ import annotations

import random
from typing import Any

from strategies.synthetic_prompts import ENUM, Model, World


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
                "size": [64, 16, 128],
            },
            locked={"size"},
            facts={"count": [1, 2, 8], "paint": ["red", "green"]},
            hidden={f"h{at}": list(range(at, at + n)) for at, n in enumerate(hidden)},
            rate={"red": 5, "green": -3, "dark blue": 40},
        )
        model = self.model
        self.numbers = ["speed", "load", "level", "size", "count", *model.hidden]
        self.fields = ["speed", "load", "level"]
        for at in range(relations):
            name = f"r{at}"
            model.relations[name] = self.number(3)
            self.numbers.append(name)
        for name in self.draw.sample(list(model.relations), max(1, relations // 4)):
            model.shown[name] = None if self.draw.random() < 0.4 else (self.draw.choice([4, 10, 16]), 1)
        model.shown = {name: model.shown[name] for name in model.relations if name in model.shown}
        for at in range(2):
            attributes = [("amount", self.number(2)), ("tone", self.word())][: self.draw.randint(0, 2)]
            model.events[f"e{at}"] = (self.flag(2) if at else True, attributes)
        model.valid = ("<=", ("*", "speed", "load"), 40)
        model.sound = ("or", self.flag(1), ("<", self.number(1), self.draw.randint(0, 40)))
        if self.draw.random() < 0.5:
            model.keeps.append((self.draw.choice(self.numbers), self.draw.choice(["equal", "not above", "not below"])))
        for at in range(rules):
            model.rules.append(self.rule(f"CODE_{at}"))

    def number(self, depth: int) -> Any:
        draw = self.draw
        if depth == 0 or draw.random() < 0.15:
            return draw.choice(self.numbers) if draw.random() < 0.8 else draw.randint(-9, 20)
        match draw.choice(["+", "-", "*", "floor", "ceil", "mod", "min", "max", "abs", "if", "lookup", "with", "+"]):
            case "*":
                return ("*", draw.choice(self.numbers[:5]), self.number(0))
            case "floor" | "ceil" | "mod" as op:
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
                return draw.choice(["fast", ("==", "colour", self.word()), ("!=", "paint", self.word())])
            return (draw.choice(["<", "<=", ">", ">=", "==", "!="]), self.number(0), self.number(1))
        match draw.choice(["and", "or", "not", "implies", "in"]):
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
        noise = ("mod", draw.choice(self.numbers), draw.choice([3, 5, 9]))
        when: Any = (draw.choice("<>"), ("+", ("*", name, draw.randint(2, 6)), noise), draw.randint(2, 16))
        when = ("and", when, self.flag(1)) if draw.random() < 0.4 else when
        alternatives = [
            [self.setting(name, when) for _ in range(draw.randint(1, 2))] for _ in range(draw.randint(1, 3))
        ]
        senses = ["equal", "not above", "not below"]
        keeps = [(draw.choice(self.numbers), draw.choice(senses)) for _ in range(draw.randint(0, 2))]
        if draw.random() < 0.3:
            keeps.append(("colour", "equal"))
        return {"code": code, "when": when, "sets": alternatives, "keeps": keeps}

    def setting(self, name: str, when: Any) -> tuple[str, str, Any]:
        draw = self.draw
        name = draw.choice([name, name, name, "speed", "fast", "colour"])
        if draw.random() < 0.2:
            value = {"fast": self.flag(1), "colour": self.word()}.get(name)
            return name, "value", draw.choice([1, 2, ("+", name, 1)]) if value is None else value
        pick = "first" if name in ("fast", "colour") else draw.choice(["first", "largest", "smallest"])
        condition: Any = ("not", when)
        if draw.random() < 0.2:
            quantity = draw.choice(self.numbers)
            condition = (draw.choice(["<", ">", ">="]), quantity, ("before", quantity))
        elif draw.random() < 0.2:
            condition = ("with", ("not", when), [("level", ("before", self.number(0)))])
        return name, pick, condition

    def world(self) -> World:
        """Draw a valid world."""
        model = self.model
        while True:
            parts = {**model.domains, **model.facts, **model.hidden}
            world = {name: self.draw.choice(values) for name, values in parts.items()}
            if model.value(model.valid, world):
                return world
