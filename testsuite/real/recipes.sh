# recipes: how the C files of a real program are compiled, as far as a parser must know; sourced by
# the commands beside it.
#
# recipe NAME TREE STUBS FILE...: prints a line "FILE<tab>OPTIONS" for each C file of the program NAME,
# whose source is in TREE. STUBS is a folder for headers that a configuration would have made. FILEs,
# relative to TREE, are those that matter.

# The C files below the folders $2... of $1, without those that are parts of others by #include.
files_below()
{
    local tree=$1
    shift
    (cd "$tree" && find "$@" -name '*.c' 2>/dev/null | sed 's|^\./||' | sort)
}

# "-IFOLDER" for each folder with headers below the folders $2... of $1.
headers_below()
{
    local tree=$1
    shift
    (cd "$tree" && find "$@" -name '*.h' -printf '%h\n' 2>/dev/null | sort -u) |
        sed "s|^\./||; s|^|-I$tree/|" | tr '\n' ' '
}

# Each file of stdin with the options $1.
with_options()
{
    sed "s|\$|\t$1|"
}

recipe_hypre()
{
    local tree=$1 stubs=$2
    [ -e "$stubs/HYPRE_config.h" ] || (
        cp -r "$tree/src" "$stubs/src" && cd "$stubs/src" && ./configure --disable-fortran --with-MPI &&
            cp HYPRE_config.h ..
    ) >"$stubs/configure.log" 2>&1 || return 1
    rm -rf "$stubs/src"
    { files_below "$tree" src | grep -v '^src/\(examples\|test\|docs\|cmbuild\|tarch\|nopoe\)/'
        echo src/test/ij.c; } |
        with_options "-DHAVE_CONFIG_H -I$stubs $(headers_below "$tree" src | sed 's|-I[^ ]*/\(examples\|docs\|nopoe\|tarch\)[^ ]*||g')"
}

recipe_hpcc()
{
    files_below "$1" RandomAccess FFT PTRANS STREAM DGEMM src hpl/src hpl/testing |
        grep -v '^hpl/testing/ptest/HPL_pddriver.c$' |
        with_options "-I$1/include -I$1/hpl/include -I$1/RandomAccess -I$1/FFT -I$1/PTRANS"
}

petsc_headers()
{
    cat >"$1/petscconf.h" <<'END'
#define PETSC_ARCH ""
#define PETSC_DIR "."
#define PETSC_CLANGUAGE_C 1
#define PETSC_USE_REAL_DOUBLE 1
#define PETSC_SIZEOF_INT 4
#define PETSC_SIZEOF_LONG 8
#define PETSC_SIZEOF_LONG_LONG 8
#define PETSC_SIZEOF_SIZE_T 8
#define PETSC_SIZEOF_VOID_P 8
#define PETSC_SIZEOF_SHORT 2
#define PETSC_SIZEOF_ENUM 4
#define PETSC_BITS_PER_BYTE 8
#define PETSC_HAVE_STDINT_H 1
#define PETSC_HAVE_INTTYPES_H 1
#define PETSC_HAVE_STDLIB_H 1
#define PETSC_HAVE_STRING_H 1
#define PETSC_HAVE_UNISTD_H 1
#define PETSC_HAVE_MPI_INT64_T 1
#define PETSC_HAVE_MPI_LONG_DOUBLE 1
#define PETSC_HAVE_MPI_IBARRIER 1
#define PETSC_HAVE_MPI_NONBLOCKING_COLLECTIVES 1
#define PETSC_HAVE_MPI_REDUCE_SCATTER_BLOCK 1
#define PETSC_HAVE_MPICH_NUMVERSION 40002300
#define PETSC_BLASLAPACK_UNDERSCORE 1
#define PETSC_FUNCTION_NAME_C __func__
#define PETSC_C_INLINE inline
#define PETSC_C_RESTRICT __restrict
#define PETSC_RESTRICT __restrict
#define PETSC_LEVEL1_DCACHE_LINESIZE 64
#define PETSC_MEMALIGN 16
#define PETSC_UNUSED __attribute((unused))
#define PETSC_PREFETCH_HINT_NTA 0
#define PETSC_PREFETCH_HINT_T0 0
#define PETSC_PREFETCH_HINT_T1 0
#define PETSC_PREFETCH_HINT_T2 0
#define PETSC_Prefetch(a, b, c)
#define PETSC_IS_COLORING_VALUE_TYPE short
#define PETSC_IS_COLORING_MAX 65535
#define PETSC_MPIU_IS_COLORING_VALUE_TYPE MPI_UNSIGNED_SHORT
#define PETSC_SLSUFFIX "so"
#define PETSC_LIB_DIR ""
#define PETSC_MAX_PATH_LEN 4096
#define PETSC_UINTPTR_T uintptr_t
#define PETSC_DIR_SEPARATOR '/'
#define PETSC_REPLACE_DIR_SEPARATOR '\\'
#define PETSC_DEPRECATED_FUNCTION(text)
#define PETSC_DEPRECATED_TYPEDEF(text)
#define PETSC_DEPRECATED_MACRO(text)
#define PETSC_DEPRECATED_ENUM(text)
END
    : >"$1/petscconf_poison.h"
    : >"$1/petscfix.h"
}

