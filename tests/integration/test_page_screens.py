"""The screens in pages have the shape of today's, and docs/screens.py makes them."""
import re
import subprocess
import sys

import pytest

from support import places
from support.pythons import pythons

ROOT = places.ROOT
screens_of = places.module(ROOT / "docs" / "screens.py")
PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
         if "<!-- screen " in page.read_text(encoding="utf-8")]
PAGE = """\
Before.

<!-- screen examples/culprits: pinsight run -o trace start/start.py 100 | Your functions, Not recorded -->
```text
Your functions
 old
```

<!-- screen examples/culprits no_such_package: pinsight run start/start.py | Your functions -->
```text
kept
```

<!-- screen examples/culprits: false -->
```text
kept, too
```

<!-- picture examples/culprits: echo two words -->
![A picture](words.svg)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    if not pythons():
        places.missing("a CPython that an extension was built for")
    newest = pythons()[-1]
    page = tmp_path_factory.mktemp("screens") / "page.md"
    page.write_text(PAGE)
    done = subprocess.run([sys.executable, "-B", ROOT / "docs" / "screens.py", "--python", newest.path, "--pinsight",
                           places.COMMAND, page], stdout=subprocess.PIPE, universal_newlines=True)
    return done, page.read_text(encoding="utf-8"), (page.parent / "words.svg").read_text(encoding="utf-8")


def head_of(text):
    """The heads of the columns of Your functions."""
    head = re.search(r"^Your functions.*\n(.*)$", text, re.M)
    return head and re.split(r"\s{2,}", head[1].strip())


def test_screens_are_made(made):
    done, text, picture = made
    assert done.returncode == 1 and "no_such_package is missing" in done.stdout and "status 1: false" in done.stdout
    assert " old" not in text and "```text\nkept\n```" in text and "kept, too" in text
    assert text.startswith("Before.\n") and "build_table" in text and "Nothing was lost" in text
    assert picture.startswith("<svg") and ">two words</text>" in picture and ">$ echo two words</text>" in picture


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_screens_have_the_columns_of_today(page, made):
    today = head_of(made[1])
    assert today[0] == "own" and today[-1].startswith("line where most g")
    found = list(screens_of.screens(page.read_text(encoding="utf-8")))
    assert found
    for _, screen in found:
        for section in screen.sections:
            assert re.search("^" + section, screen.text, re.M), screen.command
        head = head_of(screen.text)
        # A narrow table leaves out a column, and shortens the last head.
        assert not head or set(head[:-1]) <= {*today, "total", "mean", "longest"} and head[-1][:11] == today[-1][:11], screen.command


def test_the_picture_has_the_columns_of_today(made):
    texts = re.findall(">([^<]+)</text>", (ROOT / "docs" / "images" / "summary.svg").read_text(encoding="utf-8"))
    head = texts[texts.index("own") : texts.index("function") + 2]
    assert set(head[:-1]) <= {*head_of(made[1]), "total", "mean", "longest"} and head[-1].startswith("line where most g")
