# verbs: what the tests of --protocol spbc add to the verbs of lib.sh; sourced by each of them.
#
#     clusters N             the ranks of the runs that follow are N clusters, blocks of equal size
#     own NAME               takes NAME.c of this folder, as `program` does
#     undisturbed [OPTION]   a run prints what the native run prints, and nobody goes back
#     contained [OPTION]     the same with a death: at least one cluster goes back as a whole, at least
#                            one does not; whoever does not keeps its process, and repeats no step
#     contained_all N        the same for a death of each rank in turn, at its hook N

clusters()
{
    clusters=$1
}

own()
{
    programs=$suite/spbc program "$1"
}

# Which clusters went back, from the programs' own accounts of their steps ("rank pid step").
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
            count = 0
            for (cluster in back)
                count++
            print count
            exit bad
        }' "$steps"
}

# spbc_run LEAST MOST [OPTION...]: so many clusters must go back.
spbc_run()
{
    local least=$1 most=$2 back
    shift 2
    ft_run --protocol spbc --clusters "$clusters" "$@"
    check_same
    back=$(clusters_back) || complain "not contained: $(echo "$back" | head -3) $described ($run)"
    back=$(echo "$back" | tail -1)
    { [ "$back" -ge "$least" ] && [ "$back" -le "$most" ]; } ||
        complain "$back clusters went back, not $least to $most: $described ($run)"
    total_deaths=$((total_deaths + least))
}

undisturbed()
{
    spbc_run 0 0 "$@"
}

contained()
{
    spbc_run 1 $((clusters - 1)) "$@"
}

contained_all()
{
    local victim
    for victim in $(seq 0 $((ranks - 1))); do
        contained --kill "$victim@hook:$1"
    done
}
