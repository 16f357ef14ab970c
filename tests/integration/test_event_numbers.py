"""Each event of a trace has a number of its own, in a build with a further domain, too. Nothing is traced here."""
import re
import subprocess
import sys

from support import places

EVENTS = places.ROOT / "src" / "events"


def test_each_event_has_a_number(tmp_path):
    tables = [*sorted(EVENTS.glob("*.json")), *(places.ROOT / "examples" / "domain").glob("*.json")]
    subprocess.run([sys.executable, "-B", str(EVENTS / "generate.py"), "--out", str(tmp_path), *map(str, tables)], check=True)
    text = (tmp_path / "format" / "metadata_text.c").read_text()
    numbers = re.findall(r'"event \{.*?\bid = (\d+);', text, re.DOTALL)
    assert len(numbers) > 500 and len(set(numbers)) == len(numbers)
