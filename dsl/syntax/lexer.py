"""From text to tokens, with a diagnostic for each lexical mistake.

The terminals are those of `grammar.lark`. A mistake is replaced by what was probably meant, so that the
parser can go on: reading never stops here. Two things need more than one token: a unit suffix is a name
right after a number on the same line, and every token learns which bracket is open around it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

import attrs
from lark import Token
from lark.lexer import PatternStr

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.source import Source, Span
from dsl.syntax.parse_tables import language, tokenized

NUMBER_LIMIT = 2**60
MAX_NESTING = 100
MAX_TOKENS = 200_000
MAX_SYNTAX_ERRORS = 25

PARTNER = {"LBRACE": "RBRACE", "LPAR": "RPAR", "LSQB": "RSQB"}
CLOSERS = frozenset(PARTNER.values())

_FOREIGN = {  # what is written, the word of this language, the terminal to go on with
    "&&": ("and", "AND"),
    "||": ("or", "OR"),
    "===": ("==", "EQUAL"),
    "!==": ("!=", "UNEQUAL"),
    "<>": ("!=", "UNEQUAL"),
    "=<": ("<=", "AT_MOST"),
    "≤": ("<=", "AT_MOST"),
    "≥": (">=", "AT_LEAST"),
    "≠": ("!=", "UNEQUAL"),
    "≡": ("==", "EQUAL"),
    "×": ("*", "TIMES"),
    "!": ("not", "NOT"),
    "%": ("mod", "MOD"),
    "&": ("and", "AND"),
}
_SIGN_HELP = {
    ";": "declarations need no separator: leave it out",
    "'": 'write texts in double quotes: `"..."`',
    "`": 'write texts in double quotes: `"..."`',
    "“": 'use plain double quotes: `"..."`',
    "”": 'use plain double quotes: `"..."`',
    "^": "a power is written between two plain numbers, as in `2^20`",
    ".": "a range is written with two dots, as in `1..64`",
    "–": "use the plain minus sign `-`",
    "−": "use the plain minus sign `-`",
    "\u00a0": "this is a no-break space: use a plain space",
    "→": "write `->` in the type of a table, `=>` before the codes of an example",
}


@attrs.frozen
class Lexed:
    """Tokens in order with, for each and for the end, the index of the innermost open bracket, or -1.

    `stray` has the index of the last closing bracket that closes nothing, or -1. If not `complete`, a
    limit stopped the reading and the tokens are of no use.
    """

    tokens: tuple[Token, ...]
    opened: tuple[int, ...]
    stray: int
    diagnostics: tuple[Diagnostic, ...]
    complete: bool

    def innermost(self, index: int) -> int:
        """Give the index of the bracket that is open before token `index`, or -1."""
        return self.opened[index]

    def faulty(self, index: int) -> bool:
        """Tell whether token `index`, or what stood right before it, has a diagnostic already."""
        start = (self.tokens[index - 1].start_pos or 0) if index else 0
        end = self.tokens[index].end_pos if index < len(self.tokens) else None
        spans = [diagnostic.span for diagnostic in self.diagnostics if diagnostic.span is not None]
        return any(start <= span.start and (end is None or span.end <= end) for span in spans)


@functools.cache
def spellings() -> dict[str, str]:
    """Terminal name to the word or sign it stands for; those with many spellings are left out."""
    patterns = {t.name: t.pattern for t in language().terminals}
    return {name: pattern.value for name, pattern in patterns.items() if isinstance(pattern, PatternStr)}


@functools.cache
def reserved_words() -> frozenset[str]:
    return frozenset(word for word in spellings().values() if word.isidentifier())


def token_span(source: Source, token: Token) -> Span:
    start = token.start_pos or 0
    return Span(source, start, token.end_pos if token.end_pos is not None else start + len(token))


def number_value(text: str) -> int | None:
    """Read an INT token; None when the number is out of range."""
    base, _, power = text.replace("_", "").partition("^")
    base = base.lstrip("0") or "0"
    power = power.lstrip("0") or ("0" if power else "1")
    if len(base) > 19 or len(power) > 4:
        return None if base not in ("0", "1") else int(base)
    value = int(base)
    if value > 1 and int(power) > 60:
        return None
    value **= int(power)
    return value if value <= NUMBER_LIMIT else None


def text_value(literal: str) -> str:
    """Read a STRING token: without its quotes, escapes replaced."""
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], literal[1:-1])


class _Lexer:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []

    def report(self, code: str, message: str, token: Token, label: str, *helps: str) -> None:
        span = token_span(self.source, token)
        self.diagnostics.append(Diagnostic(code, message, span, label, helps=helps))

    def corrected(self, token: Token) -> Token | None:
        """Report what is wrong with one token; give a token to go on with, or None to leave it out."""
        match token.type:
            case "STRING":
                self.check_escapes(token)
            case "INT":
                if number_value(token) is None:
                    self.report("E111", "this number is out of range", token, "larger than 2^60")
                    return Token.new_borrow_pos("INT", "0", token)
            case "BAD_STRING":
                self.report(
                    "E103", "this text has no closing quote", token, 'expected `"` on this line',
                    "write `\\n` inside a text for a line break",
                )  # fmt: skip
                return Token.new_borrow_pos("STRING", '""', token)
            case "BAD_QUOTES":
                self.report("E102", 'write texts in plain double quotes: `"..."`', token, "")
                return Token.new_borrow_pos("STRING", '""', token)
            case "BAD_NUMBER":
                self.bad_number(token)
                return Token.new_borrow_pos("INT", "0", token)
            case "BAD_NAME":
                self.report(
                    "E102", "a name can have only the letters a to z and A to Z, digits and `_`", token, "",
                    "other letters are allowed in texts and comments",
                )  # fmt: skip
                return Token.new_borrow_pos("NAME", "_", token)
            case "BAD_COMMENT":
                first = token[:2]
                help_text = "a comment starts with `#` and ends with the line"
                start = token.start_pos or 0
                signs = Token(token.type, first, start, end_pos=start + 2)
                self.report("E102", f"`{first}` isn't part of the language", signs, "", help_text)
                return None
            case "FLOOR_DIVISION":
                self.report(
                    "E107", "`//` isn't an operator of this language", token, "say how the division rounds",
                    "write `floor(a / b)` to round down, `ceil(a / b)` to round up",
                )  # fmt: skip
                return Token.new_borrow_pos("TIMES", "*", token)
            case "FOREIGN" | "UNKNOWN":
                return self.foreign(token)
            case _:
                pass
        return token

    def foreign(self, token: Token) -> Token | None:
        if token in _FOREIGN:
            word, terminal = _FOREIGN[token]
            self.report("E107", f"`{token}` isn't an operator of this language", token, f"write `{word}`")
            return Token.new_borrow_pos(terminal, word, token)
        if token == "**":
            self.report("E107", "`**` isn't an operator of this language", token, "", _SIGN_HELP["^"])
            return Token.new_borrow_pos("TIMES", "*", token)
        first = token[0]
        shown = f"`{token}`" if len(token) <= 8 and token.isprintable() and "`" not in token else f"U+{ord(first):04X}"
        helps = [_SIGN_HELP[first]] if first in _SIGN_HELP else []
        self.report("E102", f"{shown} isn't part of the language", token, "", *helps)
        return None

    def bad_number(self, token: Token) -> None:
        text = str(token)
        if re.fullmatch(r"[0-9][0-9_]*\.[0-9_]+", text):
            message, help_text = "a number can't have a fraction", "choose a smaller unit, such as permille"
        elif re.match(r"0[xXbBoO]", text):
            message = "a number is written in decimal digits"
            help_text = "write it in decimal digits, or as a power such as `2^20`"
        elif re.fullmatch(r"[0-9][0-9_]*+(?:\.[0-9_]++)?[eE][0-9]++", text):
            message = "a number can't have an exponent"
            help_text = 'write it out; only a fact of a case may give a number as reported, in quotes: `"3e-4"`'
        elif unit := re.fullmatch(r"([0-9][0-9_]*?)_*([A-Za-z][A-Za-z0-9_]*)", text):
            message, help_text = f"a space is missing before `{unit[2]}`", f"write `{unit[1]} {unit[2]}`"
            if unit[2] in reserved_words():
                help_text = f"`{unit[2]}` is a word of the language, so it can't be a unit"
        else:
            message, help_text = "this isn't a number", "numbers look like `1024`, `1_024` or `2^20`"
        self.report("E110", message, token, "", help_text)

    def check_escapes(self, token: Token) -> None:
        for escape in re.finditer(r"\\(.)", token):
            if escape[1] not in '"\\n':
                start = (token.start_pos or 0) + escape.start()
                message = f"unknown escape `{escape[0]}` in a text"
                helps = ('the only escapes are `\\"`, `\\\\` and `\\n`; write `\\\\` for a backslash',)
                self.diagnostics.append(Diagnostic("E104", message, Span(self.source, start, start + 2), helps=helps))


_DIVISOR = re.compile(
    r"""//[ \t]*[(-]*\w+(?:\[[^]]*\]|\([^)]*\))?[ \t]*"""
    r"""(?:[-+*/<>=!)},"\]]|(?:and|or|then|else|implies|mod|as|to|with|show|when|set|in)\b|\#|$)"""
)
_ENDS_OPERAND = frozenset({"NAME", "INT", "RPAR", "RSQB"})


