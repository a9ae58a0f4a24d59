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

# The folders that hold the files, each as far as it goes: all of PETSc would be another project.
recipe_petsc()
{
    local tree=$1 stubs=$2 file
    shift 2
    cat >"$stubs/petscconf.h" <<'END'
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
    : >"$stubs/petscconf_poison.h"
    : >"$stubs/petscfix.h"
    for file; do
        (cd "$tree" && ls "${file%/*}"/*.c 2>/dev/null)
    done | sort -u | with_options "-I$stubs -I$tree/include"
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
    { files_below "$tree" SRC/double SRC/prec-independent
        echo EXAMPLE/pddrive.c
        echo EXAMPLE/dcreate_matrix.c; } |
        with_options "-I$stubs -I$tree/SRC/include -I$tree/SRC"
}

# What nobody has described: the folders of the files, with all headers of the tree.
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
    case $name in
    petsc*) name=petsc ;;
    hypre | hpcc | pmandel | mandelbrot | amg | graph500 | superlu_dist | mpich_tests) ;;
    *) name=other ;;
    esac
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
