"""An alias of the package `pinsight`, named after the command's Python domain."""
from pinsight import activate, deactivate

__all__ = ["activate", "deactivate"]