def _divided(tokens: Iterator[Token], left: int = MAX_SYNTAX_ERRORS) -> Iterator[Token]:
    """Split what looks like a comment of C, and is a division of Python: `//` between operands on one line.

    At most `left` times on a line.
    """
    before: Token | None = None
    for token in tokens:
        operand = before is not None and before.type in _ENDS_OPERAND and before.line == token.line
        if token.type != "BAD_COMMENT" or not operand or not left or not _DIVISOR.match(token):
            yield token
            before = token
            continue
        start, line = token.start_pos or 0, token.line
        yield Token("FLOOR_DIVISION", "//", start, line, token.column, line, None, start + 2)
        for part in _divided(tokenized(token[2:]), left - 1):
            at, end = (part.start_pos or 0) + start + 2, (part.end_pos or 0) + start + 2
            before = Token(part.type, str(part), at, line, part.column, line, part.end_column, end)
            yield before


def _with_suffixes(tokens: list[Token], opened: Sequence[int]) -> None:
    """Turn a NAME after an INT on the same line into a SUFFIX, in place.

    Not where the name begins something of its own: `default 1 dp: int`, `a = 1 b = 2`. In the braces of
    `first { size + 1 MiB: growing } else size` nothing begins so.
    """
    for i in range(1, len(tokens)):
        number, name = tokens[i - 1], tokens[i]
        if number.type != "INT" or name.type != "NAME" or number.line != name.line:
            continue
        starts = i + 1 < len(tokens) and tokens[i + 1].type in ("COLON", "ASSIGN")
        in_cases = opened[i] > 0 and tokens[opened[i]].type == "LBRACE" and tokens[opened[i] - 1].type == "FIRST"
        if starts and not in_cases and not (i > 1 and tokens[i - 2].type in ("LBRACE", "COMMA")):
            continue
        tokens[i] = Token.new_borrow_pos("SUFFIX", str(name), name)


