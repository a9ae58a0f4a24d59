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
    local expected=$1 watch_options ftrun_options rest
    shift
    options_split "$@"
    run_begin
    report=$run/report.json
    watched "--rehearse ${watch_options[*]} ${ftrun_options[*]} $ft ${rest[*]}" -p "$ft" \
        "${watch_options[@]}" -- "$build/bin/ftrun" --rehearse --rehearse-report "$report" \
        "${ftrun_options[@]}" "$ft" "${rest[@]}"
    [ "$code" -eq "$expected" ] ||
        complain "code $code instead of $expected: $described ($run): $(tail -5 "$run/err")"
    left_nothing
}

reports()
{
    jq -e "$1" "$report" >/dev/null 2>&1 || complain "not so in the report: $1: $described ($run)"
}
