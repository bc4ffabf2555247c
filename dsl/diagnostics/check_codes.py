"""The codes of the checks: 2xx names, 3xx types and units, 4xx what the language asks of a system."""

from __future__ import annotations

from dsl.diagnostics.code import Code


def _system(body: str) -> str:
    """A system with one field, for samples."""
    return f'system shop "Shop" {{\n  config {{ size: int in {{2, 4}} "size" }}\n{body}}}\n'


def _ruled(body: str = "", rule: str = "when size == 4  set size = 2", after: str = "") -> str:
    """A system with one rule, for samples."""
    return _system(f'{body}  rule big TOO_BIG "too big" {{ {rule} }}\n  runbook big\n') + after


_BIG = 'archetype big of shop "Big" { fault big  tier computed }\n'
_FINE = 'archetype fine of shop "Fine" { fault none  tier healthy }\n'

_THREE = """system shop "Shop" {
  config { size: int in {2, 4} "size"  stock: int in {1, 2} "stock"  open: bool "open" }
  rule big TOO_BIG "too big" { when size == 4  set size = 2 }
  rule full TOO_FULL "too full" { when stock == 2  set stock = 1 }
  rule shut SHUT "shut" { when not open  set open = true }
  runbook big, full, shut
}
"""

NAME_CODES = (
    Code(
        "E201",
        "an unknown name",
        "An expression can mention the variables and relations of its system, constants, tables, names that a "
        "quantifier binds, and members of the enumeration that is expected at that place.",
        _system("  require sise < 4\n"),
    ),
    Code(
        "E202",
        "a name declared twice",
        "Variables, relations, events, constants and tables share one space of names, which a system's own names "
        "extend: nothing hides an outer name. Units and enumerations share another. Rules, diagnosis codes, archetypes "
        "(with compositions), regions and splits each have their own. A list that names something twice that may "
        "occur only once has this error, too, and so has an alias of two variables.",
        "const limit = 1\nconst limit = 2\n",
    ),
    Code(
        "E203",
        "a name declared in another file",
        "A file sees what it declares itself and what the files it imports see. Import the file that the help "
        "line names.",
    ),
    Code(
        "E204",
        "a word that could mean two things",
        "A member of an enumeration can't have the name of a variable, relation, constant, table or bound name "
        "that the same expression could mention, and it can't be `true` or `false`. Rename one of them.",
        'enum Mode { fast, slow }\nsystem shop "Shop" { config { fast: Mode "mode" } }\n',
    ),
    Code(
        "E205",
        "declarations in a circle",
        "A relation can't depend on itself, not even through other relations or under `with`; the same holds for "
        "constants and units. The message names the circle.",
        _system("  let a = b + size\n  let b = a\n  sound b < 9\n"),
    ),
    Code(
        "E206",
        "an unknown type or unit",
        "A type is `int`, `bool`, a declared unit, a declared enumeration, or members in braces. The suffix of a "
        "number is a declared unit.",
        "const limit = 4 MiB\n",
    ),
    Code(
        "E207",
        "a name of the wrong kind",
        "The name exists, but stands for something that can't be used here: for example a table without a key, or "
        "a relation where only a variable can be changed. Nothing can read noise.",
        _system("  let twice = size * 2\n  sound (twice with (twice = 2)) == 2\n"),
    ),
    Code(
        "E208",
        "a member of several enumerations",
        "A word that is a member of several enumerations is understood only where one of them is expected: next "
        "to a variable in a comparison, as a value of a field, as a key of a table.",
        "enum Mode { fast, slow }\nenum Speed { fast, faster }\nconst start = fast\n",
    ),
    Code(
        "E209",
        "a word that isn't a member",
        "An enumeration is expected here, but the word is neither one of its members nor the name of another value.",
        'system shop "Shop" {\n  config { mode: {fast, slow} "mode" }\n  require mode == fats\n}\n',
    ),
    Code(
        "E210",
        "an unknown system, rule, diagnosis code, event, archetype, region or split",
        "The name isn't declared where this kind of thing is declared: rules, codes and events in the system, "
        "regions and splits in the dataset, systems and archetypes in a file of the program.",
        'archetype big of shop "Big" { fault big  tier computed }\n',
    ),
)