# The folders that hold the files, each as far as it goes.
recipe_petsc_tfs()
{
    local tree=$1 stubs=$2 file
    shift 2
    petsc_headers "$stubs"
    for file; do
        (cd "$tree" && ls "${file%/*}"/*.c 2>/dev/null)
    done | sort -u | with_options "-I$stubs -I$tree/include"
}

# The folders of PETSc in $1 that are only built with other packages, as a pattern.
petsc_foreign()
{
    (cd "$1" && grep -rl --include=makefile '^#requires\(package\|define\)' src/sys src/vec src/mat src/ksp) |
        sed 's|/makefile$||' | paste -sd '|' | sed 's/|/\\|/g'
}

# Objects, vectors, matrices and solvers, and one program; without interfaces to other packages.
recipe_petsc()
{
    local tree=$1 stubs=$2
    petsc_headers "$stubs"
    { files_below "$tree" src/sys src/vec src/mat src/ksp |
        grep -v '/\(tests\|tutorials\|benchmarks\|ftn-[a-z]*\|f90-[a-z]*\)/' |
        grep -v "^\($(petsc_foreign "$tree")\)/"
        echo src/ksp/ksp/tutorials/ex2.c; } |
        with_options "-I$stubs -I$tree/include"
}

# Each file is a program.
recipe_pmandel()
{
    shift 2
    printf '%s\n' "$@" | sort -u | with_options ""
}

recipe_mandelbrot()
{
    files_below "$1" . | with_options ""
}

recipe_amg()
{
    files_below "$1" utilities seq_mv parcsr_mv parcsr_ls krylov IJ_mv test |
        with_options "-DTIMER_USE_MPI -DHYPRE_HOPSCOTCH -DHYPRE_USING_PERSISTENT_COMM -DHYPRE_BIGINT $(headers_below "$1" .)"
}

recipe_graph500()
{
    { files_below "$1" aml generator
        printf 'src/%s.c\n' main utils validate bfs_reference sssp_reference csr_reference; } |
        grep -v 'generator/generator_test_\|mrg_transitions' |
        with_options "-DGRAPH_GENERATOR_MPI -DREUSE_CSR_FOR_VALIDATION -DSSSP -I$1/aml -I$1/generator -I$1/src"
}

recipe_superlu_dist()
{
    local tree=$1 stubs=$2
    printf '#define XSDK_INDEX_SIZE 32\n' >"$stubs/superlu_dist_config.h"
    { (cd "$tree/SRC" && grep -o '^ *\(double\|prec-independent\)/[A-Za-z0-9_-]*\.c' CMakeLists.txt |
            tr -d ' ' | xargs ls 2>/dev/null | sed 's|^|SRC/|')
        echo EXAMPLE/pddrive.c
        echo EXAMPLE/dcreate_matrix.c; } |
        with_options "-I$stubs -I$tree/SRC/include -I$tree/SRC"
}

# A header with the sizes of opaque structures set to 64: that of the package is made by a program.
scotch_header()
{
    sed "s/DUMMYSIZE[A-Z]*/64/; s/DUMMYIDX/int/; s/DUMMYINT/int/; s/DUMMYMAXINT/INT_MAX/
        s/DUMMYNUMSTRING/\"%d\"/; s/DUMMYVERSION/7/g; s/DUMMYRELEASE/0/g; s/DUMMYPATCHLEVEL/3/g" "$1"
}

# The library without the parser of strategies (flex and bison write it), and the program that orders graphs.
recipe_ptscotch()
{
    local tree=$1 stubs=$2
    scotch_header "$tree/src/libscotch/library.h" >"$stubs/scotch.h"
    scotch_header "$tree/src/libscotch/library_pt.h" >"$stubs/ptscotch.h"
    { (cd "$tree" && ls src/libscotch/*.c) |
        grep -v "/\($(cat "$tree"/src/libscotch/*.c | sed -n 's/^#include "\(.*\)\.c".*/\1/p' | sort -u |
            paste -sd '|' | sed 's/|/\\|/g')\|dummysizes\|.*_f\)\.c\$"
        echo src/scotch/dgord.c; } |
        with_options "-DSCOTCH_PTSCOTCH -DCOMMON_PTHREAD -DSCOTCH_PTHREAD -DCOMMON_RANDOM_FIXED_SEED \
-DSCOTCH_VERSION_NUM=7 -DSCOTCH_RELEASE_NUM=0 -DSCOTCH_PATCHLEVEL_NUM=3 -Drestrict=__restrict -I$stubs -I$tree/src/libscotch -I$tree/src/scotch"
}

