"""The catalogue of everything that `gtd` reports: the language's codes, and those of proofs and output.

Same form and promise as `dsl.diagnostics.syntax_codes`: a code never changes its meaning and is never reused.
"""

from __future__ import annotations

from dsl.diagnostics.syntax_codes import LANGUAGE_CODES as LANGUAGE
from dsl.diagnostics.syntax_codes import Code

_TEXTS = (
    Code(
        "E450",
        "a text or name that a page can't show",
        "Whoever reads a page has to tell its parts from each other. So texts have no control characters and no "
        "backticks, and those that stand behind a `#` have no other `#`; a word or name of a system is neither a word "
        "of the page itself (such as `first` or `keeping`) nor the name of something else; a wording has a space or "
        "the end of a sentence around each value, and nothing else that looks like one; and each logger is that of "
        "one event, or of noise alone.",
    ),
    Code(
        "E451",
        "a use that can't keep a promise of `unseen in`",
        "`unseen in` promises that each task of a split has a pair of diagnosis codes, or lies in a region, that the "
        "other split never has. A task with one code or none is new only in a region that the other split avoids.",
    ),
    Code(
        "E452",
        "a system whose prompts the reader can't read",
        "Every prompt is answered by an independent reader, which knows nothing of the sources. The note says what it "
        "expected in a prompt and what it found. Usually a bound on its work is passed: at most 2,000,000 assignments "
        "of hidden values, and bounds on the size of formulas and lists. Otherwise it takes a word of the system for "
        "something else: choose another word.",
    ),
)

_PROOFS = (
    Code(
        "W453",
        "a long handbook",
        "The part of a page that all tasks of a system share has more tokens than a model should have to read, by an "
        "estimate from its length. `gtd stats` counts them.",
    ),
    Code(
        "W454",
        "a part that no answer depends on",
        "Nothing that a rule reads depends on it, and it says nothing about a hidden quantity that a rule reads. Pages "
        "don't explain such relations, profiler values, events and attributes. A condition needn't be stated where "
        "pages print all that it is about, or where no answer depends on that.",
    ),
    Code(
        "E501",
        "an archetype without worlds",
        "No world was found that satisfies the archetype's conditions and whose walk gives exactly its diagnosis "
        "codes. The notes say how many worlds were drawn and where they failed. A composition may be impossible: one "
        "fault may always mask the other, or the first fix may always remove the second. A look-alike may be "
        "impossible, too: the tells of the other archetype may hold in no world of this one.",
    ),
    Code(
        "E502",
        "an archetype most of whose worlds have no unique answer",
        "Most worlds of the archetype fail a proof. The notes show one of them and what fails. Either another world "
        "prints the same and has another answer: print more, or leave a gap between the values for which the guard "
        "holds and the others. Or another repair costs no more than the runbook's: add a `keep` or a `prefer`, or let "
        "the guard also require that the rule's own fix is enough. If only some worlds fail, this is a warning; they "
        "never become tasks.",
    ),
    Code(
        "E503",
        "a proof that ran out of budget",
        "The solver could not decide a claim within its budget of resource units. That never counts as a proof. "
        "Raise the budget with `--rlimit`, or simplify the relations that the claim reads.",
    ),
    Code(
        "E504",
        "an archetype most of whose worlds print too little to know the answer",
        "Other worlds print the same and have another answer: a hidden quantity decides, or what rounding takes from a "
        "printed one. The notes show two such worlds. Print what decides, print it with more decimals, or exclude "
        "such worlds with a `where`. If only some worlds fail, this is a warning; they never become tasks.",
    ),
    Code(
        "E505",
        "too few tasks interact",
        "The split asks for tasks that no single channel gives away, and nearly every world of this archetype is "
        "given away by one. Move the deciding numbers to different channels.",
    ),
    Code(
        "E506",
        "too few tasks are decided clearly",
        "The split asks for tasks that aren't decided by a hair's breadth, or for some that are decided narrowly, and "
        "nearly no world of this archetype is like that. Change its conditions, or the split's `require margin` and "
        "`near`.",
    ),
    Code(
        "E510",
        "two procedures disagree",
        "The exhaustive check, Z3, the reference evaluator, the reader and a plain interpretation of the sources must "
        "agree on every task, and the sources and their lowered form on many other runs. They don't, which is a bug in "
        "the compiler; `gtd compile` saves the case, and writes nothing else.",
    ),
)

_OUTPUT = (
    Code("E601", "a record that isn't valid", "A line isn't a record of the schema that the manifest names."),
    Code(
        "E602",
        "a file that isn't the one in the manifest",
        "A split or the card is missing, differs from the checksum or size that the manifest states, or isn't in the "
        "manifest at all. Restore the file, or compile the dataset again.",
    ),
    Code(
        "E603", "missing or surplus tasks", "A split doesn't hold exactly the tasks that the dataset declares for it."
    ),
    Code(
        "E604",
        "a gold that isn't the right answer",
        "The answer that follows from the prompt, or from the sources, differs from the gold.",
    ),
    Code(
        "E605",
        "a prompt that isn't what the sources print",
        "The text was changed: it can't be read, no world fits it, or its fixed part or its numbers aren't those of "
        "its task.",
    ),
    Code("E606", "the same evidence twice", "Two tasks print the same evidence, inside a split or across splits."),
    Code(
        "E607",
        "a task in the wrong split",
        "The split of a task isn't that of its file and its id, or the split doesn't allow its world.",
    ),
    Code(
        "E608",
        "sources that aren't those of the dataset",
        "The dataset was compiled from other sources than the ones given: a file was changed, added or removed. Give "
        "those sources with `--sources`, or compile the dataset again.",
    ),
    Code(
        "E609",
        "a task that the seed doesn't give",
        "Every task follows from the sources, the seed and its id alone. Made again, this one is another task.",
    ),
    Code("E610", "wrong meta data", "A value in `meta` doesn't follow from the task."),
    Code("E611", "a gold that isn't proved", "The proof of a task, repeated, fails."),
    Code("E612", "other bytes on a second compile", "Compiling the sources again gives other bytes."),
    Code(
        "E613",
        "a task that isn't new to its split",
        "The split promises fault pairs or value regions that another split never has, and this task breaks that.",
    ),
    Code(
        "E614",
        "a manifest that isn't valid",
        "The manifest doesn't have the form of a manifest, its own hash is wrong, or it states another version or "
        "other counts than the sources and the files give. Compile the dataset again.",
    ),
    Code(
        "E620", "output that can't be written", "The folder can't be written, or is full. Earlier files are untouched."
    ),
    Code("E699", "internal error", "A bug in the compiler. Repeat with `gtd --debug` for the traceback."),
)

CODES: dict[str, Code] = {**LANGUAGE, **{code.code: code for block in (_TEXTS, _PROOFS, _OUTPUT) for code in block}}