TYPE_CODES = (
    Code(
        "E301",
        "a value of the wrong type",
        "Numbers, flags and enumerations don't mix: a condition is a flag, arithmetic takes numbers, and both "
        "sides of a comparison have one type.",
        _system("  require size\n"),
    ),
    Code(
        "E302",
        "units that don't go together",
        "Numbers are added, subtracted and compared only in one unit; `*` multiplies units, `floor` and `ceil` "
        "divide them. A number without a suffix is a plain number, except 0, which fits any unit. `e as MiB` "
        "gives a plain number a unit, `number(e)` removes the unit, `e to GiB down` converts.",
        "unit MiB\nunit ms\nconst sum_of_both = 1 MiB + 1 ms\n",
    ),
    Code(
        "E303",
        "an order comparison of values without an order",
        "`<`, `<=`, `>` and `>=` compare numbers. Members of an enumeration and truth values are equal or not.",
        'system shop "Shop" {\n  config { mode: {fast, slow} "mode" }\n  require mode < slow\n}\n',
    ),
    Code(
        "E305",
        "a value that isn't constant",
        "Constants, domains, defaults, tables and examples are fixed when the file is read. They can use numbers, "
        "constants and operators, but no variables, relations or tables.",
        _system('  hidden { rest: int in {size} "rest" }\n  require rest == 1\n'),
    ),
    Code(
        "E306",
        "a conversion that isn't possible",
        "Units convert within one base unit, by whole factors. A conversion to a larger unit must say how it "
        "rounds: `to GiB down` or `to GiB up`.",
        "unit MiB\nunit ms\nconst mixed = 4 MiB to ms\n",
    ),
    Code(
        "E307",
        "a divisor that may be 0",
        "`floor`, `ceil` and `mod` need a divisor that is never 0, whatever the values of the variables, even in "
        "a branch of an `if` that isn't taken. Bounds decide; where they don't, all combinations of the variables "
        "that the divisor depends on are tried, if there are at most 100,000. `max(1, x)` is the usual repair.",
        'system shop "Shop" {\n  config { size: int in 0..4 "size" }\n  sound floor(8 / size) > 1\n}\n',
    ),
    Code(
        "E308",
        "a value out of range",
        "Every value that can occur, intermediate ones included, must lie between -2^60 and 2^60, so that no "
        "later stage overflows.",
        "const huge = 2^40 * 2^40\n",
    ),
    Code(
        "E310",
        "`before` outside a prescription, or `printed` outside a guard",
        "`before(e)` is `e` in the state in which the rule fired. It is allowed only in what a rule sets, and not "
        "inside another `before`. `printed(e)` is `e` in the run as printed. It is allowed only in the `when` of a "
        "rule, and not inside another `printed`.",
        _system("  require before(size) == 1\n"),
    ),
    Code(
        "E311",
        "a wrong number of arguments",
        "`abs` and `number` take one argument; `min` and `max` take at least one.",
        "const least = abs(1, 2)\n",
    ),
    Code(
        "E312",
        "a missing table entry",
        "A table needs an entry for every member of the enumeration that is its key, and for every number that a "
        "key can be.",
        "enum Mode { fast, slow }\ntable cost: Mode -> int { fast: 1 }\n",
    ),
    Code(
        "E313",
        "a `show` that doesn't fit",
        "`show` says the unit and the decimals (at most 6) with which a number is printed, or by what it is divided to "
        "be printed with all its digits; such a divisor has no factors but 2 and 5. Flags and enumerations are printed "
        "as words.",
        'system shop "Shop" {\n  config { open: bool "open" }\n  profiler { closed = not open show to 1 decimal }\n}\n',
    ),
)

