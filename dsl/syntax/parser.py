"""First stage: the text of one `.arch` file to its syntax tree.

In: a `Source`, any text at all. Out: a `Module`, or None with diagnostics E101-E116; never an
exception. Lark's LALR parser builds the tree. If the tokens don't fit, a second walk over its table finds
the mistakes. After each it reads on as if the text had been right there: with what was probably meant,
or one word more, less or other, if the next few tokens then fit. Else it goes on at the next word that
starts a declaration or a block, with the stack cut back to where that word fits. So one run shows several
mistakes, and one mistake gives one message.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lark import Token, Tree
from lark.exceptions import UnexpectedToken

from dsl.diagnostics.diagnostic import Diagnostic, sort_diagnostics
from dsl.source import Source, Span
from dsl.syntax import nodes
from dsl.syntax.lexer import MAX_NESTING, MAX_SYNTAX_ERRORS, PARTNER, Lexed, lex, reserved_words, too_deep
from dsl.syntax.mistakes import DECLARED, END, Hint, TokenProblem, diagnose, outside, reserved_word, unclosed
from dsl.syntax.parse_tables import language
from dsl.syntax.recovery import Machine
from dsl.syntax.tree_declarations import Builder
from dsl.syntax.tree_expressions import Node

LOOK_AHEAD = 4  # tokens that must fit after a repair

# Words that start a declaration or a block wherever they stand, so that reading can go on there.
_ANCHORS = frozenset(
    {
        *("IMPORT", "UNIT", "ENUM", "CONST", "TABLE", "SYSTEM", "ARCHETYPE", "COMPOSE", "CASE", "DATASET"),
        *("CONFIG", "GIVEN", "HIDDEN", "GROUP", "NOISE", "LET", "PROFILER", "LOG", "EVENT", "ATTR"),
        *("SOUND", "RULE", "RUNBOOK"),
        *("FAULT", "TIER", "EXAMPLE", "KNOWN", "REGION", "SPLIT", "AVOID", "WITHIN", "UNSEEN", "USE"),
    }
)

_DECLARES = frozenset({"UNIT", "ENUM", "CONST", "TABLE", "LET", "EVENT", "ATTR", "RULE", "REGION", "SYSTEM", "GROUP"})
_PARTS = frozenset(
    {"TRUE", "FALSE", "LOCKED", "PREFER", "DEFAULT", "SHOW", "ALIAS"}
)  # never names, even with `:` after them


def parse_text(source: Source) -> tuple[nodes.Module | None, tuple[Diagnostic, ...]]:
    """Parse one file. The module is None exactly if there are diagnostics."""
    module, diagnostics = _parse(source)
    diagnostics = sort_diagnostics(diagnostics)
    if len(diagnostics) > MAX_SYNTAX_ERRORS:
        where = diagnostics[MAX_SYNTAX_ERRORS].span
        message = f"more than {MAX_SYNTAX_ERRORS} syntax errors; the rest isn't shown"
        diagnostics = (*diagnostics[:MAX_SYNTAX_ERRORS], Diagnostic("E115", message, where, "the next one"))
    return (None if diagnostics else module), diagnostics


def _parse(source: Source) -> tuple[nodes.Module | None, Iterable[Diagnostic]]:
    lexed = lex(source)
    if not lexed.complete:
        return None, lexed.diagnostics
    tree = _tree(lexed)
    if tree is None:
        return None, [*lexed.diagnostics, *_Search(source, lexed).run()]
    if lexed.diagnostics:
        return None, lexed.diagnostics
    deep = _first_too_deep(tree)
    if deep is not None:
        return None, [too_deep(Span(source, deep.meta.start_pos, deep.meta.end_pos))]
    builder = Builder(source)
    return builder.module(tree), builder.diagnostics


def without_uses_of_wrong_names(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics of all files, without uses of a word that another file wrongly declares: one for each cause."""
    words = [each.span.text if each.code == "E106" and each.span is not None else None for each in found]
    declared = {word for word, each in zip(words, found, strict=True) if each.label == DECLARED}
    return [each for word, each in zip(words, found, strict=True) if word not in declared or each.label == DECLARED]


def _first_too_deep(tree: Node) -> Node | None:
    """Find the first subtree in the text that lies more than `MAX_DEPTH` levels down. Not recursive."""
    stack: list[tuple[Node, int]] = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > MAX_NESTING:
            return node
        stack += [(child, depth + 1) for child in reversed(node.children) if isinstance(child, Tree)]
    return None


def _tree(lexed: Lexed) -> Node | None:
    """Parse the tokens as they are; None if they aren't a module."""
    parser = language().parse_interactive(start="module")
    try:
        for token in lexed.tokens:
            parser.feed_token(token)
        tree = parser.feed_token(Token(END, ""))
    except UnexpectedToken:
        return None
    assert isinstance(tree, Tree)
    return tree


def _declared_words(lexed: Lexed) -> dict[str, int]:
    """Words of the language that the author declares as names, with the index of the token that does."""
    found: dict[str, int] = {}
    types = [token.type for token in lexed.tokens] + [END]
    for index, token in enumerate(lexed.tokens):
        named = index > 0 and types[index - 1] in _DECLARES and token.type not in _DECLARES
        typed = types[index + 1] == "COLON" and token.type not in _PARTS
        if token in reserved_words() and (named or typed):
            found.setdefault(str(token), index)
    return found


