# believe: what the tests of `ftrun --trust FILE` share; sourced by them, behind verbs.sh.
#
#     rehearse      a rehearsal of the program with its arguments; its report is in $report
#     recorded      the last run has taken determinants

report=$folder/report.json

rehearse()
{
    local limit=280
    run_begin
    watched "--rehearse $arguments" -p "$ft" -- "$build/bin/ftrun" --rehearse --rehearse-report "$report" \
        -n "$ranks" --clusters "$clusters" "$ft" $arguments
    [ "$code" -eq 0 ] || complain "code $code: $described ($run): $(tail -5 "$run/err")"
}

recorded()
{
    grep -q "determinants at" "$run/err"
}
