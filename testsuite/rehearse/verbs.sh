# verbs: for the tests of `ftrun --rehearse`, besides those of testsuite/lib.sh.
#
#     own NAME                                    builds NAME.c of this folder
#     rehearsed CODE [OPTION...] -- ARGUMENT...   one `ftrun --rehearse`, watched; ends with CODE and
#                                                 leaves nothing; its report is in $report. An OPTION
#                                                 "-k WHEN/WHO[/SIGNAL]" is for watch
#     reports FILTER                              jq's FILTER is true of the report

here=$suite/rehearse
limit=200 # seconds for a rehearsal

own()
{
    program=$1
    ft=$build/testsuite/rehearse/$program
    programs=$here compile "$build/bin/ftcc" "$ft"
}

rehearsed()
{
    local expected=$1 watch_options=() ftrun_options=()
    shift
    while [ "$1" != -- ]; do
        if [ "$1" = -k ]; then
            watch_options+=(-k "$2")
            shift 2
        else
            ftrun_options+=("$1")
            shift
        fi
    done
    shift
    runs=$((runs + 1))
    run=$folder/run-$runs
    report=$run/report.json
    rm -rf "$run"
    mkdir -p "$run/work"
    temporary=$(mktemp -d "${TMPDIR:-/tmp}/fts.XXXXXX")
    (
        cd "$run/work" || exit 1
        TMPDIR=$temporary "$tools/watch" -o "$run/log" -p "$ft" -t "$limit" "${watch_options[@]}" -- \
            "$build/bin/ftrun" --rehearse --rehearse-report "$report" "${ftrun_options[@]}" \
            "$ft" "$@" </dev/null
    ) >"$run/out" 2>"$run/err"
    code=$?
    described="--rehearse ${watch_options[*]} ${ftrun_options[*]} $ft $*"
    check_leftovers
    [ "$code" -eq "$expected" ] ||
        complain "code $code instead of $expected: $described ($run): $(tail -5 "$run/err")"
    [ -z "$(ls -A "$run/work")" ] ||
        complain "left in the folder: $(ls -A "$run/work"): $described ($run)"
}

reports()
{
    jq -e "$1" "$report" >/dev/null 2>&1 || complain "not so in the report: $1: $described ($run)"
}
