"""What to say about a token that doesn't fit: in the author's words, with a guess at the cause.

Takes the token, the tokens around it and the terminals that would fit; gives one diagnostic and, where
the cause is plain, the terminals to read on with as if the author had written it right.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import attrs
from lark import Token

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.source import Source, Span
from dsl.syntax.lexer import CLOSERS, PARTNER, Lexed, reserved_words, spellings, token_span
from gpu_train_debug.wording import did_you_mean, joined

END = "$END"
SOURCE_HELP = "a case needs the address of its public source, where others can look it up; a text may follow it"
DECLARED = "declared here"  # label at a word that can't be a name, where it gets its meaning

_WORDS = {
    "NAME": "a name",
    "STRING": "a text in double quotes",
    "INT": "a whole number",
    "SUFFIX": "a unit",
    END: "the end of the file",
}
_COMPARISONS = frozenset({"EQUAL", "UNEQUAL", "LESS", "AT_MOST", "MORE", "AT_LEAST"})
_OPERATORS = _COMPARISONS | {"PLUS", "MINUS", "TIMES", "MOD", "AND", "OR", "IMPLIES", "IN", "AS", "TO", "WITH"}
_TEXT_COMES_BEFORE = frozenset({"LOCKED", "PREFER", "DEFAULT", "SHOW", "ALIAS"})
_PRINTED = "describe it in a few words: the prompts print this text"
_TEXTS = {  # by the last of these words before a missing text: what it is for
    "IMPORT": 'name the file: `import "units.arch"`',
    "SYSTEM": _PRINTED,
    "RULE": _PRINTED,
    "SAYS": "write the words that the page prints",
    "ALIAS": 'write the tool and the name that it uses: `alias "deepspeed:lr"`',
    "ARCHETYPE": "describe its tasks in a few words",
    "COMPOSE": "describe its tasks in a few words",
    "CASE": SOURCE_HELP,
    "VERSION": 'write the version of the dataset: `version "1.0.0"`',
    "SEED": "say in a few words what its tasks ask",
}
_STARTS_A_LINE = frozenset({"COLON", "ASSIGN"})  # what comes before one of them is another declaration
_GROUPS = (  # terminals that are told by one phrase where all of the first set would fit
    (
        {"INT", "NAME", "LPAR", "FLOOR"},
        {"INT", "NAME", "STEP", "STRING", "TRUE", "FALSE", "MINUS", "NOT", "IF", "LPAR", "FLOOR", "CEIL", "MIN", "MAX",
         "ABS", "NUMBER", "SUM", "COUNT", "ANY", "ALL", "BEFORE", "PRINTED", "FIRST"},
        "an expression",
    ),
    ({"AS", "TO", "WITH"}, {*_OPERATORS, "SUFFIX", "LSQB"}, "an operator"),
    (
        {"IMPORT", "SYSTEM"},
        {"IMPORT", "UNIT", "ENUM", "CONST", "TABLE", "SYSTEM", "ARCHETYPE", "COMPOSE", "CASE", "DATASET"},
        "a declaration (`system`, `archetype`, ...)",
    ),
    (
        {"LOCKED", "ALIAS"},
        {"LOCKED", "PREFER", "DEFAULT", "SHOW", "ALIAS"},
        "a part of a variable (`default`, `prefer`, ...)",
    ),
    (
        {"CONFIG", "RULE"},
        {"CONFIG", "GIVEN", "HIDDEN", "LET", "PROFILER", "LOG", "REQUIRE", "SOUND", "KEEP", "RULE", "RUNBOOK",
         "CONST", "TABLE", "ENUM"},
        "a part of a system (`let`, `rule`, ...)",
    ),
)  # fmt: skip


@attrs.frozen
class TokenProblem:
    """An unexpected token: number `index` of `lexed`, or the end of the file, where `token` is None."""

    source: Source
    lexed: Lexed
    index: int
    accepted: AbstractSet[str]

    @property
    def token(self) -> Token | None:
        return self.lexed.tokens[self.index] if self.index < len(self.lexed.tokens) else None

    @property
    def previous(self) -> Token | None:
        return self.lexed.tokens[self.index - 1] if self.index else None

    @property
    def span(self) -> Span:
        if self.token is not None:
            return token_span(self.source, self.token)
        end = token_span(self.source, self.previous).end if self.previous is not None else 0
        return Span(self.source, end, end)

    @property
    def opened(self) -> Token | None:
        """The innermost bracket that is open before the token."""
        at = self.lexed.innermost(self.index)
        return self.lexed.tokens[at] if at >= 0 else None


@attrs.frozen
class Hint:
    """A diagnostic, and what may be meant: rows of terminals to read in place of the token, likeliest first.

    Where no row fits, reading goes on at a safe place.
    """

    diagnostic: Diagnostic
    instead: tuple[tuple[str, ...], ...] = ()


def token_text(token: Token | None) -> str:
    if token is None:
        return "the end of the file"
    if token.type == "STRING":
        return "text"
    return f"`{token}`" if len(token) <= 40 else f"`{token[:40]}...`"


def expected_words(accepted: AbstractSet[str]) -> list[str]:
    """Say which terminals would fit: names and signs first, then kinds of which several would."""
    left = set(accepted)
    kinds = []
    picks = left & {"FIRST"} if "LARGEST" in left else frozenset[str]()  # where `first` may stand for a pick, too
    for needed, covered, phrase in _GROUPS:
        if left >= needed:
            kinds.append(phrase)
            left -= covered - picks
    if {"INT", "MINUS"} <= left:  # a signed number: the sign goes without saying
        left.discard("MINUS")
    if {"DECIMAL", "DECIMALS"} <= left:
        left.discard("DECIMAL")
    named = [_WORDS[terminal] for terminal in ("NAME", "STRING", "INT", "SUFFIX") if terminal in left]
    spelled = sorted(f"`{spellings()[terminal]}`" for terminal in left if terminal in spellings())
    return named + spelled + kinds + ([_WORDS[END]] if END in left else [])


def diagnose(problem: TokenProblem) -> Hint:
    """Find the likeliest cause of a token that doesn't fit."""
    for guess in (_bracket, _equals, _division, _chain, _number, _late_text, _show, _late_weight):
        hint = guess(problem)
        if hint is not None:
            return hint
    return _general(problem)