class _Search:
    """Finds the mistakes of a file that doesn't parse. Needs no trees, so it keeps only parser states."""

    def __init__(self, source: Source, lexed: Lexed) -> None:
        self.source = source
        self.lexed = lexed
        self.machine = Machine()
        self.in_block = self.machine.states  # before the last `}`
        self.diagnostics: list[Diagnostic] = []
        self.declared = _declared_words(lexed)
        self.told: set[str] = set()  # words that aren't names, each told once

    def run(self) -> list[Diagnostic]:
        tokens = self.lexed.tokens
        index = 0
        while index < len(tokens):
            states = self.machine.states
            if self.misnamed(index):
                index += 1
                continue
            if self.machine.feed(tokens[index].type):
                self.in_block = states if tokens[index].type == "RBRACE" else self.in_block
                index += 1
                continue
            after = self.recover(index)
            if after is None or len(self.diagnostics) > MAX_SYNTAX_ERRORS:
                return self.diagnostics
            index = after
        if not self.machine.feed(END) and not self.lexed.faulty(index):
            self.diagnostics.append(diagnose(self.problem(index)).diagnostic)
        return self.diagnostics

    def misnamed(self, index: int) -> bool:
        """Read a word of the language as the name or unit that it is meant as; tell so once for each word."""
        token, word, after = self.lexed.tokens[index], str(self.lexed.tokens[index]), self.terminal(index + 1)
        if word not in reserved_words() or self.machine.fits(token.type, after):
            return False
        meant = "SUFFIX" if self.follows_number(index) else "NAME"
        if word in self.told or self.declared.get(word, index) != index:
            fits = self.machine.fits(meant, *[after] * self.machine.fits(token.type))
        else:
            fits = not self.machine.fits(token.type) and self.machine.fits(meant, *self.ahead(index))
        if fits:
            self.diagnostics += self.reserved(index)
            self.machine.feed(meant)
        return fits

    def follows_number(self, index: int) -> bool:
        before = self.lexed.tokens[index - 1] if index else None
        return before is not None and before.type == "INT" and before.line == self.lexed.tokens[index].line

    def reserved(self, index: int) -> list[Diagnostic]:
        """Tell that a word can't be a name, where it is declared if that is known; nothing if it was told."""
        word = str(self.lexed.tokens[index])
        if word in self.told:
            return []
        self.told.add(word)
        at = self.lexed.tokens[self.declared.get(word, index)]
        return [reserved_word(self.source, at, declared=word in self.declared)]

    def ahead(self, index: int) -> tuple[str, ...]:
        """The terminals after a token that must fit after a repair."""
        last = min(index + LOOK_AHEAD, len(self.lexed.tokens))
        return tuple(self.terminal(at) for at in range(index + 1, last + 1))

    def terminal(self, index: int) -> str:
        return self.lexed.tokens[index].type if index < len(self.lexed.tokens) else END

    def problem(self, index: int) -> TokenProblem:
        return TokenProblem(self.source, self.lexed, index, self.machine.accepted())

    def recover(self, index: int) -> int | None:
        """Report what is wrong at a token; give the token to go on with, or None if no place is safe."""
        hint = self.closed_early(index) or self.explain(index)
        if not self.lexed.faulty(index):
            self.diagnostics.append(hint.diagnostic)
        if self.repair(index, hint.instead):
            return index + 1
        for later in range(index, len(self.lexed.tokens)):
            top = self.lexed.innermost(later) < 0
            if self.terminal(later) in _ANCHORS and self.machine.cut_back(self.terminal(later), to_start=top):
                return later
        return None

    def repair(self, index: int, likely: tuple[tuple[str, ...], ...]) -> bool:
        """Read something else in place of a token: what is likely, else one word more, less or other.

        A guess must make the next tokens fit as well; what is likely need not, if nothing does better.
        """
        token = self.terminal(index)
        ahead = self.ahead(index)
        more = [(word, token) for word in sorted(self.machine.accepted())]
        other = [(word,) for word, _ in more]
        for row in (*likely, *more, (), *other):
            if self.machine.fits(*row, *ahead):
                return self.machine.feed(*row)
        return any(self.machine.feed(*row) for row in likely)

    def explain(self, index: int) -> Hint:
        problem = self.problem(index)
        token = self.lexed.tokens[index]
        if token in reserved_words() and self.machine.fits("NAME", self.terminal(index + 1)):
            found = self.reserved(index)
            if found:
                return Hint(found[0], (("NAME",),))
        if token.type in _ANCHORS:
            closers = self.closers(index)
            if closers and problem.opened is not None:
                return Hint(unclosed(problem, problem.opened), ((*closers, token.type),))
        return diagnose(problem)

    def closed_early(self, index: int) -> Hint | None:
        """Go back into the block that a `}` right before the token has closed, if the token fits there.

        Only where a later bracket closes nothing: else the token itself is in the wrong place.
        """
        token = self.lexed.tokens[index]
        early = index > 0 and self.lexed.tokens[index - 1].type == "RBRACE" and self.lexed.stray > index
        if not early or token.type not in _ANCHORS:
            return None
        inside = Machine(self.in_block)
        if not inside.fits(token.type):
            return None
        hint = outside(self.problem(index))
        self.machine = inside
        return hint

    def closers(self, index: int) -> tuple[str, ...]:
        """Say which closing brackets would make the token fit; empty if there is no such row."""
        closers: tuple[str, ...] = ()
        at = self.lexed.innermost(index)
        while at >= 0:
            closers = (*closers, PARTNER[self.lexed.tokens[at].type])
            if not self.machine.fits(*closers):
                return ()
            if self.machine.fits(*closers, self.lexed.tokens[index].type):
                return closers
            at = self.lexed.innermost(at)
        return ()
