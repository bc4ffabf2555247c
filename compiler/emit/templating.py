"""The templates of this package, in a sandbox: they are ours, but what they print is not.

Author texts reach a template as values only and are never read as template text.
"""

from __future__ import annotations

import functools

from jinja2 import PackageLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment


@functools.cache
def _environment() -> ImmutableSandboxedEnvironment:
    return ImmutableSandboxedEnvironment(
        loader=PackageLoader("compiler.emit", "templates"),
        undefined=StrictUndefined,
        autoescape=False,  # plain text and Markdown; `text.unprintable` guards what goes in
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def fill_template(name: str, **values: object) -> str:
    """Fill `templates/NAME`; a name that the template uses and `values` lacks is an error."""
    return _environment().get_template(name).render(**values)
