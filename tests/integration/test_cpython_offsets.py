"""What PInsight takes from CPython's own structures is where the running interpreter says that it is."""
import json
import shutil
import subprocess

import pytest

from support.places import BUILD, ROOT, TESTS, missing

ASK = """
import ctypes, json, sys
class Pair(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("ours", ctypes.c_uint64), ("theirs", ctypes.c_uint64)]
library, pair, told, number = ctypes.PyDLL(sys.argv[1]), Pair(), [], 0
while library.pinsight_test_offset(number, ctypes.byref(pair)):
    told.append((pair.name.decode(), pair.ours, pair.theirs))
    number += 1
print(json.dumps(told))
"""


@pytest.mark.every_python
def test_offsets(python, tmp_path):
    """A new version, or another patch of one, may move them: then the headers and the interpreter differ."""
    if python.version < (3, 13):
        pytest.skip("the interpreter says it from 3.13 on")
    compiler = shutil.which("cc") or missing("a C compiler")
    include = subprocess.run([python.base, "-c", "import sysconfig; print(sysconfig.get_path('include'))"],
                             stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout.strip()
    library = tmp_path / "offsets.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-std=gnu11", "-DNDEBUG", "-D_GNU_SOURCE=", "-I%s" % (ROOT / "src"),
                    "-I%s" % (ROOT / "include"), "-I%s" % (BUILD / "generated"), "-DPINSIGHT_HAS_GIL=%d" % python.has_gil, "-isystem", include, "-o", str(library),
                    str(TESTS / "tools" / "cpython_offsets.c")], check=True)
    told = json.loads(subprocess.run([python.base, "-c", ASK, str(library)], stdout=subprocess.PIPE, check=True).stdout)
    assert len(told) >= 20
    assert {name: ours for name, ours, _ in told} == {name: theirs for name, _, theirs in told}
