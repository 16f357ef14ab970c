"""Say what the interpreter that runs this is, for CMake.

Prints tag;version;interpreter;include folder[;another], where the interpreter is the installed one if
a virtual environment's was asked.

Ends with an error where it is not a CPython 3.8 or later that has its headers.
"""
import os
import sys
import sysconfig

if sys.implementation.name != "cpython" or sys.version_info < (3, 8):
    sys.exit("this is " + sys.implementation.name + " " + sys.version.split()[0])

folders = []
for kind in ("include", "platinclude"):
    folder = sysconfig.get_path(kind)
    if folder and folder not in folders and os.path.isdir(folder):
        folders.append(folder)
if not any(os.path.exists(os.path.join(folder, "Python.h")) for folder in folders):
    sys.exit("Python.h is not in " + (" or ".join(folders) or "any folder of it"))

tag = "%d.%d" % sys.version_info[:2]
if sysconfig.get_config_var("Py_GIL_DISABLED"):
    tag += "t"
executable = getattr(sys, "_base_executable", None) or sys.executable
print(";".join([tag, "%d.%d.%d" % sys.version_info[:3], executable] + folders))
