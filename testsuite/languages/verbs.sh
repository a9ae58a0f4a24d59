# Verbs for programs in C++ and Fortran; sourced by the tests of this folder.
#
#     language FILE RANKS WORD...   a program of this folder, built natively and by ftcxx or ftfort; it has no
#                                   directives and counts no steps
#     survives                      undisturbed, and with deaths in both protocols, the output is the native one

programs=$suite/languages

compile()
{
    local wrapper=$1 target=$2 source=$programs/$source
    case $wrapper/$source in
    mpicc/*.cc) wrapper=mpicxx ;;
    mpicc/*) wrapper=mpifort ;;
    *.cc) wrapper=$build/bin/ftcxx ;;
    *) wrapper=$build/bin/ftfort ;;
    esac
    mkdir -p "${target%/*}"
    # Modules of Fortran are files beside the object.
    (cd "$folder" && "$wrapper" -O2 -g -w "$source" "$programs/pace.c" -o "$target") >"$target.log" 2>&1 ||
        { cat "$target.log"; complain "$wrapper cannot compile $source"; return 1; }
}

language()
{
    source=$1 program=${1%.*} ranks=$2
    shift 2
    arguments=$* pace=10000 input='' order='' hooks=none options=''
    both_builds languages
}

survives()
{
    same_output
    killed -k checkpoint-commit#2/rank1 -k checkpoint-commit#3/rank0
    killed --clusters 2 -k checkpoint-commit#3/rank2 -k checkpoint-commit#6/rank0
    real_rollbacks 80
}
