"""Math as MathML, which browsers show by themselves: nothing is loaded from elsewhere, and no script runs."""

from __future__ import annotations

from typing import Any


def setup(app: Any) -> dict[str, bool]:
    """Make Sphinx use it."""
    app.add_html_math_renderer("mathml", (_inline, None), (_displayed, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def mathml(latex: str, *, displayed: bool) -> str:
    """Return LaTeX as MathML."""
    from latex2mathml.converter import convert

    return str(convert(latex, display="block" if displayed else "inline"))


def _inline(translator: Any, node: Any) -> None:
    translator.body.append(mathml(node.astext(), displayed=False))
    _skip()


def _displayed(translator: Any, node: Any) -> None:
    translator.body.append(f'<div class="formula">{mathml(node.astext(), displayed=True)}</div>')
    _skip()


def _skip() -> None:
    from docutils.nodes import SkipNode

    raise SkipNode
