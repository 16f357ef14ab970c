"""Pages, man pages and --help texts follow the rules of CONTRIBUTING that can be counted."""
import re
import subprocess
import sys

import pytest

from support import places
from test_docs import VERBS, help_text

sys.path.insert(0, str(places.TESTS / "tools"))
import check_comments  # noqa: E402

CHECK = places.TESTS / "tools" / "check_pages.py"
BAD = """\
# What it is

Nobody is told, likewise. `what it is` is code, and "where not" is quoted.

| a cell | where it is |
| --- | --- |

```
what it is
```

- Is it?
- {}[a link](what-it-is.md).
""".format("word " * 29)
BAD_MAN = """\
.SH NAME
pinsight \\- what it does
.TP
.B what
Records what it
.BR is ,
{}31.
.EX
what it is
.EE
""".format("word " * 27)
BAD_HELP = """\
usage: pinsight what it is

  -o, --output DIR     what it writes,
                       to nobody
      --force          likewise
"""


def listed(path, text):
    path.write_text(text)
    run = subprocess.run([sys.executable, "-B", CHECK, path], capture_output=True, text=True)
    assert run.returncode == 1
    return [(int(line.split(":")[1]), line.split(": ")[1]) for line in run.stdout.splitlines()]


def test_pages_have_no_hit():
    run = subprocess.run([sys.executable, "-B", CHECK], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
    assert "docs/guide.md" in run.stdout and "total" in run.stdout


def test_help_has_no_hit(tmp_path):
    for verb in VERBS:
        (tmp_path / (verb + ".help")).write_text(help_text(verb))
    run = subprocess.run([sys.executable, "-B", CHECK, tmp_path], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("name, text, hits", [
    ("bad.md", BAD, [(1, "what as a noun"), (3, "tell, told"), (3, "nobody"), (3, "likewise"), (5, "where not, where it"),
                     (12, "question"), (13, "long sentence")]),
    ("bad.in", BAD_MAN, [(2, "what as a noun"), (4, "what as a noun"), (4, "long sentence")]),
    ("bad.help", BAD_HELP, [(3, "what as a noun"), (3, "nobody"), (5, "likewise")]),
    ("long.md", "line\n" * 401, [(401, "lines"), (1, "long sentence")]),
    ("CHANGELOG.md", "- " + "One two three four five. " * 7, [(1, "long sentence")]),
])
def test_hits_are_found(tmp_path, name, text, hits):
    assert listed(tmp_path / name, text) == hits


# String literals that follow each other, with the macros of <inttypes.h> between them.
LITERALS = re.compile(r'"(?:\\.|[^"\\\n])*"(?:\s*(?:PRI\w+\s*)?"(?:\\.|[^"\\\n])*")*')


def messages(text):
    """The texts in C source, without its comments."""
    code = check_comments.C_TOKEN.sub(lambda match: match[0] if match[0][0] == '"' else " ", text)
    return [re.sub(r'"\s*(?:PRI\w+)?\s*"', "", match[0]) for match in LITERALS.finditer(code)]


def hits_in_messages(text):
    return [message for message in messages(text) if any(words.search(message) for words in check_comments.WORDS.values())]


def test_messages_have_no_hit():
    """Their words are those of pages and comments."""
    assert hits_in_messages('f("%s is what it was", "a" PRIu64 " told"); /* "what it is" */') == ['"%s is what it was"', '"a told"']
    found = {str(path.relative_to(places.ROOT)): hits_in_messages(path.read_text()) for path in sorted((places.ROOT / "src").rglob("*.[ch]"))}
    assert {path: hits for path, hits in found.items() if hits} == {}
