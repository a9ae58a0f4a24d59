# believe: what the tests of `ftrun --trust FILE` share; sourced by them, behind verbs.sh.
#
#     contradicted  4 where runs with disturbed timing may contradict a verdict, too
#     rehearse      a rehearsal of the program with its arguments; its report is in $report. Its store
#                   is in memory: each failure must come behind the first checkpoint to show anything
#     recorded      the last run has taken determinants

report=$folder/report.json

rehearse()
{
    local limit=280 memory
    memory=$(mktemp -d /dev/shm/ft_test.XXXXXX)
    run_begin
    FT_TEST_STORE=$memory/store watched "--rehearse $arguments" -p "$ft" -- "$build/bin/ftrun" --rehearse --rehearse-report "$report" \
        --store "$memory/store" -n "$ranks" --clusters "$clusters" "$ft" $arguments
    rm -rf "$memory"
    [ "$code" -eq 0 ] || [ "$code" -eq "${contradicted:-0}" ] || complain "code $code: $described ($run): $(tail -5 "$run/err")"
}

recorded()
{
    grep -q "determinants at" "$run/err"
}
