# SPDX-License-Identifier: BSD-3-Clause
"""Spack recipe. Into a repository of one's own: packages/tutti/package.py; then `spack install tutti ^openmpi`."""

from spack.package import *


class Tutti(CMakePackage):
    """Non-blocking and persistent MPI collectives, on any MPI: plans once, executes many times."""

    # Of a source tree: spack dev-build tutti@0.1.0; of a tarball that `make dist` has left: give its file:// URL
    # and its checksum to version().
    license("BSD-3-Clause", when="@0.1:")

    version("0.1.0")

    variant("tools", default=True, description="tutti-info, tutti-plan, tutti-tune")
    variant("benches", default=True, description="tutti-bench")

    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("uthash", type="build")
    depends_on("mpi@3:")
    depends_on("hwloc@2:")
    depends_on("jansson", when="+benches")
    depends_on("cmocka", type="test")

    def cmake_args(self):
        return [
            self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc),
            self.define_from_variant("TUTTI_BUILD_TOOLS", "tools"),
            self.define_from_variant("TUTTI_BUILD_BENCHES", "benches"),
            self.define("TUTTI_BUILD_EXAMPLES", False),
            self.define("TUTTI_BUILD_TESTS", False),
            self.define("TUTTI_BUILD_SIM_TESTS", self.run_tests),
        ]

    def check(self):
        with working_dir(self.build_directory):
            ctest("--output-on-failure", "-LE", "long|range")

    def setup_run_environment(self, env):
        env.set("TUTTI_LIB", self.spec.prefix.lib)
