"""What a machine that others use, too, may need to be tried again for."""


def until_quiet(check, tries=5):
    """Returns what check() returns, and calls it again while it fails, because others may take the processor away."""
    for left in reversed(range(tries)):
        try:
            return check()
        except AssertionError:
            if not left:
                raise
