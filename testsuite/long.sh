# long: what the long failure tests (soak, matrix) have in common; sourced by them, with `suite` set.
#
#     option_take OPTION VALUE     one of the options that both have; fails when it is none
#     long_begin NAME              reads lib.sh, opens the folder of the results, takes signals
#     subject NAME                 "ring" of testsuite/programs, or "apps/cg" of benchmarks/apps: both
#                                  its builds, and its native run, which is kept; fails when that was interrupted
#     measure CLUSTERS             an undisturbed run with so many clusters, which is kept, too; sets
#                                  undisturbed (seconds) and first (seconds until each cluster has a
#                                  checkpoint); counts of a rank are told by `counted`
#     attempt OPTION...            a run with deaths; fails when it was interrupted
#     record KEY PLACE OPTION...   judges it: a line of the results; keeps the folder of the run when it
#                                  was not as it must be
#     over                         is it time to stop?
#     long_end                     the summary; its code is that of the test
#
# A test is a list of runs, each drawn from seed and number alone, so that it can be stopped at any
# moment, and continues with the first run that has no line. The folder of the results has
#     results.tsv    a line for each run, with a head
#     native/        native runs, by program
#     measured/      the account of an undisturbed run, by program and number of clusters
#     failed-KEY/    runs that were not as they must be: out, err, events, log, steps; stacks after a hang

build=$suite/../build output='' listed='' applications='' cluster_list='1 2 4 n' minutes='' patient=''
summary_options='' protocol=spbc begun=$SECONDS interrupted='' shown='' tried=0
unbuilt='' lacking='' # programs that cannot be compiled; why there are too few runs
columns='run program protocol ranks clusters place verdict deaths back rollbacks real seconds undisturbed pause why order'

option_take()
{
    case $1 in
    -b | --build) build=$2 ;;
    -o | --results) output=$2 ;;
    --programs) listed=$2 ;;
    --from) programs=$(realpath "$2") applications=$programs ;;
    --clusters) cluster_list=$2 ;;
    --minutes) minutes=$2 ;;
    --limit) patient=$2 ;;
    *) return 1 ;;
    esac
}

# usage FILE: its first comment.
usage()
{
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$1"
}

bad_usage()
{
    echo "${0##*/}: $* (--help tells more)" >&2
    exit 2
}

# arguments_read WORD...: options into the variables above (protocol and seed of a tool by its own
# option_own), all others into the list `words`.
arguments_read()
{
    words=()
    while [ $# -gt 0 ]; do
        case $1 in
        -h | --help) usage "$0"; exit 0 ;;
        -*) [ $# -gt 1 ] || bad_usage "$1 needs a value"
            option_take "$1" "$2" || option_own "$1" "$2" || bad_usage "what is $1?"
            shift ;;
        *) words+=("$1") ;;
        esac
        shift
    done
}

# A process and when it started: another one may have its number later (the first of a container always has).
process_of()
{
    echo "$1 $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20)"
}

# One test at a time writes to a folder. No lock of a file: each rank would have that open.
folder_take()
{
    local owner=$output/owner process=
    [ ! -e "$owner" ] || read -r process _ <"$owner"
    [ -n "$process" ] && [ "$(process_of "$process")" = "$(cat "$owner")" ] &&
        { echo "$name: process $process works in $output" >&2; exit 2; }
    process_of $$ >"$owner"
    trap 'rm -f "$output/owner"' EXIT
}

long_begin()
{
    local chosen=${programs:-}
    name=$1
    build=$(cd "$build" && pwd) || exit 2
    output=${output:-$build/testsuite/$name}
    mkdir -p "$output/native" "$output/measured" && output=$(cd "$output" && pwd) || exit 2
    folder_take
    results=$output/results.tsv references=$output/native folder=$output/cases tools=$build/testsuite
    lua=$(command -v lua5.4 || command -v lua) || { echo "$name: lua5.4 is missing" >&2; exit 2; }
    # shellcheck source=lib.sh
    . "$suite/lib.sh"
    programs=${chosen:-$programs} least_patience=${patient:-$least_patience} interval=0.2
    [ -s "$results" ] || echo "$columns" | tr ' ' '\t' >"$results"
    rm -rf "$folder"
    mkdir -p "$folder"
    trap 'interrupted=yes' INT TERM
}

