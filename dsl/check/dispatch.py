"""The one `match` over all forms of expressions: which function checks which form.

In and out: as `Checker` says. Made at each place where expressions stand; everything that it calls knows the
base class alone, so that imports run one way.
"""

from __future__ import annotations

from typing import assert_never

import attrs

from dsl.check.checker import Checker
from dsl.check.operands import check_index, check_integer, check_member, check_name
from dsl.check.operators import (
    check_as,
    check_binary,
    check_call,
    check_first,
    check_if,
    check_in,
    check_to,
    check_unary,
)
from dsl.check.quantifiers import check_quantified
from dsl.check.worlds import check_before, check_printed, check_with
from dsl.checked import Constant, Typed
from dsl.syntax import nodes
from dsl.value_types import FLAG, ValueType


@attrs.frozen
class ExpressionChecker(Checker):
    """Checks expressions of every form."""

    def check(self, expr: nodes.Expression, expected: ValueType | None) -> Typed | None:
        if not self.charge(expr.span):
            return None
        match expr:
            case nodes.IntLit():
                return check_integer(self, expr)
            case nodes.BoolLit(value=flag):
                return Constant(int(flag), FLAG, span=expr.span)
            case nodes.StrLit(value=member):
                return check_member(self, member, expr, expected)
            case nodes.Name():
                return check_name(self, expr, expected)
            case nodes.Unary():
                return check_unary(self, expr)
            case nodes.Binary():
                return check_binary(self, expr)
            case nodes.Call():
                return check_call(self, expr)
            case nodes.Quantified():
                return check_quantified(self, expr)
            case nodes.If():
                return check_if(self, expr, expected)
            case nodes.First():
                return check_first(self, expr, expected)
            case nodes.In():
                return check_in(self, expr)
            case nodes.Index():
                return check_index(self, expr)
            case nodes.WithClause():
                return check_with(self, expr, expected)
            case nodes.BeforeCall():
                return check_before(self, expr, expected)
            case nodes.PrintedCall():
                return check_printed(self, expr, expected)
            case nodes.To():
                return check_to(self, expr)
            case nodes.As():
                return check_as(self, expr)
        assert_never(expr)