RULE_CODES = (
    Code(
        "E401",
        "an empty set",
        "A domain, an enumeration, a table and the set after `in` need at least one value.",
        'system shop "Shop" { config { size: int in 4..2 "size" } }\n',
    ),
    Code(
        "E402",
        "a step that isn't positive",
        "`low..high step s` counts upwards from `low` by `s`.",
        'system shop "Shop" { config { size: int in 1..4 step 0 "size" } }\n',
    ),
    Code(
        "E403",
        "a set that is too large",
        "A domain has at most 4096 values, a table as many entries, an enumeration 256 members, and an event 50 lines. "
        "The size is found before any values are written out.",
        'system shop "Shop" { config { size: int in 1..1_000_000_000 "size" } }\n',
    ),
    Code(
        "E404",
        "a value listed twice",
        "Each value of a domain, each member and each key may be listed only once.",
        'system shop "Shop" { config { size: int in {1, 2, 1} "size" } }\n',
    ),
    Code(
        "E405",
        "a value outside the domain",
        "Defaults, values in examples and fixes, and constants that a rule sets or `with` assumes must lie in the "
        "variable's domain.",
        'system shop "Shop" { config { size: int in {1, 2} "size" default 3 } }\n',
    ),
    Code(
        "E406",
        "a number without a domain",
        "Every variable has a finite set of values. Flags and enumerations bring their own; for a number it must "
        "be given: `in {1, 2, 4}`, `in 0..1536 step 256`, `in pow2 1..64`.",
        'system shop "Shop" { config { size: int "size" } }\n',
    ),
    Code(
        "E407",
        "a part that has no meaning for this variable or group",
        "`locked` is for config fields, `prefer` for config fields that aren't locked, `show` with rounding for given "
        "facts, `group` for config fields and given facts, and `noise` for these and for profiler values.",
        'system shop "Shop" { given { size: int in {1, 2} "size" locked } }\n',
    ),
    Code(
        "E408",
        "a preference that doesn't order the values",
        "`prefer larger` and `prefer smaller` need numbers, `prefer listed` takes the order of the domain, and "
        "`prefer {...}` lists every value of the domain once, best first.",
        'system shop "Shop" { config { size: int in {1, 2} "size" prefer {2} } }\n',
    ),
    Code(
        "E409",
        "something that can never happen",
        "No world makes this guard true, or this condition on a new value. Bounds show it, or all combinations of "
        "the variables that it depends on were tried.",
        _ruled(rule="when size > 4  set size = 2"),
    ),
    Code(
        "E410",
        "a rule that fires again after its own fix",
        "An alternative has to set a field that the guard depends on, and not to a value with which the guard is "
        "sure to hold. Otherwise the guard stays true and the rule fires a second time, which gives no task.",
        'system shop "Shop" {\n  config { size: int in {1, 2} "size"  stock: int in {1, 2} "stock" }\n'
        '  rule big TOO_BIG "too big" { when size == 2  set stock = 1 }\n  runbook big\n}\n',
    ),
    Code(
        "E411",
        "a runbook that doesn't list each rule once",
        "A system with rules has one runbook, which names every rule once, in firing order.",
        _system('  rule big TOO_BIG "too big" { when size == 4  set size = 2 }\n'),
    ),
    Code(
        "E413",
        "a field that can't be set",
        "Prescriptions and fixes can change only config fields that aren't locked.",
        'system shop "Shop" {\n  config { size: int in {1, 2} "size" locked }\n'
        '  rule big TOO_BIG "too big" { when size == 2  set size = 1 }\n  runbook big\n}\n',
    ),
    Code(
        "E414",
        "a field that is set and kept",
        "No repair changes what a system keeps, so no rule can set it. A rule's own `keep` gives way to what the "
        "rules set.",
        _ruled("  keep size\n"),
    ),
    Code(
        "E415",
        "an order among values that have none",
        "`largest`, `smallest`, `not above` and `not below` are for numbers.",
        'system shop "Shop" {\n  config { mode: {fast, slow} "mode" }\n'
        '  rule rushed RUSHED "rushed" { when mode == fast  set mode = largest where mode == slow }\n'
        "  runbook rushed\n}\n",
    ),
    Code(
        "E416",
        "a keep without effect",
        "No repair changes given or hidden variables, so only config fields and relations can be kept.",
        'system shop "Shop" {\n  config { size: int in {1, 2} "size" }\n  given { stock: int in {1, 2} "stock" }\n'
        "  keep stock\n}\n",
    ),
    Code(
        "E417",
        "an example whose diagnosis codes aren't those of its archetype",
        "Every world of an archetype gives exactly the diagnosis codes of its faults, so its examples do too.",
        _ruled(after='archetype big of shop "Big" { fault big  tier computed  example { size = 2 } => HEALTHY }\n'),
    ),
    Code(
        "E418",
        "a composition of parts that don't fit",
        "A composition joins two archetypes of one system that have one fault each, and different ones.",
        _ruled(after=_BIG + _FINE + 'compose both = big + fine "Both" { }\n'),
    ),
    Code(
        "E419",
        "a tier that contradicts the fault",
        "An archetype without a fault has both `fault none` and `tier healthy`; any other archetype has neither.",
        _ruled(after='archetype fine of shop "Fine" { fault none  tier computed }\n'),
    ),
    Code(
        "E420",
        "a split that can't be filled",
        "A split asks for at least one task, uses archetypes with a weight of at least 1, and requires an "
        "interaction of at most 3 and a margin of at most 20 percent; at most 100 percent of its tasks are `near`. It "
        "can't both avoid and require a region, or be unseen in itself.",
        'dataset shops version "1" seed 1 "Shops" { split train 10 { } }\n',
    ),
    Code(
        "E421",
        "quantifiers that expand to too many terms",
        "`sum`, `count`, `any` and `all` are written out over their values, and nested ones multiply. Events that are "
        "repeated are written out, too. All of a program together may expand to 100,000 terms.",
        _system("  sound sum(a in 1..400: sum(b in 1..400: a * b * size)) > 0\n"),
    ),
    Code(
        "E422",
        "a placeholder that names nothing",
        "In the text of a rule, `{name}` stands for a constant, which is printed with its unit; in the wordings "
        "of an event, it stands for an attribute of the event; in those of noise, `{3..9}` stands for a random number. "
        "Braces have no other meaning there.",
        _ruled(rule='when size == 4  set size = 2  says "at most {limit}"'),
    ),
    Code(
        "E423",
        "a look-alike that can't be drawn",
        "`like NAME 40` asks for tasks that show what gives the archetype NAME away and have another answer: NAME "
        "needs a `tell`, the same system and another fault, and the percentages add up to 100 at most.",
        """\
system tank "A tank" {
  config { fill: int in { 0, 1 } "litres" prefer larger default 0 }
  sound fill == 1 "it is full"
  rule empty EMPTY "it is empty" { when fill == 0 set fill = 1 }
  runbook empty
}
archetype empty_tank of tank "It is empty" { fault empty  tier computed }
archetype full_tank of tank "It is full" { fault none  tier healthy  like empty_tank 50 }
""",
    ),
    Code(
        "E424",
        "an expression that grows too large",
        "`e with (...)` repeats everything that `e` depends on. A `with` on a relation that itself uses `with` "
        "multiplies the terms. With all of them written out, a system may have 50,000 terms.",
        _system(
            "  let r0 = size + 1\n"
            + "".join(f"  let r{n} = (r{n - 1} with (size = 4)) + (r{n - 1} with (size = 2))\n" for n in range(1, 17))
            + "  sound r16 > 0\n"
        ),
    ),
    Code(
        "E425",
        "a derivation that is too deep",
        "Relations that build on each other, with the operators inside them, may be 200 levels deep in all.",
        _system(
            "  let r0 = size + 1\n"
            + "".join(f"  let r{n} = r{n - 1} + 1\n" for n in range(1, 110))
            + "  sound r109 > 0\n"
        ),
    ),
    Code(
        "E426",
        "conditions that exclude everything",
        "No world is valid, no run is sound, or no world belongs to the archetype: the conditions contradict each "
        "other or the domains.",
        _system("  require size > 4\n"),
    ),
    Code(
        "E427",
        "too many declarations",
        "A program may have 2,000 declarations outside systems, and a system 500 names.",
        "".join(f"const c{n} = {n}\n" for n in range(2001)),
    ),
    Code(
        "E428",
        "a case that leaves too much open",
        "Of the worlds that fit the facts of a case, those are tried that may be answered differently, 1,048,576 at "
        "most. Here there are more; all that were drawn confirm the answer, or none was found. Give more facts, or "
        "narrow those that stay open with `where`.",
        'system shop "Shop" {\n'
        '  config { size: int in {2, 4} "size" }\n'
        '  hidden { price: int in 1..1000 "price"  guests: int in 1..1400 "guests" }\n'
        '  rule big TOO_BIG "too big" { when size == 4 and price + guests < 2400  set size = 2 }\n'
        "  runbook big\n}\n"
        'case c01 of shop "https://example.org/1" { known { size = 4 } } => TOO_BIG { size = 2 }\n',
    ),
    Code(
        "E429",
        "a pace that no page can have",
        "`every` says how many milliseconds a repetition takes, `takes` how many an event does, and the times of the "
        "lines follow them. Times aren't evidence, so both read only what a page shows as it is: config fields, given "
        "facts, profiler values that are always there, and relations that attributes of the line, or of lines that are "
        "always there, show; none of them rounded. The least time comes first.",
        _system(
            '  hidden { wait: int in {100, 900} "a lap" }\n'
            '  log { event lap for step in {1, 10} every wait { attr rooms = size says "{step} {rooms}" } }\n'
        ),
    ),
    Code(
        "E430",
        "an example whose world doesn't exist",
        "The values of the example, with the defaults of the variables it doesn't set, violate a `require`.",
        _THREE.replace("  rule big", '  require size + stock < 6 "six fill the shop"\n  rule big')
        + _FINE
        + 'archetype big of shop "Big" {\n  fault big  tier computed\n'
        + "  example { size = 4, stock = 2, open = true } => TOO_BIG { size = 2 }\n}\n",
    ),
    Code(
        "E431",
        "an example that the runbook diagnoses differently",
        "The runbook, followed from the example's world, gives other diagnosis codes than the example says, or the "
        "world can't be a task. The notes show its steps. Correct the example, or the rules.",
        _THREE
        + _FINE
        + 'archetype big of shop "Big" { fault big  tier computed  example { size = 2, open = true } => TOO_BIG }\n',
    ),
    Code(
        "E432",
        "an example that the runbook fixes differently",
        "The runbook, followed from the example's world, gives the diagnosis codes that the example says, but another "
        "fix. Correct the example, or what the rules set.",
        _THREE
        + _FINE
        + 'archetype big of shop "Big" {\n  fault big  tier computed\n'
        + "  example { size = 4, open = true } => TOO_BIG { size = 2, stock = 1 }\n}\n",
    ),
    Code(
        "E433",
        "an example that shows a different value",
        "In the example's world, a relation has another value than `shows` says.",
        _THREE.replace("  rule big", "  profiler { twice = size * 2 }\n  rule big")
        + 'archetype fine of shop "Fine" {\n  fault none  tier healthy\n'
        + "  example { open = true } => HEALTHY shows { twice = 8 }\n}\n",
    ),
    Code(
        "E434",
        "an alias without a tool",
        "An alias is the name by which a tool knows a variable: the tool, in letters, then a colon and the name.",
        'system shop "Shop" { config { size: int in {1, 2} "size" alias "rooms" } }\n',
    ),
    Code(
        "E435",
        "noise that is never there, or more than always",
        "`often` says in how many of 100 tasks a line of noise is there: a number from 1 to 100.",
        _system('  log { noise by health often 0 { says "all quiet" } }\n'),
    ),
    Code(
        "E436",
        "a line that has no such place",
        "`before OTHER when ...` needs an event that is declared earlier, with one line at a place of its own: neither "
        "of the two is repeated, and the other one isn't placed before a third. Noise `after FIRST before SECOND` "
        "needs a second event that is declared after the first one.",
        _system(
            "  log {\n"
            '    event early before late when size == 2 { says "early" }\n'
            '    event late { says "late" }\n'
            "  }\n"
        ),
    ),
    Code(
        "E437",
        "a fact that no run can show",
        "A fact of the case gives a value that lies outside the domain of its variable, or is never printed so; or "
        "it names a line that the log never has, or denies one that it always has. Where the source is right, the "
        "system lacks something: widen the domain, or leave the fact out.",
        _THREE + 'case c01 of shop "https://example.org/1" { known { size = 3 } } => HEALTHY\n',
    ),
    Code(
        "E438",
        "a case that no world fits",
        "No world satisfies every `require` and all facts of the case at once. The note names the facts and conditions "
        "without any one of which some world fits.",
        _THREE + 'case c01 of shop "https://example.org/1" { known { size = 2 }  where size + stock > 4 } => HEALTHY\n',
    ),
    Code(
        "E439",
        "a case whose facts leave the answer open",
        "Worlds that fit the facts of a case are answered differently. The notes say how often each answer is given, "
        "show two such worlds, and name the facts of which one more would settle the answer. Add what the source says, "
        "or let the system print what decides.",
        _THREE
        + 'case c01 of shop "https://example.org/1" { known { size = 4, open = true } } => TOO_BIG { size = 2 }\n',
    ),
    Code(
        "E440",
        "a case that the runbook answers otherwise",
        "All worlds that fit the facts of a case have one answer, but it isn't the confirmed one. The notes show the "
        "walk. If the facts are right, a rule or a formula is wrong.",
        _THREE
        + 'case c01 of shop "https://example.org/1" { known { size = 2, stock = 1, open = false } } => HEALTHY\n',
    ),
    Code(
        "W441",
        "something that nothing uses",
        "The constant, table, enumeration, relation, hidden variable or region is declared but never used. Config "
        "fields and given facts may be there to distract.",
        _system("  let twice = size * 2\n"),
    ),
    Code(
        "W442",
        "a system that gives the answer away",
        "All prompts of a system print the same fields and rules. With fewer than three diagnosis codes, or without a "
        "healthy control, what is printed tells too much.",
        _ruled(after=_BIG + _FINE),
    ),
    Code(
        "W443",
        "values that mean the same run",
        "Two values of a field lead to the same relations, log, guards and soundness in every sampled world. A "
        "repair with either value is as good, so there is more than one right answer.",
        'system shop "Shop" {\n  config { mode: {none, light, heavy} "mode" }\n'
        '  rule loaded LOADED "loaded" { when mode != none  set mode = none }\n  runbook loaded\n}\n',
    ),
    Code(
        "W444",
        "a condition that always holds",
        "The condition holds in every world, so it says nothing about a run, and as a tell it gives nothing away.",
        _system("  sound size < 5\n"),
    ),
    Code(
        "W445",
        "a walk that can loop",
        "In some sampled worlds a rule fires a second time, which gives no task. Let the guard also require that "
        "the prescription is enough, or add an alternative.",
        'system shop "Shop" {\n  config { size: int in {1, 2, 3, 4} "size"  stock: int in {1, 2, 3, 4} "stock" }\n'
        '  rule big TOO_BIG "too big" { when size + stock > 5  set size = 2 }\n  runbook big\n}\n',
    ),
    Code(
        "W446",
        "hardly any world is valid",
        "None of the sampled worlds satisfies every `require`, so the lints that look at worlds can't run, and "
        "drawing tasks will be slow.",
        'system shop "Shop" {\n'
        '  config { a: int in 0..999 "a"  b: int in 0..999 "b"  c: int in 0..999 "c" }\n'
        "  require a == b\n  require b == c\n}\n",
    ),
    Code(
        "W447",
        "a rule that doesn't fire",
        "The rule fires in no sampled walk and in no example: its guard is rarely true, or an earlier rule always "
        "fires first. An example of an archetype with this fault shows that it can.",
        'system shop "Shop" {\n  config { size: int in {1, 2} "size"  stock: int in {1, 2} "stock" }\n'
        '  rule big TOO_BIG "too big" { when size == 2  set size = 1 }\n'
        '  rule full TOO_FULL "too full" { when size == 2 and stock == 2  set stock = 1 }\n'
        "  runbook big, full\n}\n",
    ),
    Code(
        "W448",
        "a `with` that changes nothing",
        "`with` sets a variable that the expression before it doesn't depend on. It binds more tightly than operators: "
        "in `a * b with (a = 1)` it belongs to `b` alone, so write `(a * b) with (a = 1)`.",
        'system shop "Shop" {\n  config { size: int in {2, 4} "size"  stock: int in {1, 2} "stock" }\n'
        "  sound size * stock with (size = 2) < 8\n}\n",
    ),
    Code(
        "W451",
        "a part of a split that changes nothing",
        "No archetype of the split belongs to the region's system, `boundary` is given although no archetype has a "
        "`hard where`, or a number asks for nothing, as `near 0` does.",
        _THREE
        + _BIG
        + _FINE
        + 'dataset shops version "1" seed 1 "Shops" { split train 10 { boundary  use big, fine } }\n',
    ),
    Code(
        "W452",
        "an example outside its archetype",
        "The example's world doesn't satisfy the `where` conditions, so it isn't one of the worlds that are drawn.",
        _THREE
        + 'archetype fine of shop "Fine" {\n  fault none  tier healthy  where size == 4\n'
        + "  example { size = 2, open = true } => HEALTHY\n}\n",
    ),
    Code(
        "E455",
        "a case without a source, or with a text that doesn't fit on a line",
        "The first text of a case is the address of its public source, where others can look it up; the second one "
        "says what went wrong, and may be left out. Neither is empty, and neither has line breaks or other characters "
        "that don't show.",
        _THREE + 'case c01 of shop "" { known { size = 4, stock = 1, open = true } } => TOO_BIG { size = 2 }\n',
    ),
    Code(
        "E456",
        "an answer that no run has",
        "An answer is `HEALTHY` alone, or one or two different diagnosis codes and the fix. A healthy run has no fix, "
        "and a run in which a third rule fires, or one rule twice, gives no task. Of the answers of a case no two are "
        "the same.",
        _THREE + 'case c01 of shop "https://example.org/1" { known { size = 2 } } => HEALTHY { stock = 1 }\n',
    ),
    Code(
        "E457",
        "a line of the log without words",
        "A wording of noise, or of an event that has no attributes, has at least one word. An event with attributes "
        "may leave it at these.",
        _system('  log { noise by health { says "" } }\n'),
    ),
    Code(
        "W458",
        "a tell that gives nothing away",
        "A tell is a condition on what a page shows, by which a reader could guess the archetype. This one is given "
        "twice, holds in no valid world, or depends only on hidden variables of which no page shows anything.",
        _THREE.replace("  rule big", '  hidden { guests: int in {1, 2} "guests" }\n  rule big')
        + 'archetype big of shop "Big" { fault big  tier computed  tell guests == 2 }\n'
        + _FINE,
    ),
)
