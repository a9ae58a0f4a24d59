# verbs: for the tests of `ftrun --faults`, besides those of testsuite/lib.sh.
#
#     own NAME                 builds NAME.c of this folder, natively and with ftcc, and runs it natively
#     plan                     its standard input is the fault plan of the next runs
#     faulted N [OPTION...]    a run with the plan: N faults are told (N+: at least), and output, code and files are those of the
#                              native run
#     told LINE                ftrun has said so in the last run

here=$suite/faults

own()
{
    program=$1
    programs=$here program "$1"
}

plan()
{
    cat >"$folder/plan.lua"
}

faulted()
{
    local number=$1 found
    shift
    ft_run --faults "$folder/plan.lua" "$@"
    check_same
    if [ "${nested:-}" ]; then # a rank that goes back twice before its next step is more than agree follows
        deaths=$(grep -c '"event": "death"' "$run/events")
    else
        check_account
    fi
    found=$(grep -c '^ftrun: FaultID: ' "$run/err")
    [ "$found" -eq "${number%+}" ] || { [ "$number" != "${number%+}" ] && [ "$found" -gt "${number%+}" ]; } || complain "$found faults instead of $number: $described ($run)"
    [ "$(grep -c '"event": "fault"' "$run/events")" -eq "$found" ] || complain "not all faults are events ($run)"
}

told()
{
    grep -qxF "ftrun: $1" "$run/err" || complain "not told: $1 ($run)"
}
