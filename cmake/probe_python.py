"""Say what the interpreter that runs this is, for CMake.

Prints tag;version;version of its headers;interpreter;include folder[;another], where the interpreter is the installed
one if a virtual environment's was asked.

Ends with an error where it is not a CPython 3.8 or later that has its headers: "tag: reason" on stderr, or the reason
alone where there could be no extension with that tag.
"""
import os
import re
import sys
import sysconfig

tag = "%d.%d" % sys.version_info[:2]
if sysconfig.get_config_var("Py_GIL_DISABLED"):
    tag += "t"
if sys.implementation.name != "cpython":
    sys.exit("this is %s, and only CPython is traced" % sys.implementation.name)
if sys.version_info < (3, 8):
    sys.exit("this is CPython %s, which is too old" % tag)

folders = []
for kind in ("include", "platinclude"):
    folder = sysconfig.get_path(kind)
    if folder and folder not in folders and os.path.isdir(folder):
        folders.append(folder)
holders = [folder for folder in folders if os.path.exists(os.path.join(folder, "Python.h"))]
if not holders:
    sys.exit("%s: its headers are missing: there is no Python.h in %s" % (
        tag, " or ".join(folders) or sysconfig.get_path("include")))
try:
    with open(os.path.join(holders[0], "patchlevel.h")) as header:
        headers = dict(re.findall(r"#define\s+PY_(MAJOR|MINOR|MICRO)_VERSION\s+(\d+)", header.read()))
    headers = ".".join(headers[part] for part in ("MAJOR", "MINOR", "MICRO"))
except (OSError, KeyError):
    sys.exit("%s: its headers in %s do not say of which version they are" % (tag, holders[0]))
if headers.rpartition(".")[0] != tag.rstrip("t"):
    sys.exit("%s: its headers in %s are of CPython %s" % (tag, holders[0], headers))

if sysconfig.get_config_var("Py_DEBUG") and "--debug" not in sys.argv:
    sys.exit("%s: this is a debug build, whose insides are others: name it in PINSIGHT_PYTHONS to build for it" % tag)

executable = getattr(sys, "_base_executable", None) or sys.executable
print(";".join([tag, "%d.%d.%d" % sys.version_info[:3], headers, executable] + folders))
