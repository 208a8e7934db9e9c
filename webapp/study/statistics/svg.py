"""Makes Matplotlib's SVG fit to stand in a page as well as in a file of its own.

Styles become attributes: a page's Content-Security-Policy lets no style attribute through. Ids get
a prefix, so that several figures can share a page. A title and a description tell the figure to
those who do not see it.
"""

from __future__ import annotations

from xml.etree import ElementTree

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
HREF = f"{{{XLINK}}}href"
REFERENCE = "url(#"

ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", XLINK)


def embeddable(drawn: bytes, prefix: str, title: str, description: str) -> str:
    """An <svg> element as text: no XML declaration, no style sheet, ids beginning with `prefix`."""
    root = ElementTree.fromstring(drawn)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style"):
                parent.remove(child)
    for element in root.iter():
        _without_style(element)
        _with_prefix(element, prefix)
    # What Matplotlib says in its style sheet, for all.
    root.attrib.update({"stroke-linejoin": "round", "stroke-linecap": "butt"})
    names = {"title": title, "desc": description}
    for place, (tag, text) in enumerate(names.items()):
        told = ElementTree.Element(f"{{{SVG}}}{tag}", {"id": f"{prefix}-{tag}"})
        told.text = text
        root.insert(place, told)
    root.attrib.update({"role": "img", "aria-labelledby": f"{prefix}-title {prefix}-desc"})
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _without_style(element: ElementTree.Element) -> None:
    """Each declaration of a style attribute as an attribute of its own."""
    for declaration in element.attrib.pop("style", "").split(";"):
        name, _, value = declaration.partition(":")
        if name.strip():
            element.attrib[name.strip()] = value.strip()


def _with_prefix(element: ElementTree.Element, prefix: str) -> None:
    for name, value in element.attrib.items():
        if name == "id":
            element.attrib[name] = f"{prefix}-{value}"
        elif name == HREF and value.startswith("#"):
            element.attrib[name] = f"#{prefix}-{value[1:]}"
        elif value.startswith(REFERENCE):
            element.attrib[name] = f"{REFERENCE}{prefix}-{value[len(REFERENCE) :]}"
