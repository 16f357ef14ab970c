"""The same as the package `pinsight`, under the name of its Python domain."""
from pinsight import activate, deactivate

__all__ = ["activate", "deactivate"]
