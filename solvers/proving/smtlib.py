"""SMT-LIB 2 text: terms with shared parts, and whole scripts.

In: operators and names. Out: text for Z3, cvc5 and people. A `Term` is a piece of text with its sort. The
`TermPool` gives each long part a name, once for each content, so the text grows with the number of distinct
parts and not with the size of the tree.

`recheck_cvc5` runs a script through cvc5 (an optional dependency) within a bound on its work.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import attrs

INT = "Int"
BOOL = "Bool"
_INLINE = 72  # characters; longer terms get a name
_SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_@!]*")
_NUMBERED = re.compile(r"\$\d+")
_NO_SYMBOLS: frozenset[str] = frozenset()


@attrs.frozen(eq=False)
class Term:
    """A piece of SMT-LIB text.

    Attributes:
        symbols: The undefined names that it depends on.
        definitions: Numbers of the pool's definitions that its text names.
        literal: The integer that it is, if it is one.
    """

    text: str
    sort: str
    symbols: frozenset[str] = _NO_SYMBOLS
    definitions: tuple[int, ...] = ()
    literal: int | None = None


TRUE_TERM = Term("true", BOOL)
FALSE_TERM = Term("false", BOOL)


@functools.lru_cache(maxsize=4096)
def integer(value: int) -> Term:
    return Term(str(value) if value >= 0 else f"(- {-value})", INT, literal=value)


def boolean(value: bool) -> Term:
    return TRUE_TERM if value else FALSE_TERM


def symbol(name: str) -> Term:
    """An undefined integer constant of the given name."""
    return Term(quote(name), INT, frozenset((name,)))


def quote(name: str) -> str:
    """Write `name` as an SMT-LIB symbol.

    Raises:
        ValueError: `name` holds a character that no symbol may hold.
    """
    if _SIMPLE.fullmatch(name):
        return name
    if set(name) & set("|\\$") or not name.isprintable():
        raise ValueError(f"{name!r} can't be an SMT-LIB symbol: it holds `|`, `\\`, `$` or an unprintable character")
    return f"|{name}|"


@attrs.frozen
class Definition:
    """A named part: its sort, its text, and the numbers of the definitions that the text names."""

    sort: str
    body: str
    uses: tuple[int, ...]


class TermPool:
    """Named parts of terms. Each content has one name, so a solver sees equal parts as one."""

    def __init__(self) -> None:
        self._definitions: list[Definition] = []
        self._by_body: dict[tuple[str, str], Term] = {}
        self._labels: dict[int, str] = {}
        self._taken: set[str] = set()

    def apply(self, operator: str, args: Sequence[Term], sort: str) -> Term:
        """Build `(operator args...)`, named if it is long."""
        text = f"({operator} {' '.join([arg.text for arg in args])})"
        known = self._by_body.get((sort, text))
        if known is not None:
            return known
        if len(text) > _INLINE:
            number = len(self._definitions)
            self._definitions.append(Definition(sort, text, _definitions(args)))
            term = Term(f"${number}", sort, _symbols(args), (number,))
        else:
            term = Term(text, sort, _symbols(args), _definitions(args))
        self._by_body[sort, text] = term
        return term

    def label(self, term: Term, name: str) -> None:
        """Give a long term the name that people know it by; `body` uses it on request. The first name stays."""
        if term.text.startswith("$"):
            number = term.definitions[0]
            quoted = quote(name)
            if number not in self._labels and quoted not in self._taken:
                self._labels[number] = quoted
                self._taken.add(quoted)

    # ---- operators that several encodings need ----------------------------------------------------

    def all_of(self, terms: Iterable[Term]) -> Term:
        """Conjunction, without trivial and repeated parts."""
        kept = _distinct(terms, neutral="true")
        if any(term.text == "false" for term in kept):
            return FALSE_TERM
        return kept[0] if len(kept) == 1 else self.apply("and", kept, BOOL) if kept else TRUE_TERM

    def any_of(self, terms: Iterable[Term]) -> Term:
        """Disjunction, without trivial and repeated parts."""
        kept = _distinct(terms, neutral="false")
        if any(term.text == "true" for term in kept):
            return TRUE_TERM
        return kept[0] if len(kept) == 1 else self.apply("or", kept, BOOL) if kept else FALSE_TERM

    def negate(self, term: Term) -> Term:
        if term.text == "true":
            return FALSE_TERM
        if term.text == "false":
            return TRUE_TERM
        return self.apply("not", (term,), BOOL)

    def implies(self, condition: Term, then: Term) -> Term:
        return self.any_of((self.negate(condition), then))

    def equal(self, left: Term, right: Term) -> Term:
        if left.literal is not None and right.literal is not None:
            return boolean(left.literal == right.literal)
        return TRUE_TERM if left.text == right.text else self.apply("=", (left, right), BOOL)

    def one_of(self, term: Term, values: Iterable[int]) -> Term:
        """Whether an integer term is one of the values."""
        return self.any_of(self.equal(term, integer(value)) for value in values)

    def choose(self, condition: Term, then: Term, otherwise: Term) -> Term:
        """Build `if condition then then else otherwise`."""
        if condition.text == "true" or then.text == otherwise.text:
            return then
        if condition.text == "false":
            return otherwise
        return self.apply("ite", (condition, then, otherwise), then.sort)

    # ---- scripts ----------------------------------------------------------------------------------

    def body(self, terms: Sequence[Term], *, values: Mapping[str, int] | None = None, labels: bool = False) -> str:
        """Declare what `terms` need and assert each of them.

        Args:
            values: Values for some of the undefined names; they become definitions.
            labels: Use the names that people know, where there are some.
        """
        known = {} if values is None else values
        symbols = [(name, quote(name)) for name in sorted(_symbols(terms))]
        lines = [
            f"(define-fun {quoted} () Int {integer(known[name]).text})"
            if name in known
            else f"(declare-const {quoted} Int)"
            for name, quoted in symbols
        ]
        for number in self._needed(terms):
            definition = self._definitions[number]
            lines.append(f"(define-fun ${number} () {definition.sort} {definition.body})")
        lines += [f"(assert {term.text})" for term in terms]
        text = "\n".join(lines) + "\n"
        if not labels:
            return text
        taken = {quoted for _, quoted in symbols}
        free = {f"${number}": label for number, label in self._labels.items() if label not in taken}
        return _NUMBERED.sub(lambda found: free.get(found[0], found[0]), text)

    def _needed(self, terms: Sequence[Term]) -> list[int]:
        wanted: set[int] = set()
        stack = [number for term in terms for number in term.definitions]
        while stack:
            number = stack.pop()
            if number not in wanted:
                wanted.add(number)
                stack.extend(self._definitions[number].uses)
        return sorted(wanted)


def _symbols(terms: Iterable[Term]) -> frozenset[str]:
    found = [term.symbols for term in terms if term.symbols]
    if not found:
        return _NO_SYMBOLS
    return found[0] if len(found) == 1 else frozenset().union(*found)


def _definitions(terms: Iterable[Term]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(number for term in terms for number in term.definitions))


def _distinct(terms: Iterable[Term], *, neutral: str) -> list[Term]:
    return list({term.text: term for term in terms if term.text != neutral}.values())


def script(comment: str, body: str, *, expected: str) -> str:
    """Put a body into a script of its own: header, logic, expected status, `check-sat`."""
    header = "".join(f"; {line}\n" if line else ";\n" for line in comment.splitlines())
    return f"{header}(set-info :status {expected})\n(set-logic QF_NIA)\n{body}(check-sat)\n"


ScriptAnswer = Literal["unsat", "sat", "unknown"]
"""What a solver answers to a script; "unknown" also if it reached its bound."""


def recheck_cvc5(text: str, *, rlimit: int = 4_000_000) -> ScriptAnswer:
    """Run a script through cvc5 within a bound on its work, in cvc5's own units.

    Raises:
        ImportError: cvc5 isn't installed (the extra `recheck` brings it).
        ValueError: cvc5 can't read the script.
    """
    import cvc5

    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("rlimit-per", str(rlimit))
    symbols = cvc5.SymbolManager(manager)
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "script")
    answers: list[ScriptAnswer] = []
    try:
        while not (command := parser.nextCommand()).isNull():
            name = command.getCommandName()
            if name == "check-sat":
                result = solver.checkSat()
                answers.append("unsat" if result.isUnsat() else "sat" if result.isSat() else "unknown")
            elif name != "set-info":  # a stated status turns another answer into an error
                command.invoke(solver, symbols)
    except RuntimeError as error:
        raise ValueError(f"cvc5 can't read the script: {error}") from error
    if len(answers) != 1:
        raise ValueError(f"a script has one `check-sat`; this one has {len(answers)}")
    return answers[0]
