"""Traces an interactive session: PYTHONSTARTUP=/path/to/this/file python3.

CPython runs the file in the session's own namespace, so it leaves no names there. Your own start-up
file has the same effect with `import pinsight; pinsight.activate()` in it.
"""


def _pinsight_activate(file):
    import os
    import sys

    try:
        import pinsight
    except ImportError:
        # The package is not installed for this interpreter. This file's own package serves, too.
        sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(file))))
        try:
            import pinsight
        finally:
            del sys.path[0]
    pinsight.activate()


try:
    _pinsight_activate(__file__)
finally:
    del _pinsight_activate