# The library in two, two and a half and three dimensions, with its own libsc, and one program.
recipe_p4est()
{
    local tree=$1 stubs=$2
    cat >"$stubs/sc_config.h" <<'END'
#define SC_ENABLE_MPI 1
#define SC_ENABLE_MPIIO 1
#define SC_ENABLE_MPICOMMSHARED 1
#define SC_HAVE_POSIX_MEMALIGN 1
#define SC_HAVE_STRTOLL 1
#define SC_HAVE_SIGNAL_H 1
#define SC_HAVE_SYS_TIME_H 1
#define SC_HAVE_SYS_TYPES_H 1
#define SC_HAVE_TIME_H 1
#define SC_SIZEOF_INT 4
#define SC_SIZEOF_LONG 8
#define SC_SIZEOF_LONG_LONG 8
#define SC_SIZEOF_UNSIGNED_LONG 8
#define SC_SIZEOF_UNSIGNED_LONG_LONG 8
#define SC_SIZEOF_VOID_P 8
#define SC_MEMALIGN_BYTES 8
#define SC_PACKAGE_STRING "libsc"
#define SC_PACKAGE_VERSION "2.2"
#define SC_CC "mpicc"
#define SC_CFLAGS ""
#define SC_CPP ""
#define SC_CPPFLAGS ""
#define SC_F77 ""
#define SC_FFLAGS ""
#define SC_LDFLAGS ""
#define SC_LIBS ""
#define SC_BLAS_LIBS ""
#define SC_LAPACK_LIBS ""
#define SC_FLIBS ""
#define SC_VERSION "2.2"
#define SC_VERSION_MAJOR 2
#define SC_VERSION_MINOR 2
END
    sed 's/SC_/P4EST_/' "$stubs/sc_config.h" >"$stubs/p4est_config.h"
    cat >>"$stubs/p4est_config.h" <<'END'
#define P4EST_ENABLE_BUILD_2D 1
#define P4EST_ENABLE_BUILD_3D 1
#define P4EST_ENABLE_BUILD_P6EST 1
#define P4EST_HAVE_UNISTD_H 1
#define P4EST_HAVE_ARPA_NET_H 1
#define P4EST_HAVE_NETINET_IN_H 1
END
    { files_below "$tree" src
        (cd "$tree" && ls sc/src/sc*.c | grep -v 'sc_\(getopt1\|builtin\|lua\|cuda\|dmatrix_pool\|blas\|lapack\)')
        (cd "$tree" && ls sc/iniparser/*.c sc/libb64/*.c)
        echo example/simple/simple2.c; } |
        with_options "-I$stubs -I$tree/src -I$tree/sc/src -I$tree/sc/iniparser -I$tree/sc/libb64"
}

recipe_miniamr()
{
    files_below "$1" ref | with_options "-I$1/ref"
}

recipe_libcircle()
{
    : >"$2/config.h"
    files_below "$1" libcircle | with_options "-D_GNU_SOURCE -I$2 -I$1/libcircle"
}

# The files that its CMakeLists.txt names, without those that need other packages.
recipe_zoltan()
{
    : >"$2/Zoltan_config.h"
    (cd "$1/src" && grep -o '^ *[A-Za-z0-9_/]*\.c' CMakeLists.txt | tr -d ' ' | sort -u | xargs ls 2>/dev/null) |
        sed 's|^|src/|' | grep -v '/tpls/\|/fort/\|/hund\.c$' |
        with_options "-I$2 $(headers_below "$1" src | sed 's|-I[^ ]*/\(fdriver\|ch\|driver\|simple\|tpls\)[^ ]*||g')"
}

# The runtime of Global Arrays over two-sided messages, and the one with processes that make progress.
recipe_comex()
{
    files_below "$1" comex/src-mpi |
        with_options "-DHAVE_STDIO_H -DHAVE_STDLIB_H -DHAVE_ASSERT_H -DHAVE_STRING_H -DHAVE_STRINGS_H \
-DHAVE_UNISTD_H -DSIZEOF_VOIDP=8 -I$1/comex/src-common -I$1/comex/src-mpi"
}

recipe_comex_pr()
{
    files_below "$1" comex/src-mpi-pr | grep -v '/hello\.c$' |
        with_options "-D_GNU_SOURCE -I$1/comex/src-common -I$1/comex/src-mpi-pr"
}

# Programs that nobody has described: the folders of the files, with all headers of the tree.
recipe_other()
{
    local tree=$1 options file
    shift 2
    options="-I$tree $(headers_below "$tree" .)"
    for file; do
        files_below "$tree" "$(dirname "$file")"
    done | sort -u | with_options "$options"
}

recipe()
{
    local name=$1
    shift
    name=${name//-/_}
    declare -F "recipe_$name" >/dev/null || name=other
    mkdir -p "$2" && "recipe_$name" "$@"
}

# recipe_database TREE: the lines of stdin as a compile_commands.json.
recipe_database()
{
    jq -R -s --arg tree "$1" 'split("\n") | map(select(. != "") | split("\t") |
        {directory: $tree, file: .[0],
         arguments: (["mpicc", "-w"] + (.[1] | split(" ") | map(select(. != ""))) + ["-c", .[0]])})'
}

# MPICH's own tests, each a program. STUBS gets what their configure script finds out.
recipe_mpich_tests()
{
    local tree=$1 stubs=$2
    [ -e "$stubs/include/mpitestconf.h" ] ||
        (cd "$stubs" && "$tree/test/mpi/configure" --with-mpi=/usr --disable-fortran --disable-cxx \
            CC=gcc MPICC=mpicc) >"$stubs/configure.log" 2>&1 || return 1
    files_below "$tree" test/mpi | with_options "-DHAVE_MPITESTCONF_H -DHAVE_DTPOOLSCONF_H \
-I$stubs/include -I$tree/test/mpi/include -I$stubs/dtpools -I$stubs/dtpools/include \
-I$tree/test/mpi/dtpools/include -I$tree/test/mpi/dtpools/src"
}
