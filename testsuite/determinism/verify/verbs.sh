# verbs: for the tests of `ftrun --verify`, besides those of testsuite/lib.sh.
#
#     built NAME [TABLE]          builds NAME.c natively and links it as ftcc does; TABLE: lines for
#                                 `table`, which become the program's section of sites
#     verified CODE [OPTION...] -- ARGUMENT...   one `ftrun --verify`, watched; ends with CODE and
#                                 leaves nothing. An OPTION "-k WHEN/WHO[/SIGNAL]" is for watch
#     says PATTERN, silent PATTERN                of what ftrun said in the last one; a line that is
#                                                 set in goes on with the one before
#     printed TEXT                                the program's own lines, sorted

here=$suite/determinism/verify
verify_runs=4
verify_ranks=4
verify_limit=120

built()
{
    local source=$here/$1.c
    binary=$folder/$1
    mpicc -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -Wno-stringop-overflow \
        -I"$suite/../runtime" "$source" -o "$binary" -no-pie -Wl,-z,now -L"$build/lib" \
        -Wl,-rpath,"$build/lib" -Wl,--no-as-needed -lft >"$folder/built" 2>&1 ||
        { complain "$1.c cannot be built: $(head -5 "$folder/built")"; return 1; }
    [ $# -gt 1 ] || return 0
    printf '%s\n' "$2" | "$tools/verify_table" "$1.c" >"$folder/table" &&
        objcopy --add-section .ftcc.sites="$folder/table" "$binary" ||
        complain "no table of sites for $1"
}

# line_of TEXT: "NAME.c:LINE" of the first line of the program's source that has it.
line_of()
{
    echo "${binary##*/}.c:$(grep -nF -- "$1" "$here/${binary##*/}.c" | head -1 | cut -d: -f1)"
}

verified()
{
    local expected=$1 limit=$verify_limit watch_options ftrun_options rest
    shift
    options_split "$@"
    run_begin
    watched "$binary: ${watch_options[*]} ${ftrun_options[*]} ${rest[*]}" -e "$run/events" -p "$binary" \
        "${watch_options[@]}" -- "$build/bin/ftrun" --verify "$verify_runs" --events "$run/events" \
        "${ftrun_options[@]}" -n "$verify_ranks" "$binary" "${rest[@]}"
    sed -E ':all; N; $!b all; s/\nftrun:  +/ /g' "$run/err" >"$run/said"
    [ "$code" -eq "$expected" ] ||
        complain "code $code instead of $expected: $described ($run): $(tail -3 "$run/err")"
    left_nothing
}

says()
{
    grep -Eq -- "$1" "$run/said" || complain "no \"$1\": $described ($run): $(tail -8 "$run/err")"
}

silent()
{
    ! grep -Eq -- "$1" "$run/said" || complain "\"$1\": $described ($run)"
}

printed()
{
    [ "$(sort "$run/out")" = "$1" ] || complain "printed $(sort "$run/out"): $described ($run)"
}
