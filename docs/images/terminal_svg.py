#!/usr/bin/env python3
"""Draws what a terminal shows as an SVG picture.

    CLICOLOR_FORCE=1 pinsight report trace | docs/images/terminal_svg.py --title 'pinsight report trace' > screen.svg

Understands the colours that PInsight uses: bold, dim, and the sixteen colours of the foreground.
"""

import argparse
import html
import re
import sys
import unicodedata

CELL_WIDTH, LINE_HEIGHT, MARGIN, BAR = 8.4, 18, 16, 34
BACKGROUND, BAR_COLOUR, PLAIN, DIM = "#14181f", "#232a35", "#d7dce3", "#8a94a3"
COLOURS = {
    30: "#5c6673", 31: "#ef7a7a", 32: "#8fd18a", 33: "#e3c078", 34: "#7fb2f0", 35: "#cf9be8", 36: "#79d0d4",
    37: "#d7dce3", 90: "#8a94a3", 91: "#ff9c9c", 92: "#aee6aa", 93: "#f2d79b", 94: "#a5cbff", 95: "#e3bdf5",
    96: "#a3e6e9", 97: "#ffffff",
}  # fmt: skip
ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")
WORDS = re.compile(r"\S+(?: \S+)*")


class Style:
    def __init__(self):
        self.bold = self.dim = False
        self.colour = None

    def apply(self, codes):
        for code in codes:
            if code == 0:
                self.__init__()
            elif code == 1:
                self.bold = True
            elif code == 2:
                self.dim = True
            elif code == 22:
                self.bold = self.dim = False
            elif code == 39:
                self.colour = None
            elif code in COLOURS:
                self.colour = COLOURS[code]

    def attributes(self):
        fill = self.colour or (DIM if self.dim else PLAIN)
        weight = ' font-weight="bold"' if self.bold else ""
        return 'fill="{}"{}'.format(fill, weight)


def cells(text):
    """How many columns a text takes."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text if not unicodedata.combining(c))


def pieces(line, style):
    """The parts of a line that have one style, each with its column."""
    column = 0
    parts = ESCAPE.split(line)
    for text, codes in zip(parts[::2], parts[1::2] + [None]):
        # Words that stand apart are placed apart, so that columns are straight in any font.
        for words in WORDS.finditer(text):
            yield column + cells(text[: words.start()]), words.group(), style.attributes()
        column += cells(text)
        if codes is not None:
            style.apply([int(code or 0) for code in codes.split(";")])


def draw(lines, title):
    style = Style()
    columns = max([cells(ESCAPE.sub("", line)) for line in lines] + [cells(title) + 12])
    width = columns * CELL_WIDTH + 2 * MARGIN
    height = len(lines) * LINE_HEIGHT + 2 * MARGIN + BAR
    yield (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}" '
        'font-family="\'DejaVu Sans Mono\', Menlo, Consolas, \'Liberation Mono\', monospace" '
        'font-size="14">'.format(width, height)
    )
    yield "<title>{}</title>".format(html.escape(title))
    yield '<rect width="100%" height="100%" rx="8" fill="{}"/>'.format(BACKGROUND)
    yield '<path d="M0 {1}V8a8 8 0 0 1 8-8H{0:.0f}a8 8 0 0 1 8 8V{1}z" fill="{2}"/>'.format(width - 8, BAR, BAR_COLOUR)
    for place, colour in enumerate(("#ef7a7a", "#e3c078", "#8fd18a")):
        yield '<circle cx="{}" cy="17" r="5.5" fill="{}"/>'.format(20 + 18 * place, colour)
    yield '<text x="50%" y="22" text-anchor="middle" fill="{}">{}</text>'.format(DIM, html.escape(title))
    for number, line in enumerate(lines):
        y = BAR + MARGIN + LINE_HEIGHT * number + 13
        for column, text, attributes in pieces(line, style):
            yield '<text x="{:.1f}" y="{}" textLength="{:.1f}" {}>{}</text>'.format(
                MARGIN + column * CELL_WIDTH, y, cells(text) * CELL_WIDTH, attributes, html.escape(text)
            )
    yield "</svg>"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--title", default="")
    parser.add_argument("--lines", type=int, help="draw the first N lines only", metavar="N")
    options = parser.parse_args()
    lines = sys.stdin.read().rstrip("\n").split("\n")[: options.lines]
    print("\n".join(draw(lines, options.title)))


if __name__ == "__main__":
    main()
