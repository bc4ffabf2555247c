"""Random syntax trees of every kind, as the parser could build them; they needn't make sense.

What the parser never builds is left out: negative numbers in literals, carriage returns in texts, the
names `none` and `HEALTHY` where they have a meaning of their own.
"""

from __future__ import annotations

import string
from collections.abc import Callable

import attrs
from hypothesis import strategies as st

from dsl.operators import (
    ArithmeticOp,
    Cast,
    CompareOp,
    DivisionOp,
    Function,
    KeepSense,
    LogicOp,
    PickBy,
    Quantifier,
    Rounding,
    UnaryOp,
)
from dsl.source import Source, Span
from dsl.syntax import nodes
from dsl.syntax.lexer import NUMBER_LIMIT, reserved_words

SPAN = Span(Source("generated", ""), 0, 0)
BINARY = [*ArithmeticOp, *DivisionOp, *CompareOp, *LogicOp]

names = st.one_of(
    st.sampled_from(["a", "b", "count_", "x1", "_", "T1", "int", "Units"]),
    st.text(string.ascii_letters + "_", min_size=1, max_size=8),
).filter(lambda name: name not in reserved_words() | {"none", "HEALTHY"})
texts = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=12)
numbers = st.one_of(st.integers(0, 20), st.sampled_from([2**20, 2**60, 10_000, 999_999]), st.integers(0, NUMBER_LIMIT))
signed = st.one_of(numbers, numbers.map(lambda value: -value))
idents = st.builds(nodes.Ident, names, span=st.just(SPAN))
string_literals = st.builds(nodes.StrLit, texts, span=st.just(SPAN))
members = st.lists(st.one_of(names, texts), max_size=3).map(tuple)


def node(
    kind: Callable[..., nodes.Expression], *parts: st.SearchStrategy[object]
) -> st.SearchStrategy[nodes.Expression]:
    return st.builds(kind, *parts, span=st.just(SPAN))


def some(of: st.SearchStrategy[object], least: int = 1, most: int = 3) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(of, min_size=least, max_size=most).map(tuple)


