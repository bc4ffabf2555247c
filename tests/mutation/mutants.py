"""Every way in which a module is broken in one place.

In: the text of a module. Out: `Mutant`s, which say what to put where. They are found by syntax alone, so that many of
them may fail at once or mean the same as the module does.
"""

from __future__ import annotations

import ast

import attrs

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
}
SWAPPED = {"min": "max", "all": "any", "all_of": "any_of", "<": "<=", ">": ">="}
SWAPPED |= {new: old for old, new in SWAPPED.items()}
JUMPS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


@attrs.frozen
class Mutant:
    """A place in a module's text, and what stands there instead; `number` counts all mutants of the module."""

    module: str
    number: int
    kind: str
    start: int
    end: int
    text: bytes

    @property
    def name(self) -> str:
        return f"{self.module}:{self.number}"

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.text + source[self.end :]

    def shown(self, source: bytes) -> str:
        """The line that changes first, before and after."""
        first = source.rfind(b"\n", 0, self.start) + 1
        last = source.find(b"\n", self.end)
        old, new = source[first:last], self.applied(source)[first : last + len(self.text) - (self.end - self.start)]
        lines = [" ".join(text.decode().split()) for text in (old, new)]
        line = source.count(b"\n", 0, self.start) + 1
        return f"line {line}: {lines[0]}  =>  {lines[1]}"


def mutants(module: str, source: bytes) -> list[Mutant]:
    """Make every mutant of a module, in the order of its text."""
    finder = _Finder(source)
    finder.visit(ast.parse(source))
    places = sorted(set(finder.found), key=lambda place: (place[1], place[2], place[0], place[3]))
    return [Mutant(module, number, *place) for number, place in enumerate(places)]


class _Finder(ast.NodeVisitor):
    """Collects changes; texts, annotations and decorators are left alone."""

    def __init__(self, source: bytes) -> None:
        self.starts = [0, *(at + 1 for at, byte in enumerate(source) if byte == ord("\n"))]
        self.found: list[tuple[str, int, int, bytes]] = []

    def change(self, kind: str, old: ast.expr | ast.stmt, new: str) -> None:
        assert old.end_lineno is not None
        assert old.end_col_offset is not None
        start = self.starts[old.lineno - 1] + old.col_offset
        end = self.starts[old.end_lineno - 1] + old.end_col_offset
        self.found.append((kind, start, end, new.encode()))

    # ---- statements

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for part in (*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body):
            self.visit(part)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in node.body:
            self.visit(part)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):  # a docstring
            return
        if not (isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "assert_never"):
            self.change("statement removed", node, "pass")
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if isinstance(node.targets[0], ast.Subscript):
            self.change("statement removed", node, "pass")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.change("statement removed", node, "pass")
        new = ARITHMETIC.get(type(node.op))
        if new is not None:
            self.change("arithmetic", node, ast.unparse(ast.AugAssign(node.target, new(), node.value)))
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        self.change("statement removed", node, "pass")

    def visit_If(self, node: ast.If) -> None:
        if not node.orelse and isinstance(node.body[-1], JUMPS):
            self.change("early exit removed", node, "pass")
        self.negate(node.test)
        self.generic_visit(node)

    # ---- expressions

    def negate(self, test: ast.expr) -> None:
        if not isinstance(test, ast.UnaryOp):
            self.change("condition negated", test, f"(not ({ast.unparse(test)}))")

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.negate(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self.change("filter removed", test, "True")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for place, operator in enumerate(node.ops):
            operators = [*node.ops[:place], COMPARISONS[type(operator)](), *node.ops[place + 1 :]]
            self.change("comparison", node, f"({ast.unparse(ast.Compare(node.left, operators, node.comparators))})")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        self.change("and/or", node, f"({ast.unparse(ast.BoolOp(other, node.values))})")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        new = ARITHMETIC.get(type(node.op))
        if new is not None:
            self.change("arithmetic", node, f"({ast.unparse(ast.BinOp(node.left, new(), node.right))})")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if not isinstance(node.operand, ast.Constant):
            self.change("sign or not removed", node, f"({ast.unparse(node.operand)})")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        if name in ("reversed", "sorted") and len(node.args) == 1:
            self.change("order dropped", node, f"list({ast.unparse(node.args[0])})")
        if name in ("all_of", "any_of") and isinstance(node.args[0], ast.Tuple) and len(node.args[0].elts) > 1:
            for place, part in enumerate(node.args[0].elts):
                rest = [*node.args[0].elts[:place], *node.args[0].elts[place + 1 :]]
                new = ast.unparse(ast.Tuple(rest, ast.Load()))
                self.change(f"{ast.unparse(part)[:40]} dropped", node.args[0], new)
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in SWAPPED:
            self.change("swapped", node, SWAPPED[node.id])

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in SWAPPED:
            self.change("swapped", node, f"{ast.unparse(node.value)}.{SWAPPED[node.attr]}")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.change("constant", node, str(not node.value))
        elif isinstance(node.value, int):
            self.change("constant", node, str(node.value + 1))
        elif isinstance(node.value, str) and node.value in SWAPPED:
            self.change("swapped", node, repr(SWAPPED[node.value]))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave messages alone."""
