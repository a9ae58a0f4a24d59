# Recipe for Spack: put it into packages/ftcc/ of a repository of yours, and name your copy of the sources in `git`.
# Never built by Spack so far: what the options below must say is taken from the CMake files.
from spack.package import *


class Ftcc(CMakePackage):
    """MPI programs that survive the death of their processes: compiler wrapper, launcher, analysis."""

    homepage = "https://example.org/ftcc"
    git = "https://example.org/ftcc.git"
    license("BSD-3-Clause")
    version("main", branch="main")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpich@4.0.2 device=ch4 netmod=ucx +fortran")
    depends_on("llvm@19 +clang")  # libclang, loaded when ftcc runs
    depends_on("lua@5.4")
    for name in ("libunwind", "mimalloc", "jansson", "xxhash", "libsodium", "elfutils", "zstd", "metis", "isa-l",
                 "hwloc"):
        depends_on(name)
    for name in ("random123", "uthash", "cmocka"):
        depends_on(name, type="build")

    conflicts("target=aarch64:", msg="x86-64 alone")

    def cmake_args(self):
        mpi, llvm = self.spec["mpich"].prefix, self.spec["llvm"].prefix
        return [
            self.define("MPICH_INCLUDE_DIR", mpi.include),
            self.define("MPICH_LIBRARY", mpi.lib.join("libmpi.so")),
            self.define("FT_DEFAULT_MPICC", mpi.bin.mpicc),
            self.define("FT_DEFAULT_MPICXX", mpi.bin.mpicxx),
            self.define("FT_DEFAULT_MPIFORT", mpi.bin.mpifort),
            self.define("LIBCLANG_INCLUDE_DIR", llvm.include),
            self.define("FT_LIBCLANG", llvm.lib.join("libclang.so")),
        ]
