# cluster: verbs for runs on several nodes of one machine (nodes, drive); sourced by the tests of this folder.
#
#     on_nodes COUNT [-w PATTERN TIMES ACTION]... OPTION...    one run of the program under ftrun --hosts n0:2,n1:2,...
#                     (or $hosts), behind $wrap, on COUNT nodes prints what the native run prints; leaves what ft_run leaves. With $salloc,
#                     words of salloc, it runs in a job of Slurm, without --hosts and -n
cluster=$suite/cluster
export NODES_KEEP="$build $suite"
limit=$((60 * slowness))

needs_nodes()
{
    local why
    why=$("$cluster/nodes" 1 true 2>&1) && return
    echo "${why:-SKIPPED: no nodes can be made here}"
    exit 77
}

on_nodes()
{
    local count=$1 actions=() node began all='' words after=${after:-}
    shift
    while [ "${1:-}" = -w ]; do
        actions+=("$1" "$2" "$3" "$4")
        shift 4
    done
    for ((node = 0; node < count; node++)); do all=$all,n$node:2; done
    words=("$build/bin/ftrun" --hosts "${hosts:-${all#,}}" --launcher "$cluster/nodes enter {node}" -n "$ranks")
    # shellcheck disable=SC2206
    [ -z "${salloc:-}" ] || words=(salloc -Q $salloc "$build/bin/ftrun")
    run_begin
    described="$count nodes, ${actions[*]} $*"
    : >"$run/steps"
    began=$SECONDS
    (
        cd "$run/work" || exit 1
        # shellcheck disable=SC2086
        eval "${input:-true}" | FT_TEST_PACE=$pace FT_TEST_STEPS=$run/steps FT_TEST_EVENTS=$run/events \
            FT_TEST_COMMITS=${commits:-0} before=${before:-} after=$after timeout --foreground -k 5 "$limit" "$cluster/nodes" "$count" "$cluster/drive" \
            "$run/left" "$run/events" "${actions[@]}" -- ${wrap:-} "${words[@]}" --store "${store:-$run/store}" --events "$run/events" "$@" \
            "$ft" $arguments
    ) >"$run/out" 2>"$run/err"
    code=$?
    [ $SECONDS -lt $((began + ${limit%.*})) ] || complain "no end within $limit s: $described ($run)"
    [ ! -s "$run/left" ] || complain "left behind: $(tr '\n' ';' <"$run/left") $described ($run)"
    # What the death of a node's first process makes unshare and ssh say.
    sed -i '/^unshare: sigprocmask unblock failed/d; /^Connection to n[0-9]* closed by remote host/d' "$run/err"
}

# needs_slurm: the runs that follow find Slurm on all nodes.
needs_slurm()
{
    "$cluster/slurm" check || exit 77
    before="\"$cluster/slurm\" start && export SLURM_CONF=\$NODES_FOLDER/slurm/conf"
    after="\"$cluster/slurm\" stop"
}

# in_slurm COUNT SCRIPT: what the shell does on the head node while Slurm is up on COUNT nodes, in $run/work; leaves $run/out,
# $run/err and $code. The script has $ftrun and $ft.
in_slurm()
{
    run_begin
    described=$2
    (
        cd "$run/work" || exit 1
        ftrun=$build/bin/ftrun ft=$ft before=$before after=$after timeout --foreground -k 5 "$limit" "$cluster/nodes" "$1" \
            "$cluster/drive" "$run/left" /dev/null -- bash -c "$2"
    ) >"$run/out" 2>"$run/err"
    code=$?
    [ $code -ne 124 ] || complain "no end within $limit s: $described ($run)"
    [ ! -s "$run/left" ] || complain "left behind: $(tr '\n' ';' <"$run/left") $described ($run)"
}

# same_on_nodes ...: the same, and it prints what the native run prints.
same_on_nodes()
{
    on_nodes "$@"
    check_same
    total_deaths=$((total_deaths + $(count_events death)))
    total_rollbacks=$((total_rollbacks + $(count_events rollback)))
}

# count_events NAME [PATTERN]: of the last run
count_events()
{
    grep "\"event\": \"$1\"" "$run/events" | grep -c -e "${2:-}"
}

# expect_events NAME PATTERN COUNT: so many, at least
expect_events()
{
    [ "$(count_events "$1" "$2")" -ge "$3" ] || complain "fewer than $3 events $1 with $2: $described ($run)"
}
needs_nodes
