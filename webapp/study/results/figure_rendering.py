"""Draws a figure as SVG and PDF, and caches them by the figure's data.

The same data give the same bytes: the files have no date, and ids come from a fixed salt.

Matplotlib's SVG is adapted for pages. Styles become attributes, because a page's
Content-Security-Policy forbids style attributes. Ids get a prefix, so that several figures can be
on one page. Screen readers get a title and a description.
"""

import hashlib
import io
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache, partial
from threading import Lock
from types import MappingProxyType
from typing import Any
from xml.etree import ElementTree

import matplotlib
from fontTools import subset
from matplotlib.figure import Figure

INK = "#777777"  # text and lines: 4.5 to 1 on white, 4.4 on near black
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "fabula",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,  # TrueType: journals refuse Type 3
    "text.parse_math": False,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    **dict.fromkeys(
        ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK
    ),
}
NO_METADATA: dict[str, Any] = {"Date": None, "Creator": None, "Format": None, "Type": None}
NO_PDF_METADATA: dict[str, Any] = {"CreationDate": None, "Creator": None, "Producer": None}
CACHE_SIZE = 200  # cached figures of about 40 kilobytes

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
HREF = f"{{{XLINK}}}href"
REFERENCE = "url(#"

# Font tables for composing text. A PDF states the position of each glyph and needs none of them;
# reading and subsetting them took a third of the time of an experiment's results.
COMPOSING_TABLES = ("GDEF", "GPOS", "GSUB")
subset.Options._drop_tables_default = [*subset.Options._drop_tables_default, *COMPOSING_TABLES]

ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", XLINK)

# SVG -> PDF of the figures drawn in the current block, None if no PDF is wanted.
_pdf_copies: ContextVar[dict[str, bytes] | None] = ContextVar("pdf_copies", default=None)
# Name of a condition in the data -> its name for readers.
_condition_names: ContextVar[Mapping[str, str]] = ContextVar(
    "condition_names", default=MappingProxyType({})
)
_matplotlib_lock = Lock()  # Matplotlib's settings are global, and a worker has threads


@contextmanager
def collect_pdfs() -> Iterator[dict[str, bytes]]:
    """Collect a PDF of each figure that this thread draws in the block: SVG -> PDF."""
    copies: dict[str, bytes] = {}
    token = _pdf_copies.set(copies)
    try:
        yield copies
    finally:
        _pdf_copies.reset(token)


@contextmanager
def use_condition_names(names: Mapping[str, str]) -> Iterator[None]:
    """Use these names of conditions, by name in the data, in figures drawn in the block."""
    token = _condition_names.set(names)
    try:
        yield
    finally:
        _condition_names.reset(token)


def condition_name(name: str) -> str:
    """Return a condition's name for readers."""
    return _condition_names.get().get(name, name)


@dataclass(frozen=True)
class FigureBuilder:
    """Builder of a figure. `key` has all data that are drawn: equal keys share a cached figure."""

    key: object
    draw: Callable[[], Figure] = field(compare=False)


def draw_svg(
    draw: Callable[..., Figure],
    data: tuple[object, ...],
    key: str,
    title: str,
    description: str,
    *,
    kind: str = "p",
) -> str:
    """Return the SVG of the figure that `draw(*data)` returns. `collect_pdfs` also gets its PDF.

    Args:
        data: Everything that is drawn. The figure is cached by its `repr`.
        key: Unique among the figures of its kind on a page.
        description: The values as text, for screen readers.
        kind: A letter, which ids begin with.
    """
    builder = FigureBuilder(repr((data, dict(_condition_names.get()))), partial(draw, *data))
    prefix = kind + hashlib.sha256(key.encode()).hexdigest()[:8]  # begins all ids of the figure
    copies = _pdf_copies.get()
    svg, pdf = _render(builder, prefix, title, description, with_pdf=copies is not None)
    if copies is not None:
        copies[svg] = pdf
    return svg


@lru_cache(maxsize=CACHE_SIZE)
def _render(
    builder: FigureBuilder, prefix: str, title: str, description: str, *, with_pdf: bool
) -> tuple[str, bytes]:
    """Return SVG and PDF, drawn with the settings of this module by one thread at a time.

    The cache is for results that are recomputed after every answer: many figures do not change. A
    figure takes about 0.3 s, half of it for the font in its PDF.
    """
    svg_file, pdf_file = io.BytesIO(), io.BytesIO()
    with _matplotlib_lock, matplotlib.rc_context(STYLE), warnings.catch_warnings():
        # Warnings about characters that the font lacks: the reader's font has them.
        warnings.simplefilter("ignore")
        figure = builder.draw()
        figure.suptitle(title, x=0.01, ha="left", fontsize=10)
        figure.savefig(svg_file, format="svg", metadata=NO_METADATA)
        if with_pdf:
            figure.set_layout_engine(None)  # keeps the layout of the SVG
            figure.savefig(pdf_file, format="pdf", metadata={**NO_PDF_METADATA, "Title": title})
    svg = _make_embeddable(svg_file.getvalue(), prefix, {"title": title, "desc": description})
    return svg, pdf_file.getvalue()


def _make_embeddable(drawn: bytes, prefix: str, texts: Mapping[str, str]) -> str:
    """Return an <svg> element as text: no XML declaration, no style sheet, ids with `prefix`."""
    root = ElementTree.fromstring(drawn)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style"):
                parent.remove(child)
    for element in root.iter():
        for declaration in element.attrib.pop("style", "").split(";"):
            name, _, value = declaration.partition(":")
            if name.strip():
                element.attrib[name.strip()] = value.strip()
        for name, value in element.attrib.items():
            if name == "id":
                element.attrib[name] = f"{prefix}-{value}"
            elif name == HREF and value.startswith("#"):
                element.attrib[name] = f"#{prefix}-{value[1:]}"
            elif value.startswith(REFERENCE):
                element.attrib[name] = f"{REFERENCE}{prefix}-{value[len(REFERENCE) :]}"
    # Settings of Matplotlib's style sheet for all elements.
    root.attrib.update({"stroke-linejoin": "round", "stroke-linecap": "butt"})
    for index, (tag, text) in enumerate(texts.items()):
        child = ElementTree.Element(f"{{{SVG}}}{tag}", {"id": f"{prefix}-{tag}"})
        child.text = text
        root.insert(index, child)
    root.attrib.update({"role": "img", "aria-labelledby": f"{prefix}-title {prefix}-desc"})
    return ElementTree.tostring(root, encoding="unicode") + "\n"
