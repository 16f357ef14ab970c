#!/usr/bin/env python3
"""Runs the programs whose screens the pages show, and writes the screens and pictures again.

    docs/screens.py --python venv/bin/python               all pages
    docs/screens.py --python venv/bin/python README.md     one page

A screen is a fenced block after a comment of one line:

    <!-- screen FOLDER [PACKAGE...]: COMMAND [| SECTION, ...] -->

The command runs at 80 columns in a copy of the folder, which all screens of a page share. `python` in it is PYTHON,
and `pinsight` is that of the build. Without sections the block is the command with its whole output, and with
sections the parts whose first lines begin so. A screen whose packages PYTHON lacks stays as it is.

A picture is an image after such a comment:

    <!-- picture FOLDER [PACKAGE...]: COMMAND -->
    ![...](PICTURE)

PICTURE is an SVG of the command's screen (docs/images/terminal_svg.py), or a PNG of the page `page.html` that the
command wrote (docs/images/page_png.py, which needs Chromium).
"""
import argparse
import collections
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARKED = re.compile(r"<!-- screen ([^\s:]+)([^:]*): ([^|\n]*?)(?: \| ([^\n]*))? -->\n```text\n(.*?)```", re.S)
# Open MPI refuses root without these.
MPIRUN = dict.fromkeys(("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"), "1")
PICTURED = re.compile(r"<!-- picture ([^\s:]+)([^:]*): ([^\n]*?) -->\n!\[[^\]]*\]\(([^)]+)\)")
IMAGES = ROOT / "docs" / "images"
Screen = collections.namedtuple("Screen", "folder packages command sections text")
Picture = collections.namedtuple("Picture", "folder packages command path")


class Failed(Exception):
    """A screen could not be made."""


def screens(page):
    """The screens of a page, with the places of their texts."""
    for match in MARKED.finditer(page):
        folder, packages, command, sections, text = match.groups()
        names = [name.strip() for name in sections.split(",")] if sections else []
        yield match.span(5), Screen(folder, packages.split(), command, names, text)


def pictures(page):
    """The pictures of a page; a path is relative to the page."""
    for folder, packages, command, path in PICTURED.findall(page):
        yield Picture(folder, packages.split(), command, path)


def has(python, packages):
    code = "import importlib.util as u, sys; sys.exit(not all(u.find_spec(name) for name in sys.argv[1:]))"
    return subprocess.run([python, "-c", code, *packages]).returncode == 0


def section_of(output, name):
    """The paragraph that begins with a name."""
    for paragraph in re.split(r"\n[ \t]*\n", output.strip("\n")):
        if paragraph.startswith(name):
            return paragraph
    raise Failed("the output has no part %r:\n%s" % (name, output))


class World:
    """Copies of the programs' folders, and a PATH in which `python` and `pinsight` are those that were asked for."""

    def __init__(self, folder, python, pinsight):
        self.folder = pathlib.Path(folder)
        self.python = python
        programs = self.folder / "bin"
        programs.mkdir()
        # A link would hide a virtual environment from the interpreter.
        for name in ("python", "python3"):
            (programs / name).write_text("#!/bin/sh\nexec %s \"$@\"\n" % shlex.quote(str(python)))
            (programs / name).chmod(0o755)
        self.environment = dict(os.environ, COLUMNS="80", LC_ALL="C.UTF-8", PYTHONDONTWRITEBYTECODE="1", **MPIRUN,
                                PATH=os.pathsep.join([str(programs), str(pinsight.parent), os.environ["PATH"]]))
        for name in ("PINSIGHT_CONFIG", "CLICOLOR_FORCE", "PYTHONPATH"):
            self.environment.pop(name, None)

    def output(self, screen, colour=False):
        copy = self.folder / screen.folder.replace("/", "-")
        if not copy.exists():
            shutil.copytree(ROOT / screen.folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
        environment = dict(self.environment, CLICOLOR_FORCE="1") if colour else self.environment
        done = subprocess.run(["bash", "-c", screen.command], cwd=copy, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        if done.returncode != 0:
            raise Failed("status %d: %s\n%s" % (done.returncode, screen.command, done.stdout))
        return done.stdout.replace(str(copy) + "/", "").replace(str(self.python), "python")

    def text(self, screen):
        output = self.output(screen)
        if not screen.sections:
            return "$ %s\n%s\n" % (screen.command, output.strip("\n"))
        return "\n\n".join(section_of(output, name) for name in screen.sections) + "\n"


    def draw(self, picture, path):
        """Draws a picture into a file."""
        output = self.output(picture, colour=path.suffix == ".svg")
        title = "$ " + picture.command
        if path.suffix == ".svg":
            drawn = subprocess.run([sys.executable, IMAGES / "terminal_svg.py", "--title", title], input=output.rstrip("\n"),
                                   stdout=subprocess.PIPE, encoding="utf-8", check=True)
            path.write_text(drawn.stdout, encoding="utf-8")
        else:
            page = self.folder / picture.folder.replace("/", "-") / "page.html"
            subprocess.run([sys.executable, IMAGES / "page_png.py", page, path], check=True)


def rewrite(page, python, pinsight, word):
    """Writes the screens and pictures of a page again. Returns whether all could be made."""
    text = page.read_text(encoding="utf-8")
    found = [(screen.command, screen, place) for place, screen in screens(text)]
    found += [(picture.command, picture, None) for picture in pictures(text)]
    found = [(shown, place) for command, shown, place in found if word in command]
    made, failures = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        world = World(folder, python, pinsight)
        for shown, place in found:
            try:
                if not has(python, shown.packages):
                    raise Failed("%s is missing: %s" % (" ".join(shown.packages), shown.command))
                if place:
                    made[place] = world.text(shown)
                else:
                    world.draw(shown, page.parent / shown.path)
            except Failed as failed:
                print("%s: stays as it is, %s" % (page.name, failed))
                failures += 1
    for begin, end in sorted(made, reverse=True):
        text = text[:begin] + made[begin, end] + text[end:]
    page.write_text(text, encoding="utf-8")
    return failures == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="the Python of the programs (default: this one)")
    parser.add_argument("--pinsight", default=ROOT / "build" / "bin" / "pinsight", type=pathlib.Path)
    parser.add_argument("--only", default="", metavar="WORD", help="screens whose command has this word")
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    pages = arguments.pages or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    made = [rewrite(page, arguments.python, arguments.pinsight.resolve(), arguments.only) for page in pages]
    return not all(made)


if __name__ == "__main__":
    sys.exit(main())
