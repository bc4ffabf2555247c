"""The catalogue of diagnostic codes: what each means, and the smallest program that shows it.

Blocks: 1xx syntax and files, 2xx names, 3xx types and units, 4xx rules of the language, 5xx proofs,
6xx output. A `sample` is the text of one module that gives exactly this code; it is None where no
single module can (file limits, imports, proofs). A code never changes its meaning and is never reused.
"""

from __future__ import annotations

from dsl.diagnostics.check_codes import NAME_CODES, RULE_CODES, TYPE_CODES
from dsl.diagnostics.code import Code

__all__ = ["LANGUAGE_CODES", "Code"]

# ------------------------------------------------------------------ 1xx: syntax and files

_SYNTAX = (
    Code(
        "E101",
        "unexpected text",
        "The text doesn't continue in a way that the language allows at this place. The message lists what would "
        "be right here. Reading goes on at the next declaration or block that starts with its own keyword, so one "
        "run shows several errors.",
        "unit MiB = = 4\n",
    ),
    Code(
        "E102",
        "a character that the language doesn't use",
        "Outside texts and comments, only letters, digits, `_`, spaces and the language's own signs are allowed. "
        "Typographic quotes and signs are the usual cause.",
        "unit MiB ;\n",
    ),
    Code(
        "E103",
        "a text without its closing quote",
        'A text ends on the line on which it starts. Write `\\n` for a line break and `\\"` for a quote inside it.',
        'import "units.arch\n',
    ),
    Code(
        "E104",
        "an unknown escape in a text",
        'The only escapes in a text are `\\"`, `\\\\` and `\\n`.',
        'import "units\\.arch"\n',
    ),
    Code(
        "E105",
        "a bracket without its partner",
        "Every `{`, `(` and `[` is closed by its partner, the innermost first. The message shows the bracket that "
        "is still open where something else begins.",
        "enum Model { T1, T7\nunit MiB\n",
    ),
    Code(
        "E106",
        "a reserved word as a name",
        "Words of the language can't be names anywhere. In the same way, `none` can't name a rule and `HEALTHY` "
        "can't be a code, because archetypes and examples give them a meaning.",
        "unit table\n",
    ),
    Code(
        "E107",
        "an operator that is written differently here",
        "The operators are `+ - * mod == != < <= > >= and or not implies in`. A single `=` assigns a value to a "
        "field; a comparison is written `==`. A division is written `floor(a / b)` or `ceil(a / b)`.",
        "const both = true && false\n",
    ),
    Code(
        "E108",
        "`/` outside `floor` and `ceil`",
        "All numbers are whole, so a division must say how it rounds: `floor(a / b)` or `ceil(a / b)`. Put a sum "
        "on either side of `/` in parentheses.",
        "const half = 9 / 2\n",
    ),
    Code(
        "E109",
        "a chain of comparisons",
        "A comparison has two sides. Join two comparisons with `and`.",
        "const between = 1 < 2 < 3\n",
    ),
    Code(
        "E110",
        "a number in a form that the language doesn't have",
        "Numbers are written in decimal digits, with `_` between digits if you like, or as a power such as `2^20`. "
        "There are no fractions and no exponents: choose a smaller unit, and write the number out. A space stands "
        "between a number and its unit.",
        "const tenth = 0.1\n",
    ),
    Code(
        "E111",
        "a number out of range",
        "Whole numbers lie between -2^60 and 2^60.",
        "const big = 2^61\n",
    ),
    Code(
        "E112",
        "too many levels of nesting",
        "Brackets, operators and blocks nest at most 100 levels deep; in a chain of operators such as `a + b + "
        "c`, each operator counts as one level. Give a part of the expression its own name with `let` in a system, or "
        "with `const` outside, and use the name.",
        "const deep = " + "(" * 101 + "1" + ")" * 101 + "\n",
    ),
    Code(
        "E113",
        "a missing part",
        "Some parts can't be left out: an archetype needs `fault` and `tier`, and a variable needs a text, unless it "
        "is locked or given.",
        'archetype healthy of memory "all is well" { fault none }\n',
    ),
    Code(
        "E114",
        "a part given twice",
        "Only one of these parts is allowed here.",
        'archetype healthy of memory "all is well" { fault none  tier easy  tier hard_one }\n',
    ),
    Code(
        "E115",
        "too many syntax errors",
        "Reading stops after 25 syntax errors in one file. Repair the first ones and run again.",
        "unit MiB ;\n" * 26,
    ),
    Code(
        "E116",
        "a file with too many words",
        "A file may have at most 200,000 words and signs. Split it, and import the parts.",
    ),
    Code(
        "E120",
        "a file that can't be read",
        "The file is missing, isn't a regular file, or may not be read. Commands read the folder `archetypes` where "
        "no other sources are named.",
    ),
    Code("E121", "a file that is too large", "A source file may have at most 1 MiB. Split it, and import the parts."),
    Code("E122", "a file that isn't UTF-8 text", "Source files are UTF-8 text without NUL characters."),
    Code("E123", "too many source files", "One run reads at most 500 files and 16 MiB of source in all."),
    Code(
        "E124",
        "nothing to read",
        "A given folder contains no file that ends in `.arch`, or a given file doesn't end in `.arch`.",
    ),
    Code(
        "E130",
        "an import that can't be found",
        "The path of an import starts from the folder of the importing file and names a file that ends in `.arch`.",
    ),
    Code(
        "E131",
        "an import that leaves the source folder",
        "A file can import only what lies below the source root, even if a path leads through links.",
    ),
    Code("E132", "a file that imports itself", "A file can't import itself."),
    Code(
        "E133",
        "imports in a circle",
        "Files can't import each other in a circle. Move what both need into a third file.",
    ),
)

LANGUAGE_CODES: dict[str, Code] = {
    entry.code: entry for block in (_SYNTAX, NAME_CODES, TYPE_CODES, RULE_CODES) for entry in block
}
