# verbs: what the tests of --replicas add to the verbs of lib.sh; sourced by each of them.
#
#     own NAME               takes NAME.c of this folder, as `program` does
#     replicated [OPTION]    one run with two copies of each rank prints what the native run prints; each order is
#                            carried out, and each process counts its steps without a gap
#     nobody_back [OPTION]   the same, and no rank goes back to a checkpoint
#     back_alone "R..." [OPTION]  the same, and just these ranks go back to a checkpoint
#     both_die RANK          the same, when both copies of that rank are killed at once: it goes back, alone
#     led_by COPY RANK       in the last run ftrun gave the lead of this rank to this copy
#
# Nobody makes the second step before both copies of all ranks run.
export FT_TEST_EPOCHS=2

own()
{
    programs=$suite/replicas program "$1"
}

# A process that goes back would count a step twice. A process that takes the place of a dead one begins where the
# living copy is.
steps_check()
{
    awk '($2 in last) && $3 != last[$2] + 1 {
             print "pid " $2 " of rank " $1 " went from step " last[$2] " to " $3; bad = 1
         }
         { last[$2] = $3 }
         END { exit bad }' "$steps"
}

replicated()
{
    local wrong died
    ft_run --replicas all --checkpoint-interval 60 "$@"
    check_same
    wrong=$(steps_check) || complain "$(echo "$wrong" | head -3): $described ($run)"
    died=$(grep -c '"event": "death"' "$run/events")
    [ "$died" -eq "$asked_kills" ] || complain "$died of $asked_kills deaths: $described ($run)"
}

# ranks_back: those that went back to a checkpoint in the last run, each once.
ranks_back()
{
    sed -n 's/.*"event": "rollback", "rank": \([0-9]*\),.*/\1/p' "$run/events" | sort -nu | tr '\n' ' '
}

back_alone()
{
    local expected=$1 back
    shift
    replicated "$@"
    back=$(ranks_back)
    [ "$back" = "${expected:+$expected }" ] || complain "back went: ${back:-nobody}, not ${expected:-nobody}: $described ($run)"
}

nobody_back()
{
    back_alone "" "$@"
}

# Waits until PATTERN is in the events of run NUMBER that many times.
events_wait()
{
    for _ in $(seq 6000); do
        [ -e "$folder/run-$1/events" ] && [ "$(grep -c "$3" "$folder/run-$1/events")" -ge "$2" ] && return
        sleep 0.005
    done
}

# Ftrun is stopped meanwhile, so it hears of both deaths at once.
both_die()
{
    local victim=$1 hand
    (
        run=$folder/run-$((runs + 1))
        events_wait $((runs + 1)) 2 '"event": "epoch"'
        events_wait $((runs + 1)) 2 "\"event\": \"checkpoint-commit\".*\"cluster\": $victim,"
        kill -STOP "$(ftrun_pid)"
        # shellcheck disable=SC2046
        kill -9 $(sed -n "s/.*\"event\": \"start\", \"rank\": $victim, \"pid\": \([0-9]*\).*/\1/p" "$run/events")
        kill -CONT "$(ftrun_pid)"
    ) &
    hand=$!
    ft_run --replicas all --checkpoint-interval 60
    wait $hand
    check_same
    died=$(grep -c '"event": "death"' "$run/events")
    [ "$died" -eq 2 ] || complain "$died deaths, not 2: $described ($run)"
    back=$(ranks_back)
    [ "$back" = "$victim " ] || complain "back went: ${back:-nobody}, not $victim: $described ($run)"
}

led_by()
{
    grep -q "\"event\": \"lead\", \"rank\": $2, .*\"copy\": $1}" "$run/events" ||
        complain "copy $1 of rank $2 did not get the lead: $described ($run)"
}