def lex(source: Source) -> Lexed:
    """Split `source` into tokens. Reports E102-E104, E107, E110-E112 and E116."""
    lexer = _Lexer(source)
    tokens: list[Token] = []
    opened: list[int] = []
    stack: list[int] = []
    stray = -1
    for found in _divided(tokenized(source.text)):
        token = lexer.corrected(found)
        if token is not None:
            opened.append(stack[-1] if stack else -1)
            if token.type in PARTNER:
                stack.append(len(tokens))
            elif token.type in CLOSERS and not _close(stack, tokens, token.type):
                stray = len(tokens)
            tokens.append(token)
        if len(stack) > MAX_NESTING:
            lexer.diagnostics.append(too_deep(token_span(source, found)))
        elif len(tokens) > MAX_TOKENS:
            message = f"more than {MAX_TOKENS} words and signs in one file"
            lexer.report("E116", message, found, "", "split the file, and import the parts")
        elif len(lexer.diagnostics) <= MAX_SYNTAX_ERRORS:
            continue
        return Lexed(tuple(tokens), tuple(opened), stray, tuple(lexer.diagnostics), complete=False)
    opened.append(stack[-1] if stack else -1)
    _with_suffixes(tokens, opened)
    return Lexed(tuple(tokens), tuple(opened), stray, tuple(lexer.diagnostics), complete=True)


def too_deep(span: Span) -> Diagnostic:
    """Tell that what begins at `span` lies too deep."""
    return Diagnostic(
        "E112",
        f"there are more than {MAX_NESTING} levels of nesting here",
        Span(span.source, span.start, min(span.end, span.start + 1)),
        notes=("each operator in a chain such as `a + b + c` adds a level",),
        helps=("give a part its own name with `let` in a system, or with `const` outside, and use the name",),
    )


def _close(stack: list[int], tokens: list[Token], closer: str) -> bool:
    """Forget the innermost bracket that `closer` closes, and those inside it; False if there's none."""
    for depth in range(len(stack) - 1, -1, -1):
        if PARTNER[tokens[stack[depth]].type] == closer:
            del stack[depth:]
            return True
    return False
