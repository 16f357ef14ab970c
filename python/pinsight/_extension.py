"""Loads the extension for this interpreter. If that fails, says why, once."""
import os
import sys

from . import _locate

# The extension if this process has it, from any way in, else None.
extension = None
_reported = False


def load():
    """Returns the extension, or None after one message on stderr."""
    global _reported
    if extension is None:
        problem = _attempt()
        if problem and not _reported:
            _reported = True
            report(problem)
    return extension


def _attempt():
    """Loads the extension. Returns None, or a text with the fault and its remedy."""
    global extension
    try:
        extension = _load()
    except _Missing as missing:
        return "%s; the program runs untraced. %s" % missing.args
    except Exception as problem:
        if "static TLS" in str(problem):
            return ("cannot load the extension: %s; the program runs untraced. Other libraries have used that up: "
                    "import pinsight and call activate() before them, use `pinsight run`, or set "
                    "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096" % problem)
        return ("cannot load the extension for Python %s: %s; the program runs untraced. Install PInsight again, and "
                "LTTng-UST where PINSIGHT_RECORDER is lttng (Debian: apt install liblttng-ust1)"
                % (_locate.tag(), problem))
    return None


class _Missing(Exception):
    """Something that the extension needs is missing. Arguments: the fault, and its remedy."""


def _open_recorder(folder):
    """Loads the libpinsight.so.0 of a recorder other than the file recorder. It must be loaded
    before the extension, which links the file recorder's.
    """
    name = os.environ.get("PINSIGHT_RECORDER", "")
    path = os.path.join(folder, name, "libpinsight.so.0")
    if name and os.sep not in name and os.path.exists(path):
        import ctypes

        ctypes.CDLL(path)


def _load():
    if sys.implementation.name != "cpython":
        raise _Missing("%s is not supported" % sys.implementation.name, "Use CPython 3.8 to 3.15.")
    path, others = _locate.extension()
    if not path:
        there = ["%s has those for %s" % (folder, ", ".join(_locate.versions(folder))) for folder in others]
        raise _Missing(
            "there is no extension for Python %s (%s)" % (
                _locate.tag(), _locate.why_none() or "; ".join(there) or "none was found at all"),
            "Run `%s -m pip install .` or `make build CMAKE_ARGS=-DPINSIGHT_PYTHONS=%s` in PInsight's folder."
            % (sys.executable, sys.executable))
    from importlib.machinery import ExtensionFileLoader
    from importlib.util import module_from_spec, spec_from_file_location

    _open_recorder(os.path.dirname(path))
    loader = ExtensionFileLoader("_pinsight_python", path)
    spec = spec_from_file_location("_pinsight_python", path, loader=loader)
    module = module_from_spec(spec)
    loader.exec_module(module)
    sys.modules["_pinsight_python"] = module
    return module


def report(text):
    try:
        sys.__stderr__.write("pinsight: %s\n" % text)
        sys.__stderr__.flush()
    except Exception:
        pass  # no stderr, or a closed one


if _locate.preloaded():
    # The extension is in this process already. The preloaded library has reported any fault.
    _attempt()
