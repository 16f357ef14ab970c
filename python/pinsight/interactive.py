"""For the interactive interpreter: PYTHONSTARTUP=/path/to/this/file python3 traces the session.

CPython runs the file in the session's own namespace, so nothing is left behind in it. A start-up file of your own
has the same effect with `import pinsight; pinsight.activate()` in it.
"""


def _pinsight_activate(file):
    import os
    import sys

    try:
        import pinsight
    except ImportError:
        # Not installed for this interpreter: this file's own package does as well.
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