def reserved_word(source: Source, token: Token, *, declared: bool) -> Diagnostic:
    """Tell that a word of the language stands where a name belongs, as the author declares it or as it is used."""
    return Diagnostic(
        "E106",
        f"`{token}` is a word of the language and can't be a name",
        token_span(source, token),
        DECLARED if declared else "expected a name",
        helps=(f"choose another name, such as `{token}_` or a longer one",),
    )


def unclosed(problem: TokenProblem, opener: Token) -> Diagnostic:
    """Tell that the bracket `opener` is still open where its block must have ended."""
    closer = spellings()[PARTNER[opener.type]]
    return Diagnostic(
        "E105",
        f"`{opener}` isn't closed before {token_text(problem.token)}",
        problem.span,
        f"expected `{closer}`",
        ((token_span(problem.source, opener), "opened here"),),
    )


def outside(problem: TokenProblem) -> Hint:
    """Tell that a part of a block stands after the `}` that closes it."""
    token, brace = problem.token, problem.previous
    assert token is not None
    assert brace is not None
    where = ((token_span(problem.source, brace), "the block is closed here"),)
    return Hint(
        Diagnostic("E105", f"`{token}` is outside its block", problem.span, _expected(problem), where),
        ((token.type,),),
    )


def _bracket(problem: TokenProblem) -> Hint | None:
    token, opener = problem.token, problem.opened
    if token is None:
        return None if opener is None else Hint(unclosed(problem, opener))
    if token.type not in CLOSERS:
        return None
    if opener is None or (opener.type == "LBRACE" and token.type != "RBRACE"):
        label = "no bracket is open here" if opener is None else f"no `{_opener(token)}` is open here"
        return Hint(Diagnostic("E105", f"`{token}` closes nothing", problem.span, label), ((),))
    partner = PARTNER[opener.type]
    if token.type != partner and partner in problem.accepted:
        return Hint(unclosed(problem, opener), ((partner, token.type), (partner,)))
    return None


def _opener(closer: Token) -> str:
    return next(spellings()[opener] for opener, partner in PARTNER.items() if partner == closer.type)


def _equals(problem: TokenProblem) -> Hint | None:
    token = problem.token
    if token is None:
        return None
    if token.type == "ASSIGN" and "EQUAL" in problem.accepted:
        message, label, instead = "`=` can't compare", "a comparison is written `==`", "EQUAL"
    elif token.type == "EQUAL" and "ASSIGN" in problem.accepted:
        message, label, instead = "`==` can't assign a value", "a value is assigned with a single `=`", "ASSIGN"
    else:
        return None
    return Hint(Diagnostic("E107", message, problem.span, label), ((instead,),))


