# verbs: for programs that handle failures themselves (ftrun --ulfm); sourced by each test. Such a program checks its
# data itself, and its survivors say so.
#
#     own NAME [LIBRARY [FILE]]   takes NAME.c of this folder, built with ftcc, with a FILE of the folder
#     application_ft NAME         the same of benchmarks/apps
#     survives RANKS LIVE WORD... a run with so many ranks and these arguments ends with code 0, LIVE ranks print "ok",
#                                 nobody prints that something is wrong, nothing is left behind
#
#     survives_some RANKS MOST WORD...   the same where at most MOST ranks die, at moments of the clock
#     replaces RANKS WORD...   with --on-failure replace and ulfm_options: code 0, and the lines of `undisturbed`; that is
#                              the first such run, in which nobody dies
#     ends CODE PATTERN RANKS WORD...   a run ends with this code, and ftrun says why
#
# `ulfm_options` are options of ftrun for the runs that follow.

limit=$((120 * slowness))
ulfm_options=()

own()
{
    programs=$suite/ulfm program=$1 beside=${3:+$suite/ulfm/$3}
    ft=$build/testsuite/ulfm/ft/$program
    libraries=${2:-} compile "$build/bin/ftcc" "$ft"
}

application_ft()
{
    programs=$suite/../benchmarks/apps program=$1 beside=$suite/../benchmarks/apps/app.c
    ft=$build/testsuite/ulfm/ft/$program
    libraries=-lftsaver compile "$build/bin/ftcc" "$ft"
}

survives_some()
{
    local ranks=$1 most=$2 live
    shift 2
    run_begin
    watched "$program $*" -e "$run/events" -p "$ft" -s "$runs" -- "$build/bin/ftrun" --ulfm -n "$ranks" \
        --events "$run/events" "$ft" "$@"
    live=$(grep -c "^ok" "$run/out")
    [ "$code" -eq 0 ] && [ "$live" -ge $((ranks - most)) ] || complain "code $code, $live survivors: $program $* ($run)
$(head -5 "$run/out" "$run/err")"
}

ends()
{
    local wanted=$1 pattern=$2 ranks=$3
    shift 3
    run_begin
    watched "$program $*" -e "$run/events" -p "$ft" -s "$runs" -- "$build/bin/ftrun" --ulfm -n "$ranks" \
        --events "$run/events" "${ulfm_options[@]}" "$ft" "$@"
    [ "$code" -eq "$wanted" ] || complain "code $code, not $wanted: $program $* ($run)"
    grep -qE "$pattern" "$run/err" || complain "nobody says $pattern: $program $* ($run)"
}

replaces()
{
    local ranks=$1
    shift
    run_begin
    watched "$program $*" -e "$run/events" -p "$ft" -s "$runs" -- "$build/bin/ftrun" --on-failure replace -n "$ranks" \
        --events "$run/events" "${ulfm_options[@]}" "$ft" "$@"
    sort "$run/out" >"$run/sorted"
    undisturbed=${undisturbed:-$run/sorted}
    [ "$code" -eq 0 ] && cmp -s "$run/sorted" "$undisturbed" || complain "code $code: ${ulfm_options[*]} $program $* ($run)
$(head -5 "$run/err"; diff "$undisturbed" "$run/sorted" | head -5)"
}

survives()
{
    local ranks=$1 live=$2
    shift 2
    run_begin
    order=sorted
    watched "$program $*" -e "$run/events" -p "$ft" -s "$runs" -- "$build/bin/ftrun" --ulfm -n "$ranks" \
        --events "$run/events" "${ulfm_options[@]}" "$ft" "$@"
    [ "$code" -eq 0 ] || complain "code $code: $program $* ($run)
$(head -5 "$run/out" "$run/err")"
    ! grep -q WRONG "$run/out" || complain "wrong: $program $* ($run)"
    [ "$(grep -c '^ok' "$run/out")" -eq "$live" ] || complain "not $live survivors: $program $* ($run)"
}
