"""NVIDIA's own headers and libraries of CUDA, from the wheels that PyTorch and CuPy bring. No driver is among them."""
import pathlib

from . import pythons

# CUPTI's records differ in length between these. crt/ is where the runtime's headers have a part of theirs.
WHEELS = {
    "12.9": ("nvidia-cuda-cupti-cu12==12.9.79", "nvidia-cuda-runtime-cu12==12.9.79", "nvidia-cuda-crt==13.5.37"),
    "13.0": ("nvidia-cuda-cupti==13.0.85", "nvidia-cuda-runtime==13.5.37", "nvidia-cuda-crt==13.5.37"),
    "13.5": ("nvidia-cuda-cupti==13.5.25", "nvidia-cuda-runtime==13.5.37", "nvidia-cuda-crt==13.5.37"),
}


class Cuda:
    """Of one version: `includes` (options of a compiler), `cupti` and `cudart` (libraries), `python` (that has it)."""

    def __init__(self, version):
        self.version = version
        self.python = pythons.pythons()[-1].with_packages(*WHEELS[version])
        folder = next(pathlib.Path(self.python).parent.parent.glob("lib/python3*/site-packages/nvidia"))
        self.includes = ["-I%s" % path for path in sorted(folder.glob("*/include"), key=lambda path: path.parent.name == "cu13")]
        self.cupti = self.one(folder, "libcupti.so.1?")
        self.cudart = self.one(folder, "libcudart.so.1?")

    @staticmethod
    def one(folder, pattern):
        found, = folder.glob("*/lib/" + pattern)
        return found