def _division(problem: TokenProblem) -> Hint | None:
    token = problem.token
    if token is None:
        return None
    if token.type == "SLASH" and "TIMES" in problem.accepted:
        diagnostic = Diagnostic(
            "E108",
            "`/` is allowed only in `floor` and `ceil`",
            problem.span,
            helps=(
                "write `floor(a / b)` to round down, `ceil(a / b)` to round up",
                "put a sum beside `/` in parentheses: `floor((a + b) / c)`",
            ),
        )
        return Hint(diagnostic, (("TIMES",),))
    if token.type in ("PLUS", "MINUS") and "SLASH" in problem.accepted:
        sum_help = "put the sum in parentheses: `floor((a + b) / c)`"
        diagnostic = Diagnostic("E108", f"expected `/` before `{token}`", problem.span, helps=(sum_help,))
        return Hint(diagnostic, (("TIMES",),))
    return None


def _chain(problem: TokenProblem) -> Hint | None:
    token = problem.token
    if token is None or token.type not in _COMPARISONS | {"IN"} or "AND" not in problem.accepted:
        return None
    helps = ("join two comparisons with `and`: `a < b and b < c`",)
    diagnostic = Diagnostic("E109", "a comparison has two sides", problem.span, "a third side", helps=helps)
    return Hint(diagnostic, (("AND", "INT", token.type),))


def _number(problem: TokenProblem) -> Hint | None:
    """Suffixes where the unit is that of the type: ranges, steps, counts."""
    token = problem.token
    if token is None or token.type != "SUFFIX":
        return None
    notes = ("a number has no unit here; numbers in a domain are in the unit of its type",)
    message = f"unexpected unit `{token}`"
    return Hint(Diagnostic("E101", message, problem.span, _expected(problem), notes=notes), ((),))


def _late_text(problem: TokenProblem) -> Hint | None:
    """A text after the parts that it should stand before: `show`, or those of a variable."""
    token, tokens, at = problem.token, problem.lexed.tokens, problem.index
    if token is None or token.type != "STRING":
        return None
    first = None
    for earlier in range(at - 1, -1, -1):
        if problem.lexed.innermost(earlier) != problem.lexed.innermost(at):
            continue
        if tokens[earlier].type in _STARTS_A_LINE:
            break
        if tokens[earlier].type == "STRING" and tokens[earlier - 1].type not in ("ALIAS", "COMMA"):
            return None  # a second text
        if tokens[earlier].type in _TEXT_COMES_BEFORE:
            first = tokens[earlier]
    return None if first is None else Hint(_move_text(problem.source, token, first), ((),))


def _move_text(source: Source, text: Token, first: Token) -> Diagnostic:
    return Diagnostic(
        "E101",
        f"the text must come before `{first}`",
        token_span(source, text),
        f"move it before `{first}`",
        ((token_span(source, first), "before this"),),
    )


def _show(problem: TokenProblem) -> Hint | None:
    token = problem.token
    if token is None or token.type != "SHOW":
        return None
    notes = ("`show` comes last, and only for what is printed: given variables, profiler values and attributes",)
    return Hint(Diagnostic("E101", "unexpected `show`", problem.span, _expected(problem), notes=notes))


def _late_weight(problem: TokenProblem) -> Hint | None:
    """`weight` after `near`."""
    token, tokens, at = problem.token, problem.lexed.tokens, problem.index
    if token is None or token.type != "WEIGHT" or at < 2 or tokens[at - 2].type != "NEAR":
        return None
    near = tokens[at - 2]
    return Hint(
        Diagnostic(
            "E101",
            "`weight` must come before `near`",
            problem.span,
            "move it before `near`",
            ((token_span(problem.source, near), "before this"),),
            helps=(f"write `weight ... near {tokens[at - 1]}`",),
        )
    )


def _expected(problem: TokenProblem) -> str:
    words = expected_words(problem.accepted)
    return f"expected {joined(words, last='or')}" if words else ""


def _text_help(problem: TokenProblem) -> str:
    """What to write where a text is missing."""
    words = (token.type for token in reversed(problem.lexed.tokens[: problem.index]) if token.type in _TEXTS)
    return _TEXTS[next(words, "SYSTEM")]


def _general(problem: TokenProblem) -> Hint:
    token, previous = problem.token, problem.previous
    secondary: tuple[tuple[Span, str], ...] = ()
    if token is not None and previous is not None and (previous.end_line or 0) < (token.line or 0):
        secondary = ((token_span(problem.source, previous), "after this"),)
    helps = []
    if token is not None and token.type == "NAME":
        words = [spellings()[t] for t in problem.accepted if spellings().get(t) in reserved_words()]
        question = did_you_mean(token, words, most=1, cutoff=0.75)
        helps = [question] if question else []
    if token is not None and problem.accepted == {"STRING"}:
        helps = [_text_help(problem)]
    message = "the file ends too early" if token is None else f"unexpected {token_text(token)}"
    return Hint(Diagnostic("E101", message, problem.span, _expected(problem), secondary, helps=tuple(helps)))
