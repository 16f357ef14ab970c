"""Where PInsight's libraries and its command are, seen from this package and this interpreter.

No import beyond os and sys: this runs at the start of programs.
"""
import os
import sys


def tag() -> str:
    """This interpreter in the name of its extension: "3.12", or "3.13t" for a free-threaded one."""
    free_threaded = "t" in getattr(sys, "abiflags", "")
    return "%d.%d%s" % (sys.version_info[0], sys.version_info[1], "t" if free_threaded else "")


def folders() -> "list[str]":
    """The folders that may be PInsight's lib/pinsight, the likeliest first."""
    package = os.path.dirname(os.path.abspath(__file__))
    holder = os.path.dirname(package)
    found = [os.environ.get("PINSIGHT_LIBDIR", "")]
    # lib/pinsight/python/pinsight: the build tree, and what `make install` made.
    found.append(os.path.dirname(holder))
    # PREFIX/lib/python3.12/site-packages/pinsight: pip, in whatever environment.
    found.append(os.path.join(holder, "..", "..", "..", "lib", "pinsight"))
    # pip install --target DIR
    found.append(os.path.join(holder, "lib", "pinsight"))
    for prefix in (sys.prefix, sys.base_prefix):
        found.append(os.path.join(prefix, "lib", "pinsight"))
    home = os.environ.get("PYTHONUSERBASE") or os.path.join(os.path.expanduser("~"), ".local")
    found.append(os.path.join(home, "lib", "pinsight"))
    unique = []
    for folder in found:
        if os.path.isabs(folder):
            folder = os.path.normpath(folder)
            if folder not in unique:
                unique.append(folder)
    return unique


def extension() -> "tuple[str, list[str]]":
    """Returns the path of this interpreter's extension, or "", and the folders with other
    extensions.

    The plain form is used if PINSIGHT_PLAIN=1 asks for it, or if there is no other for this
    interpreter. It is also used if the interpreter's internals differ from a release's: in an
    alpha, a beta or a debug build.
    """
    plain = "_pinsight_python-%s-plain.so" % tag()
    other = sys.version_info[3] in ("alpha", "beta") or hasattr(sys, "gettotalrefcount")
    usual = [] if other or os.environ.get("PINSIGHT_PLAIN") == "1" else ["_pinsight_python-%s.so" % tag()]
    others = []
    for folder in folders():
        for name in usual + [plain]:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                return path, []
        if versions(folder):
            others.append(folder)
    return "", others


def why_none() -> str:
    """Returns the reason that the build noted for this interpreter's missing extension, or ""."""
    for folder in folders():
        try:
            with open(os.path.join(folder, "_pinsight_python-%s.why" % tag()), encoding="utf-8") as file:
                return file.readline().strip()
        except (OSError, UnicodeDecodeError):
            continue
    return ""


def versions(folder: str) -> "list[str]":
    """Returns the versions of Python that `folder` has an extension for."""
    try:
        files = os.listdir(folder)
    except OSError:
        return []
    found = [file[len("_pinsight_python-"):-len(".so")] for file in files
             if file.startswith("_pinsight_python-") and file.endswith(".so") and not file.endswith("-plain.so")]
    return sorted(found, key=lambda text: [int(part) for part in text.rstrip("t").split(".") if part.isdigit()])


def preloaded() -> bool:
    """Returns whether the preloaded library traces this process. It then has started the extension,
    or is about to.
    """
    preloads = os.environ.get("LD_PRELOAD", "")
    if "libpinsight-preload.so" not in preloads and "libpinsight-preload-plain.so" not in preloads:
        return False
    return os.path.isabs(os.environ.get("PINSIGHT_LIBDIR", "")) and python_wanted()


def python_wanted() -> bool:
    """Returns whether $PINSIGHT_DOMAINS contains Python. An unset variable means all domains."""
    words = [word.strip().lower() for word in os.environ.get("PINSIGHT_DOMAINS", "").split(",")]
    return words == [""] or "python" in words


def command() -> str:
    """Returns the path of the `pinsight` command, or ""."""
    for folder in folders():
        if os.path.isfile(os.path.join(folder, "libpinsight-preload.so")):
            path = os.path.normpath(os.path.join(folder, "..", "..", "bin", "pinsight"))
            if os.access(path, os.X_OK):
                return path
    for folder in [os.path.dirname(sys.executable or "")] + os.environ.get("PATH", "").split(os.pathsep):
        path = os.path.join(folder, "pinsight")
        if os.path.isabs(path) and os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    return ""