# A second or two under ftrun, so that there are checkpoints and moments to die at; natively, where ranks
# never yield, some need much longer with more ranks than cores.
application_arguments()
{
    case $1 in
    halo) echo "--size 48 --steps 400" ;;
    cg) echo "--size 16 --repeat 80" ;;
    amg) echo "--size 31 --steps 80" ;;
    mesh) echo "--steps 2000" ;;
    pic) echo "--particles 40000 --steps 60" ;;
    lattice) echo "--size 8 --repeat 40" ;;
    hydro) echo "--size 96 --steps 500" ;;
    ep) echo "W --steps 100" ;;
    dt) echo "S --graph 2 --steps 150" ;;
    is) echo "S --repeat 60" ;;
    lu) echo "--size 40 --steps 150" ;;
    tasks) echo "--size 128 --depth 400 --steps 4" ;;
    transpose) echo "--size 32 --steps 40" ;;
    esac
}

# The names of what there is in a folder of programs.
names_in()
{
    (cd "$1" && ls ./*.c) | sed 's|^\./||; s|\.c$||; /^app$/d'
}

application_names()
{
    names_in "${applications:-$suite/../benchmarks/apps}" | sed 's|^|apps/|'
}

subject()
{
    local built
    subject=$1
    case $1 in
    apps/*) [ -e "${applications:-$suite/../benchmarks/apps}/${1#apps/}.c" ] ;;
    *) [ -e "$programs/$1.c" ] ;;
    esac || bad_usage "there is no program $1"
    case $1 in
    apps/*) # shellcheck disable=SC2046
        application "${1#apps/}" "${application_ranks:-4}" $(application_arguments "${1#apps/}") ;;
    *) program "$1" soak ;;
    esac
    built=$?
    [ -z "$interrupted" ] || return
    [ $built -eq 0 ] || [[ "$unbuilt " == *" $1 "* ]] || unbuilt+=" $1"
    return $built
}

# cluster_counts: those of the list that the present program has ranks for, each once.
cluster_counts()
{
    local count
    for count in $cluster_list; do
        [ "$count" = n ] && count=$ranks
        [ "$count" -le "$ranks" ] && echo "$count"
    done | sort -nu
}

# The options of ftrun for so many clusters; sets `clusters` and `protocol_options`.
clusters_choose()
{
    clusters=$1 protocol_options=(--protocol "$protocol")
    [ "$protocol" != spbc ] && [ "$protocol" != hydee ] || protocol_options+=(--clusters "$clusters")
}

# The account of an undisturbed run: seconds, first, and for each rank its hooks, its calls of each kind.
account_write()
{
    jq -rs --argjson clusters "$clusters" '
        "seconds \(last.t)",
        "first \([.[] | select(.event == "checkpoint-commit")] | group_by(.cluster) |
            if length == $clusters then map(first.t) | max else 0 end)",
        (map(select(.event == "hook")) | group_by(.rank)[] | "hooks \(.[0].rank) all \(map(.hook) | max)"),
        (.[] | select(.event == "calls") | .rank as $rank | .calls | to_entries[] |
            "calls \($rank) \(.key) \(.value)")' "$run/events"
}

measure()
{
    clusters_choose "$1"
    account=$output/measured/${subject/\//-}-$protocol-$clusters
    if ! [ "$account" -nt "$ft" ]; then
        failures=0
        same_output "${protocol_options[@]}" --call-events --hook-events >"$folder/said"
        [ -z "$interrupted" ] || return
        if [ $failures -gt 0 ]; then
            record "undisturbed-${subject/\//-}-$clusters" undisturbed
            return 1
        fi
        account_write >"$account.new"
        [ -z "$interrupted" ] || return
        mv "$account.new" "$account"
        rm -rf "$run" "$steps"
    fi
    undisturbed=$(sed -n 's/^seconds //p' "$account")
    limit=$(calculate "$patience * $undisturbed > $least_patience ? $patience * $undisturbed : $least_patience")
    first=$(sed -n 's/^first //p' "$account")
}

# counted WHAT RANK [KIND]: of the undisturbed run; WHAT is hooks or calls.
counted()
{
    awk -v what="$1" -v rank="$2" -v kind="${3:-}" '$1 == what && $2 == rank && (!kind || kind == $3) {
        sum += $4 } END { print sum + 0 }' "$account"
}

# moment RANK THOUSANDTH: a SIGKILL then, of the time behind the first checkpoints.
moment()
{
    echo "checkpoint-commit#$clusters+$(calculate "($undisturbed - $first) * $2 / 1000")/rank$1"
}

# The facts that ftrun tells about the run: "deaths back pause why", separated by tabs.
run_account()
{
    jq -rs '[([.[] | select(.event == "death")] | length),
        ([.[] | select(.event == "contained") | .clusters] | max // 0),
        ([.[] | select(.event == "epoch" and .epoch > 0) | .seconds] | first // "-"),
        ([.[] | select(.event == "wide" or .event == "fall") | .reason] | unique | join("; ") |
            if . == "" then "-" else . end)] | @tsv' "$run/events"
}

# record KEY PLACE [OPTION...]: judges the last run, and writes its line.
record()
{
    local key=$1 place=$2 verdict=right back pause why
    shift 2
    IFS=$'\t' read -r deaths back pause why <<<"$(run_account)"
    [ ! "$interrupted" ] || return
    if [ "$code" -eq 124 ]; then
        verdict=hang
    elif [ $failures -gt 0 ]; then
        verdict=wrong
    elif [ "${deaths:-0}" -eq 0 ]; then
        verdict=missed
    fi
    printf '%s\t' "$key" "$subject" "$protocol" "$ranks" "$clusters" "$place" $verdict "${deaths:-0}" \
        "${back:-0}" "${rollbacks:-0}" "${real:-0}" "$(run_time)" "${undisturbed:-0}" "${pause:--}" \
        "${why:--}" >>"$results"
    printf '%s\n' "${*:--}" >>"$results"
    tried=$((tried + 1))
    if [ $verdict = right ] || [ $verdict = missed ] && ! is_unexplained; then
        rm -rf "$run" "$steps"
    else
        keep_run "$key" $verdict "$*"
    fi
}

# More rolled back than had to, and nothing says why.
is_unexplained()
{
    [ "$protocol" != coordinated:nonblocking ] && [ "${deaths:-0}" -eq 1 ] && [ "${back:-0}" -gt 1 ] && [ "$why" = - ]
}

keep_run()
{
    rm -rf "$output/failed-$1"
    mv "$run" "$output/failed-$1"
    [ ! -e "$steps" ] || mv "$steps" "$output/failed-$1/steps"
    progress_hide
    echo "$name: $1: $subject in $clusters clusters: $2: $3 ($output/failed-$1)"
    head -5 "$folder/said"
}

# Another run takes the place of one whose death did not come, so that is no failure.
attempt()
{
    local expected='never reached'
    failures=0 deaths=0 rollbacks=0 real=0
    {
        ft_run "${protocol_options[@]}" "$@"
        check_same
        check_account
        check_unordered
    } >"$folder/said"
    [ "$interrupted" ] || return 0
    rm -rf "$run" "$steps"
    return 1
}

over()
{
    [ "$interrupted" ] && return
    [ "$minutes" ] && [ $((SECONDS - begun)) -ge $((minutes * 60)) ]
}

# progress DONE ALL: a line that stands on the terminal; elsewhere, one for each fifty runs.
progress()
{
    local left="" bad
    [ -t 2 ] || [ $(($1 % 50)) -eq 0 ] || return
    [ $tried -eq 0 ] || left=", about $(((SECONDS - begun) * ($2 - $1) / tried / 60 + 1)) min left"
    bad=$(awk -F'\t' '$7 == "wrong" || $7 == "hang"' "$results" | wc -l)
    if [ -t 2 ]; then
        printf '\r%s: run %d of %d, %d wrong or hanging%s\e[K' "$name" "$1" "$2" "$bad" "$left" >&2
        shown=yes
    else
        echo "$name: run $1 of $2, $bad wrong or hanging$left" >&2
    fi
}

progress_hide()
{
    [ ! "$shown" ] || printf '\r\e[K' >&2
    shown=''
}

long_end()
{
    local answer
    progress_hide
    rm -rf "$folder"
    # shellcheck disable=SC2086
    "$lua" "$suite/tools/summary.lua" $summary_options "$results"
    answer=$?
    [ ! "$interrupted" ] || exit 130
    [ ! "$unbuilt" ] || lacking="${lacking:+$lacking; }cannot be compiled:$unbuilt"
    [ ! "$lacking" ] || { echo "$name: $lacking"; answer=1; }
    exit $answer
}
