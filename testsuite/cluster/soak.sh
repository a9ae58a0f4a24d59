#!/bin/bash
# soak.sh BUILD COUNT SEED: COUNT random faults on three nodes (ranks, nodes, a cut link, two at once, one in the middle of a
# recovery), over programs and both protocols; each output is compared. Not in ctest. What fails stays in
# BUILD/testsuite/cases/cluster-soak.
[ $# -eq 3 ] || { sed -n 2,4p "$0" | cut -c3- >&2; exit 2; }
suite=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
name=soak
folder=$build/testsuite/cases/cluster-soak
tools=$build/testsuite
lua=$(command -v lua5.4)
rm -rf "$folder"
mkdir -p "$folder"
. "$suite/lib.sh"
. "$suite/cluster/cluster.sh"
RANDOM=$3
programs_of_soak=(ring master heat collectives exchange)

one()
{
    local asked=(--checkpoint-interval 0.05 --heartbeat 1) actions=() moment node protocol fault
    program=${programs_of_soak[RANDOM % ${#programs_of_soak[@]}]}
    program "$program"
    pace=4000
    limit=$((60 * slowness))
    protocol=$((RANDOM % 2))
    [ $protocol = 0 ] || asked+=(--clusters node)
    hosts=n0:2,n1:2,n2:2
    [ $((RANDOM % 2)) = 0 ] || asked+=(--spares 1)
    node=n$((RANDOM % 2))
    moment=$((1 + RANDOM % 12))
    fault=$((RANDOM % 6))
    case $fault in
    0) asked+=(--kill "$((RANDOM % ranks))@call:$((20 + RANDOM % 200))") ;;
    1) actions=(-w checkpoint-commit $moment "sleep 0.0$((RANDOM % 10)); nodes lose $node") ;;
    2) asked+=(--kill "$((RANDOM % ranks))@hook:$((5 + RANDOM % 60))")
        actions=(-w '"death"' 1 "sleep 0.$((RANDOM % 4))$((RANDOM % 10)); nodes lose $node") ;;
    3) actions=(-w checkpoint-commit $moment "nodes link $node down; sleep 0.$((RANDOM % 10)); nodes link $node up") ;;
    4) actions=(-w checkpoint-commit $moment "nodes lose n0" -w node-lost 1 "sleep 0.$((RANDOM % 6)); nodes lose n1") ;;
    5) actions=(-w checkpoint-begin $moment "nodes lose $node") ;;
    esac
    same_on_nodes 3 "${actions[@]}" "${asked[@]}"
    echo "$runs: $program fault $fault ${asked[*]} ${actions[*]}: code $code, $(count_events death) deaths, $failures failed"
}

for ((i = 0; i < $2; i++)); do one; done
[ $failures -eq 0 ]
