"""Noise: fields, profiler values and lines of the log that are drawn apart from the run and say nothing about it.

In: the items of a system and the `Checker` of the system. Out: checked noise; what is wrong is reported and left out.
No expression can read noise: `names.NoiseSymbol` stands for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dsl.check.checker import Checker
from dsl.check.declarations import resolve_type
from dsl.check.events import DEFAULT_LEVEL, event_logger, known_event
from dsl.check.index import report_duplicate
from dsl.check.literals import variable_domain
from dsl.check.printing import check_noise_text, check_show
from dsl.checked import CheckedNoiseLine, CheckedNoiseValue
from dsl.diagnostics.collector import Collector
from dsl.syntax import nodes

USUALLY = 50
"""In how many of 100 tasks a line is there where the author says nothing."""


def noise_decls(items: Sequence[nodes.SystemItem]) -> Iterator[nodes.NoiseValue]:
    """All declarations of noise that have a name."""
    for item in items:
        if isinstance(item, nodes.VarBlock):
            yield from (each for _, each in item.grouped if isinstance(each, nodes.NoiseValue))
        elif isinstance(item, nodes.ProfilerBlock):
            yield from (each for each in item.items if isinstance(each, nodes.NoiseValue))


def check_noise_values(items: Sequence[nodes.SystemItem], checker: Checker) -> tuple[CheckedNoiseValue, ...]:
    """Check the noise among the config, the given facts and the profiler's values, each in printing order."""
    blocks = [item for item in items if isinstance(item, nodes.VarBlock)]
    _refuse_hidden([block for block in blocks if block.kind == "hidden"], checker.collector)
    shown = [each for kind in ("config", "given") for block in blocks if block.kind == kind for each in block.grouped]
    profiler = [(None, each) for item in items if isinstance(item, nodes.ProfilerBlock) for each in item.items]
    return (*_among(shown, "config", checker), *_among(profiler, "profiler", checker))


def _refuse_hidden(blocks: Sequence[nodes.VarBlock], collector: Collector) -> None:
    for block in blocks:
        for _, each in block.grouped:
            if isinstance(each, nodes.NoiseValue):
                why = "hidden variables aren't printed, and noise is nothing else"
                collector.error("E407", f"`noise` has no meaning for `{each.name.name}`", each.name.span, why)


def _among(
    declared: Sequence[tuple[nodes.Ident | None, nodes.VarDecl | nodes.RelationDecl | nodes.NoiseValue]],
    channel: str,
    checker: Checker,
) -> Iterator[CheckedNoiseValue]:
    after = ""
    for group, each in declared:
        if not isinstance(each, nodes.NoiseValue):
            after = each.name.name
            continue
        value = _noise_value(each, channel, after, "" if group is None else group.name, checker)
        if value is not None:
            yield value


def _noise_value(
    decl: nodes.NoiseValue, channel: str, after: str, group: str, checker: Checker
) -> CheckedNoiseValue | None:
    type_ = resolve_type(decl.type, checker.scope, checker.collector)
    if type_ is None:
        return None
    domain = variable_domain(decl.name, decl.domain, type_, checker.constants().value, checker.collector)
    if domain is None:
        return None
    return CheckedNoiseValue(
        name=decl.name.name,
        channel=channel,
        type=type_,
        domain=tuple(constant.value for constant in domain),
        printing=check_show(decl.show, type_, checker.scope, checker.collector),
        after=after,
        group=group,
        span=decl.name.span,
    )


def check_noise_lines(blocks: Sequence[nodes.LogBlock], collector: Collector) -> tuple[CheckedNoiseLine, ...]:
    """Check the noise among the lines of the log."""
    events = [event for block in blocks for event in block.events]
    loggers = {logger.name: logger for logger in map(event_logger, events)}
    lines = [item for block in blocks for item in block.items if isinstance(item, nodes.NoiseLine)]
    return tuple(_noise_line(line, events, loggers, collector) for line in lines)


def _noise_line(
    line: nodes.NoiseLine, events: Sequence[nodes.EventDecl], loggers: dict[str, nodes.Ident], collector: Collector
) -> CheckedNoiseLine:
    logger = line.logger
    if logger.name in loggers:
        what = "is the logger of an event and of noise"
        report_duplicate(logger.name, logger, loggers[logger.name], collector, what=what)
    often = USUALLY if line.often is None else line.often
    if not 1 <= often <= 100:
        collector.error(
            "E435",
            f"noise can't be there in {often} of 100 tasks",
            logger.span,
            "`often` takes a number from 1 to 100",
        )
    after, before = _place(line, events, collector)
    return CheckedNoiseLine(
        level=line.level or DEFAULT_LEVEL,
        logger=logger.name,
        often=often,
        wordings=tuple(check_noise_text(wording, collector) for wording in line.wordings),
        wording_spans=tuple(wording.span for wording in line.wordings),
        after=after,
        before=before,
        span=logger.span,
    )


def _place(line: nodes.NoiseLine, events: Sequence[nodes.EventDecl], collector: Collector) -> tuple[str, str]:
    """The events between which a line stands, as far as it names some."""
    named = [None if each is None else known_event(each, events, collector) for each in (line.after, line.before)]
    after, before = named
    if after is not None and before is not None and before.name.span.start <= after.name.span.start:
        assert line.before is not None
        collector.error(
            "E436",
            f"`{before.name.name}` isn't declared after `{after.name.name}`",
            line.before.span,
            "no line is behind the one and ahead of the other",
            helps=("name first the event that is declared first: `after FIRST before SECOND`",),
        )
    return "" if after is None else after.name.name, "" if before is None else before.name.name
