# verbs: what the tests of --protocol spbc add to the verbs of lib.sh; sourced by each of them.
#
#     clusters N             the ranks of the runs that follow are N clusters, blocks of equal size
#     own NAME               takes NAME.c of this folder, as `program` does
#     undisturbed [OPTION]   a run prints what the native run prints, and nobody rolls back
#     contained [OPTION]     the same with a death: at least one cluster rolls back as a whole, at least
#                            one does not; whoever does not keeps its process, and repeats no step
#     goes_back "C..." [OPTION]  the same output with a death, and just these clusters roll back
#     contained_all N [OPTION]  the same for a death in each of two drawn clusters (FT_TEST_ALL: in each), at hook N
#                            of its first rank, or of its last one in every other cluster
#     explained [OPTION]     a run with deaths at moments of the clock: exactly those clusters roll back
#                            of which a rank died, or which ftrun says it could not wait for while
#                            they made a communicator; adds to `stayed` how many others there were,
#                            and to `fell` how many of the latter
#     stored_fast COMMAND... the command, a run, with its store in memory
#     steady                 images of the last run, stored_fast, did not grow

clusters()
{
    clusters=$1
}

own()
{
    programs=$suite/spbc program "$1"
}

# Which clusters rolled back, from the programs' own accounts of their steps ("rank pid step").
clusters_back()
{
    awk -v ranks="$ranks" -v clusters="$clusters" '
        { cluster = int($1 * clusters / ranks) }
        ($1 in pid) && pid[$1] != $2 { moved[$1] = 1; back[cluster] = 1 }
        ($1 in last) && pid[$1] == $2 && $3 != last[$1] + 1 {
            print "rank " $1 " went from step " last[$1] " to " $3 " in one process"; bad = 1
        }
        { pid[$1] = $2; last[$1] = $3 }
        END {
            for (rank = 0; rank < ranks; rank++)
                if ((int(rank * clusters / ranks) in back) && !(rank in moved)) {
                    print "rank " rank " stayed, others of its cluster did not"; bad = 1
                }
            for (cluster = 0; cluster < clusters; cluster++)
                if (cluster in back)
                    list = list " " cluster
            print "back:" list
            exit bad
        }' "$steps"
}

# A process that wrote steps is one from outside, too: born once, with the start time that it keeps.
processes_check()
{
    awk 'NR == FNR { if ($2 == "birth") born[$3]++
            if ($2 ~ /^(birth|exec)$/) { if ($3 in start && start[$3] != $5) changed[$3] = 1; start[$3] = $5 }
            next }
        born[$2] != 1 || changed[$2] { print "pid " $2 " of rank " $1 " is more than one process"; bad = 1 }
        bad { exit }
        END { exit bad }' "$run/log" "$steps"
}

# Sets `back` to the clusters that rolled back in the last run.
back_read()
{
    local processes
    processes=$(processes_check) || complain "$processes: $described ($run)"
    back=$(clusters_back) || complain "not contained: $(echo "$back" | head -3) $described ($run)"
    back=$(echo "$back" | sed -n 's/^back: *//p')
}

# Why others rolled back than those of the dead, as ftrun tells.
back_reasons()
{
    jq -rs 'map(select(.event == "wide" or .event == "fall") | .reason) | unique | join("; ")' "$run/events"
}

# back_check LEAST MOST: so many clusters must have rolled back in the last run.
back_check()
{
    local back count
    back_read
    count=$(echo "$back" | wc -w)
    { [ "$count" -ge "$1" ] && [ "$count" -le "$2" ]; } ||
        complain "$count clusters rolled back, not $1 to $2 ($(back_reasons)): $described ($run)"
}