def optional(of: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.one_of(st.none(), of)


leaves = st.one_of(
    node(nodes.IntLit, numbers, optional(names)),
    node(nodes.BoolLit, st.booleans()),
    string_literals,
    node(nodes.Name, st.one_of(names, st.just("step"))),
)


def domains(values: st.SearchStrategy[nodes.Expression]) -> st.SearchStrategy[nodes.Domain]:
    return st.one_of(
        st.builds(nodes.SetDomain, some(values, 0), span=st.just(SPAN)),
        st.builds(nodes.RangeDomain, signed, signed, signed, span=st.just(SPAN)),
        st.builds(nodes.Pow2Domain, signed, signed, span=st.just(SPAN)),
    )


def _larger(inner: st.SearchStrategy[nodes.Expression]) -> st.SearchStrategy[nodes.Expression]:
    return st.one_of(
        node(nodes.Unary, st.sampled_from(UnaryOp), inner),
        node(nodes.Binary, st.sampled_from(BINARY), inner, inner),
        node(nodes.Call, st.sampled_from([*Function, *Cast]), some(inner)),
        node(nodes.Quantified, st.sampled_from(Quantifier), idents, st.one_of(domains(inner), idents), inner),
        node(nodes.If, inner, inner, inner),
        node(nodes.First, some(st.tuples(inner, inner)), inner),
        node(nodes.In, inner, some(inner, 0)),
        node(nodes.Index, idents, inner),
        node(nodes.WithClause, inner, some(st.tuples(idents, inner))),
        node(nodes.BeforeCall, inner),
        node(nodes.PrintedCall, inner),
        node(nodes.To, inner, idents, st.sampled_from(Rounding)),
        node(nodes.As, inner, idents),
    )


exprs = st.recursive(leaves, _larger, max_leaves=12)
small_exprs = st.recursive(leaves, _larger, max_leaves=4)
types = st.one_of(
    st.builds(nodes.NamedType, idents, span=st.just(SPAN)), st.builds(nodes.EnumType, members, span=st.just(SPAN))
)
pairs = st.tuples(idents, small_exprs)
shows = st.one_of(
    st.builds(nodes.Show, optional(idents), st.integers(0, 3), span=st.just(SPAN)),
    st.builds(nodes.ShowDivided, numbers, st.booleans(), span=st.just(SPAN)),
)


def declared(kind: type, /, **parts: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.builds(kind, **parts, span=st.just(SPAN))


enums = declared(nodes.EnumDecl, name=idents, members=members)
consts = declared(nodes.ConstDecl, name=idents, value=exprs, text=optional(texts))
tables = declared(
    nodes.TableDecl,
    name=idents,
    key=types,
    value=types,
    entries=some(st.tuples(small_exprs, small_exprs), 0),
    text=optional(texts),
)


def variables(text: st.SearchStrategy[object], locked: st.SearchStrategy[bool]) -> st.SearchStrategy[object]:
    return declared(
        nodes.VarDecl,
        name=idents,
        type=types,
        domain=optional(domains(small_exprs)),
        text=text,
        locked=locked,
        prefer=st.one_of(st.none(), st.sampled_from(["larger", "smaller", "listed"]), some(small_exprs, 0)),
        default=optional(small_exprs),
        show=optional(shows),
        aliases=some(string_literals, 0),
    )


noise_values = declared(
    nodes.NoiseValue, name=idents, type=types, domain=optional(domains(small_exprs)), show=optional(shows)
)


def blocks(kind: str) -> st.SearchStrategy[object]:
    """A block of variables; those that have to have a text have one."""
    if kind == "given":
        each = variables(optional(texts), st.booleans())
    else:
        each = st.one_of(variables(texts, st.booleans()), variables(st.none(), st.just(True)))
    grouped = st.one_of(each, noise_values)
    items = st.one_of(grouped, declared(nodes.VarGroup, name=idents, items=some(grouped, 0)))
    return declared(nodes.VarBlock, kind=st.just(kind), items=some(items, 0))


def relations(show: st.SearchStrategy[object], condition: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return declared(
        nodes.RelationDecl,
        name=idents,
        type=optional(types),
        value=exprs,
        text=optional(texts),
        show=show,
        condition=condition,
    )


attributes = declared(nodes.AttrDecl, name=idents, type=optional(types), value=small_exprs, show=optional(shows))
levels = st.sampled_from([None, "info", "warn", "error"])
single_events = declared(
    nodes.EventDecl,
    name=idents,
    condition=optional(small_exprs),
    text=optional(texts),
    attributes=some(attributes, 0),
    wordings=some(string_literals),
    level=levels,
    logger=optional(idents),
    placement=optional(declared(nodes.Placement, other=idents, condition=small_exprs)),
)
paces = declared(nodes.Pace, low=small_exprs, high=optional(small_exprs))
repetitions = declared(
    nodes.Repetition,
    index=st.one_of(idents, st.builds(nodes.Ident, st.just("step"), span=st.just(SPAN))),
    values=declared(nodes.SetDomain, values=some(small_exprs, 0)),
    pace=optional(paces),
)
events = st.one_of(
    single_events,
    st.builds(attrs.evolve, single_events, repetition=repetitions),
    st.builds(attrs.evolve, single_events, takes=paces),
)
noise_lines = declared(
    nodes.NoiseLine,
    level=levels,
    logger=idents,
    often=optional(numbers),
    wordings=some(string_literals),
    after=optional(idents),
    before=optional(idents),
)
keeps = declared(nodes.KeepDecl, names=some(idents), sense=st.sampled_from(KeepSense))
sets = st.one_of(
    declared(nodes.SetAssign, field=idents, value=small_exprs),
    declared(nodes.SetPick, field=idents, by=st.sampled_from(PickBy), where=small_exprs),
    declared(nodes.SetKeeps, field=idents, quantity=idents),
)
rules = declared(
    nodes.RuleDecl,
    name=idents,
    code=idents,
    title=texts,
    guard=exprs,
    alternatives=some(declared(nodes.SetGroup, sets=some(sets))),
    keeps=some(keeps, 0),
    says=optional(string_literals),
)
system_items = st.one_of(
    st.sampled_from(["config", "given", "hidden"]).flatmap(blocks),
    relations(st.none(), st.none()),
    declared(
        nodes.ProfilerBlock,
        items=some(st.one_of(relations(optional(shows), optional(small_exprs)), noise_values), 0),
    ),
    declared(nodes.LogBlock, items=some(st.one_of(events, noise_lines), 0)),
    declared(nodes.RequireDecl, condition=exprs, text=optional(texts)),
    declared(nodes.RequireDecl, condition=exprs, text=texts, stated=st.just(True)),
    declared(nodes.SoundDecl, condition=exprs, text=optional(texts)),
    keeps,
    rules,
    declared(nodes.RunbookDecl, rules=some(idents)),
    consts,
    tables,
    enums,
)
systems = declared(nodes.SystemDecl, name=idents, title=texts, items=some(system_items, 0, 6))
wheres = some(declared(nodes.Where, condition=small_exprs, hard=st.booleans()), 0)
likes = some(declared(nodes.Like, archetype=idents, percent=numbers), 0)
examples = some(
    declared(
        nodes.Example,
        text=optional(texts),
        settings=some(pairs, 0),
        codes=some(idents, 0),
        fix=some(pairs, 0),
        shows=some(pairs, 0),
    ),
    0,
)
archetypes = declared(
    nodes.ArchetypeDecl,
    name=idents,
    system=idents,
    title=texts,
    fault=optional(idents),
    tier=idents,
    wheres=wheres,
    examples=examples,
    tells=some(small_exprs, 0),
    likes=likes,
)
composes = declared(
    nodes.ComposeDecl,
    name=idents,
    first=idents,
    second=idents,
    title=texts,
    fresh=st.booleans(),
    wheres=wheres,
    examples=examples,
    likes=likes,
)
occurrences = optional(st.integers(-3, 10**6))
facts = st.one_of(
    declared(nodes.FactValue, name=idents, value=small_exprs),
    declared(nodes.FactPresent, name=idents, at=occurrences, attributes=some(pairs, 0)),
    declared(nodes.FactAbsent, name=idents, at=occurrences),
)
cases = declared(
    nodes.CaseDecl,
    name=idents,
    system=idents,
    source=texts,
    text=optional(texts),
    facts=some(facts, 0),
    wheres=some(small_exprs, 0),
    answers=some(declared(nodes.CaseAnswer, codes=some(idents, 0), fix=some(pairs, 0))),
)
splits = declared(
    nodes.SplitDecl,
    name=idents,
    count=numbers,
    boundary=st.booleans(),
    avoid=some(idents, 0),
    within=some(idents, 0),
    unseen=some(idents, 0),
    interaction=st.integers(1, 3),
    uses=some(declared(nodes.UseDecl, archetypes=some(idents), weight=numbers, near=optional(st.integers(0, 100))), 0),
    margin=st.integers(0, 20),
)
datasets = declared(
    nodes.DatasetDecl,
    name=idents,
    version=texts,
    seed=numbers,
    title=texts,
    regions=some(declared(nodes.RegionDecl, name=idents, system=idents, condition=small_exprs), 0),
    splits=some(splits, 0),
)
units = st.one_of(
    declared(nodes.UnitDecl, name=idents, factor=st.none(), base=st.none(), singular=optional(idents)),
    declared(nodes.UnitDecl, name=idents, factor=numbers, base=idents, singular=optional(idents)),
)
imports = declared(nodes.Import, path=texts)
declarations = st.one_of(imports, units, enums, consts, tables, systems, archetypes, composes, cases, datasets)
modules = st.builds(nodes.Module, some(declarations, 0, 4), span=st.just(SPAN))
