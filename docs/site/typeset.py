r"""Formulas of measures as LaTeX: they are written once, in docstrings, as plain text that follows a small grammar.

``a/b`` is a fraction, ``a^b`` a power, what stands side by side is multiplied, ``sum over WHICH of TERM`` a sum. Names
are those of measures and of ``SYMBOLS``, single letters, and what the formula defines itself; other words are words.

>>> print(latex("(1/R) sum over relevant retrieved with k <= K of (r + 1)/k"))
\frac{1}{R} \underset{\text{relevant retrieved with } k \le K}{\sum} \frac{r + 1}{k}
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from irevalx.cli.explanations import SYMBOLS
from irevalx.measures import MEASURES

_TOKEN = re.compile(
    r"(?P<blank>\s*)(?:(?P<over>(?:the )?(?:sum|max|mean|product) over .+?(?: of the stratum)? of )"
    r"|(?P<name>[0-9]*[A-Za-z]\w*)|(?P<sign><=|>=|\.\.\.|[0-9.]*[0-9]|.))"
)
_DEFINITION = re.compile(r", (?=(\w+)(?:\(k\))? = )")

_OVER = {"sum": r"\sum", "max": r"\max", "mean": r"\operatorname{mean}", "product": r"\prod"}
_FUNCTIONS = {"log": r"\log", "log2": r"\log_2", "exp": r"\exp", "min": r"\min", "max": r"\max", "E": r"\mathbb{E}"}
_SIGNS = {"<=": r"\le", ">=": r"\ge", "...": r"\ldots", "times": r"\times", "alpha": r"\alpha", "beta": r"\beta"}
_CLOSING = {"(": ")", "[": "]"}

_NAMES = (SYMBOLS.keys() | {measure.name for measure in MEASURES} | {"max"}) - {"steps"}
_ONLY_FUNCTIONS = {"judged", "rel", "seen", "top", "best", "recall"}
"""Names that are words unless an argument follows."""


def lines(formula: str) -> list[str]:
    """Return a formula as LaTeX, and then a line for each symbol that it defines itself.

    Raises
    ------
    ValueError : brackets do not match.
    """
    names = {match[1] for match in _DEFINITION.finditer(formula)}
    return [latex(part, names) for part in re.split(r", (?=\w+(?:\(k\))? = )", formula)]


def latex(formula: str, defined: set[str] | frozenset[str] = frozenset()) -> str:
    """Return an expression as LaTeX.

    Parameters
    ----------
    defined : names that the formula defines itself.

    Raises
    ------
    ValueError : brackets do not match.
    """
    reader = _Reader(formula, defined)
    text = reader.expression("")
    if reader.tokens:
        raise ValueError(f"brackets of a formula must match, but got {formula!r}")
    return text


class _Reader:
    """Reads the tokens of an expression from left to right."""

    def __init__(self, formula: str, defined: set[str] | frozenset[str]) -> None:
        tokens = [
            (match["blank"], str(match.lastgroup), match[match.lastgroup or 0]) for match in _TOKEN.finditer(formula)
        ]
        self.tokens = tokens[::-1]
        self.defined = defined

    def next_is(self, *texts: str) -> bool:
        return bool(self.tokens) and self.tokens[-1][2] in texts

    def take(self) -> str:
        return self.tokens.pop()[2]

    def argument_follows(self, ahead: int = 1) -> bool:
        """Return whether a bracket stands right after a name; after a blank it is a factor."""
        return len(self.tokens) >= ahead and not self.tokens[-ahead][0] and self.tokens[-ahead][2] in _CLOSING

    def expression(self, end: str) -> str:
        """Read up to the bracket that closes, or the end of the text."""
        items: list[str] = []
        words: list[str] = []
        after_factor = False
        while self.tokens and not self.next_is(")", "]"):
            if self._is_word():
                words.append(self.take())
                continue
            factor = self._is_factor()
            items += [*_text(words, items), *([r"\,"] if factor and after_factor and not words else [])]
            items.append(self._fraction())
            words, after_factor = [], factor
        items += _text(words, items, last=True)
        if end and not self.next_is(end):
            raise ValueError(f"a bracket of a formula must end with {end!r}")
        if end:
            self.tokens.pop()
        return " ".join(items).replace(" ,", ",")

    def _is_word(self) -> bool:
        _, kind, text = self.tokens[-1]
        if kind != "name" or text in _SIGNS or text in self.defined or len(text) == 1:
            return False
        is_name = text in _NAMES or "_" in text or text in _FUNCTIONS or text == "sqrt"
        return not is_name or (text in _ONLY_FUNCTIONS and not self.argument_follows(2))

    def _is_factor(self) -> bool:
        _, kind, text = self.tokens[-1]
        return text in _CLOSING or text[-1].isdigit() or (kind == "name" and text != "times")

    def _fraction(self) -> str:
        """Read an operand, with the fractions of which it is the numerator."""
        fraction = self._power()
        while self.next_is("/"):
            self.tokens.pop()
            fraction = rf"\frac{{{_bare(fraction)}}}{{{_bare(self._power())}}}"
        return fraction

    def _power(self) -> str:
        base = self._operand()
        if self.next_is("^"):
            self.tokens.pop()
            return f"{base}^{{{_bare(self._operand())}}}"
        return base

    def _operand(self) -> str:
        if not self.tokens:
            raise ValueError("a formula must not end with an operator")
        _, kind, text = self.tokens.pop()
        if kind == "over":
            match = re.fullmatch(r"(?:the )?(\w+) over (.+) of ", text)
            assert match
            return rf"\underset{{{latex(match[2].rstrip(','), self.defined)}}}{{{_OVER[match[1]]}}}"
        if text in _CLOSING:
            inside = self.expression(_CLOSING[text])
            alone = re.fullmatch(r"\\frac(\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}){2}", inside)
            return inside if alone and not self.next_is("^") else _bracketed(text, inside)
        if kind != "name":
            return _SIGNS.get(text, text)
        if self.argument_follows():
            opening = self.take()
            inside = self.expression(_CLOSING[opening])
            return rf"\sqrt{{{inside}}}" if text == "sqrt" else _name(text, True) + _bracketed(opening, inside)
        return _name(text, False)


def _text(words: list[str], before: list[str], *, last: bool = False) -> Iterator[str]:
    if words:
        yield rf"\text{{{' ' if before else ''}{' '.join(words)}{'' if last else ' '}}}"


def _name(name: str, takes_argument: bool) -> str:
    if takes_argument and name in _FUNCTIONS:
        return _FUNCTIONS[name]
    if name in _SIGNS:
        return _SIGNS[name]
    stem, _, index = name.partition("_")
    if index and (len(stem) == 1 or stem in {"ful", "poss", "rel"}):
        return f"{_name(stem, takes_argument=False)}_{{{_name(index, takes_argument=False)}}}"
    return name if len(name) == 1 else rf"\mathrm{{{name}}}".replace("_", r"\_")


def _bracketed(opening: str, inside: str) -> str:
    closing = _CLOSING[opening]
    if re.search(r"\\(frac|underset)", inside):
        return rf"\left{opening} {inside} \right{closing}"
    return f"{opening}{inside}{closing}"


def _bare(text: str) -> str:
    """Return what stands above or below a line, or in an exponent, without the brackets around all of it."""
    for opening, closing in ((r"\left( ", r" \right)"), ("(", ")")):
        if text.startswith(opening) and text.endswith(closing):
            inside = text[len(opening) : -len(closing)]
            depth = least = 0
            for step in re.findall(r"[()]", inside):
                depth += 1 if step == "(" else -1
                least = min(least, depth)
            if least == 0 == depth:
                return inside
    return text