# spbc_output [OPTION...]: a run that prints what the native one does, with the deaths that were ordered.
spbc_output()
{
    ft_run --protocol spbc --clusters "$clusters" "$@"
    check_same
    deaths=$(grep -c '"event": "death"' "$run/events")
    total_deaths=$((total_deaths + deaths))
    total_rollbacks=$((total_rollbacks + $(grep -c '"event": "rollback"' "$run/events")))
    total_real=$((total_real + $(grep -cE '"event": "rollback".*"checkpoint": [1-9]' "$run/events")))
    check_orders
    check_unordered
}

# spbc_run LEAST MOST [OPTION...]: such a run, and so many clusters must roll back. Nobody dies before each
# cluster has a checkpoint (program.h).
spbc_run()
{
    local least=$1 most=$2 commits=
    shift 2
    [ "$least" -eq 0 ] || commits=$clusters
    spbc_output "$@"
    back_check "$least" "$most"
}

# goes_back "CLUSTERS" [OPTION...]: a death, and just these roll back.
goes_back()
{
    local due=$1
    shift
    spbc_output "$@"
    back_read
    [ "$back" = "$due" ] || complain "clusters $back rolled back, not $due: $described ($run)"
}

undisturbed()
{
    spbc_run 0 0 "$@"
}

contained()
{
    spbc_run 1 $((clusters - 1)) "$@"
}

# The clusters that had to roll back, as ftrun tells: those of the dead, and those whose rank was
# inside of the library's own creation of a communicator. Any other fall is an error.
clusters_due()
{
    local native="it waits inside the MPI library for a rank that is gone"

    jq -rs --argjson ranks "$ranks" --argjson clusters "$clusters" --arg native "$native" '
        map(select(.event == "fall")) as $falls |
        ($falls | map(select(.reason != $native)) | first) as $other |
        if $other then error("rank \($other.rank) fell: \($other.reason)") else . end |
        map(select(.event == "death") | .rank * $clusters / $ranks | floor) +
            ($falls | map(.cluster)) | unique | map(tostring) | join(" ")' "$run/events"
}

explained()
{
    local back due

    spbc_output "$@"
    back_read
    due=$(clusters_due 2>&1) || complain "$due: $described ($run)"
    [ -n "$due" ] || complain "nobody died: $described ($run)"
    [ "$back" = "$due" ] ||
        complain "the clusters $back rolled back, by ftrun's account $due: $described ($run)"
    stayed=$((${stayed:-0} + clusters - $(echo "$back" | wc -w)))
    fell=$((${fell:-0} + $(grep -c '"event": "fall"' "$run/events")))
}

# Processes that run beside it see by the environment that the folder in /dev/shm is in use.
stored_fast()
{
    local store
    store=$(mktemp -d /dev/shm/ft_test.XXXXXX)/store
    FT_TEST_STORE=$store "$@"
    rm -rf "${store%/*}"
}

# By how much of itself an image grows in the whole run, on average of the clusters: from
# the middle one of the differences between checkpoints some way apart, behind the first third. Steps
# are no leak: who fell behind once holds more, and its heap does not shrink. What is written slowly is
# kept for longer, so the run must be `stored_fast`.
steady()
{
    local growth
    growth=$(jq -rs '
        def middle: sort | .[length / 2 | floor];
        map(select(.event == "checkpoint-commit")) | group_by(.cluster) |
        map(map(.bytes / .ranks) | length as $count | (length / 12 | floor) as $apart |
            if $apart < 2 then error("only \($count) checkpoints") else . end |
            .[length / 3 | floor:] | . as $late |
            ([range($apart; length)] | map($late[.] - $late[. - $apart]) | middle) / $apart * $count /
                (.[:5] | middle)) | add / length' "$run/events" 2>&1)
    holds "$growth < 0.45" || complain "memory grows by $growth: $described ($run)"
}

contained_all()
{
    local cluster each=$((ranks / clusters)) hook=$1
    shift
    # shellcheck disable=SC2046
    for cluster in $(some 2 $(seq 0 $((clusters - 1)))); do
        contained "$@" --kill "$((cluster * each + cluster % 2 * (each - 1)))@hook:$hook"
    done
}
