"""Comments in finished folders follow the rules of CONTRIBUTING that can be counted."""
import subprocess
import sys

from support import places

CHECK = places.TESTS / "tools" / "check_comments.py"
BAD = """\
/* What it is, and where not. */
int likewise; /* Is it? */
// Nobody is told.
// The same for all of these.
static const char *text = "what it is, likewise";
/*
 *   what it is: an example
 */
"""
BAD_PYTHON = """\
'''Does one thing.

    what it is: an example
'''
# {} 31.
def nothing():
    '''Likewise.'''
""".format("word " * 30)


def listed(path, text):
    path.write_text(text)
    run = subprocess.run([sys.executable, "-B", CHECK, path], capture_output=True, text=True)
    assert run.returncode == 1
    return [(int(line.split(":")[1]), line.split(": ")[1]) for line in run.stdout.splitlines()]


def test_finished_folders_have_no_hit():
    run = subprocess.run([sys.executable, "-B", CHECK], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
    assert "finished" in run.stdout and "total" in run.stdout


def test_words_and_questions_are_found(tmp_path):
    assert listed(tmp_path / "bad.c", BAD) == [
        (1, "what as a noun"), (1, "where not, where it"), (2, "question"), (3, "tell, told"), (3, "nobody"),
        (3, "the same for")]


def test_long_sentences_and_wide_lines_are_found(tmp_path):
    assert sorted(listed(tmp_path / "bad.py", BAD_PYTHON)) == [(5, "long sentence"), (5, "wide line"), (7, "likewise")]
