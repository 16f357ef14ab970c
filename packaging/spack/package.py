# For Spack 1.0 and later, which has its build systems in the repository of packages.
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Pinsight(CMakePackage):
    """One timeline for HPC Python programs: Python functions, calls into C, OpenMP, MPI, BLAS and CUDA."""

    license("BSD-3-Clause")

    version("main")  # of `spack dev-build`, in a checkout

    variant("lttng", default=False, description="The recorder LTTng")
    variant("babeltrace2", default=False, description="The plug-in of babeltrace2")
    variant("libdw", default=True, description="Source lines of native code")
    variant("otf2", default=True, description="pinsight export --to otf2")

    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.8:", type=("build", "run"))
    depends_on("lttng-ust@2.13:", when="+lttng")
    depends_on("lttng-tools@2.13:", when="+lttng")
    depends_on("babeltrace2@2.0:", when="+babeltrace2")
    depends_on("elfutils", when="+libdw")
    depends_on("otf2@3.0:", when="+otf2")

    def cmake_args(self):
        return [
            self.define("PINSIGHT_FIND_PYTHONS", False),
            self.define("PINSIGHT_PYTHONS", self.spec["python"].command.path),
            self.define("PINSIGHT_TESTS", self.run_tests),
            self.define_from_variant("PINSIGHT_LTTNG", "lttng"),
            self.define_from_variant("PINSIGHT_BABELTRACE2", "babeltrace2"),
            self.define_from_variant("PINSIGHT_LIBDW", "libdw"),
            self.define_from_variant("PINSIGHT_OTF2", "otf2"),
        ]
