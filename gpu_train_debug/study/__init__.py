"""The analysis of archived generations: arms compared on the tasks of the splits.

In: split files, archives of generations, a study plan. Out: one JSON report, one Markdown report, pictures.
Needs the extra `study`; nothing here is loaded by `import gpu_train_debug`, and nothing here knows the
compiler. docs/study.md says what each number means.
"""
