# killed: a real program from Debian's source package, built with mpicc and with ftcc, and killed at random
# moments. Sourced by the command of the program with that command's arguments. It says:
#
#     package, binary, ranks            Debian's source; what is run, in the folder of the source; of how many ranks
#     kills, size, interval             what -n, -g and -i set
#     build_limit                       what ftcc may need, in times of mpicc
#     program_build CC                  builds it in the current folder, which is that of the source
#     program_arguments                 prints what it is called with
#     program_begin                     puts what it reads into the current folder, where it runs
#     program_verdict                   prints the lines that must not change of the run in the current folder,
#                                       whose output is in `out`
#
# and then calls `killed "$@"`. The options, and what makes it pass, are the same for all:
usage_text='[-n KILLS] [-s SEED] [-g SIZE] [-c CLUSTERS] [-i SECONDS] [-m MINUTES] [--only fetch|native|ft|run] BUILD_DIR [WORK_DIR]

It passes when building with ftcc takes not too long (for hypre twice the time of mpicc), and every killed run has the
verdict of the run of the mpicc build under mpiexec. With -c the ranks are CLUSTERS clusters (--protocol spbc), and in 95 % of the killed
runs only one of them may have rolled back. -i is the interval of checkpoints. A moment at which nobody died is
drawn again.

WORK_DIR (default BUILD_DIR/real/NAME) is kept, so that a second call only runs what is missing: what came of each
kill stands in its folder kills-SIZE-PROTOCOL-INTERVAL-SEED. -m stops after so many minutes, with code 75; call
it again. It changes no system file: the list of sources lies in WORK_DIR.'
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=sources.sh
. "$here/sources.sh"
name=$(basename "$0")
seed=1 only='' clusters='' minutes=''

die()
{
    echo "$name: $*" >&2
    exit 1
}

bad_usage()
{
    echo "$name ${usage_text%%$'\n'*}" >&2
    exit 2
}

arguments_read()
{
    local option
    while getopts hn:s:g:c:i:m:-: option; do
        case $option in
        h) echo "$name $usage_text"; exit 0 ;;
        n) kills=$OPTARG ;;
        s) seed=$OPTARG ;;
        g) size=$OPTARG ;;
        c) clusters=$OPTARG ;;
        i) interval=$OPTARG ;;
        m) minutes=$OPTARG ;;
        -)  [ "$OPTARG" = only ] || bad_usage
            only=${!OPTIND}
            OPTIND=$((OPTIND + 1)) ;;
        *) bad_usage ;;
        esac
    done
    shift $((OPTIND - 1))
    [ $# -ge 1 ] || bad_usage
    build=$(cd "$1" && pwd) || exit 2
    work=${2:-$build/real/$name}
    mkdir -p "$work" && work=$(cd "$work" && pwd) || exit 2
    protocol=(--protocol coordinated)
    [ -z "$clusters" ] || protocol=(--protocol spbc --clusters "$clusters")
    reference=$work/reference-$size
    runs=$work/kills-$size-${clusters:-coordinated}-$interval-$seed
}

# Asks for one stage, or for all of them.
wanted()
{
    [ -z "$only" ] || [ "$only" = "$1" ]
}

fetch()
{
    ls "$work/$package"_*.orig.tar.* >/dev/null 2>&1 ||
        source_fetch "$package" "$work" >"$work/fetch.log" 2>&1 ||
        die "cannot get the source of $package: see $work/fetch.log"
}

# compile FOLDER CC: leaves the seconds in FOLDER.time.
compile()
{
    local folder=$work/$1 start
    [ -s "$folder.time" ] && return
    rm -rf "$folder"
    mkdir -p "$folder"
    tar -xf "$work/$package"_*.orig.tar.* -C "$folder" --strip-components=1 || die "cannot unpack"
    echo "$name: building with $2 (log: $folder.log)"
    start=$(now)
    (cd "$folder" && program_build "$2") >"$folder.log" 2>&1 ||
        { tail -20 "$folder.log"; die "build with $2 failed"; }
    passed "$start" >"$folder.time"
}

# now: seconds since the epoch, as a decimal.
now()
{
    date +%s.%N
}

# passed START: the seconds since then.
passed()
{
    echo "$(now) $1" | awk '{printf "%.2f\n", $1 - $2}'
}

# begin FOLDER: an empty folder in which a run begins.
begin()
{
    rm -rf "$1"
    mkdir -p "$1" || exit 1
    (cd "$1" && program_begin) || die "cannot prepare $1"
}

verdict()
{
    (cd "$1" && program_verdict)
}

run_reference()
{
    local start
    [ -s "$reference/time" ] && return
    begin "$reference"
    start=$(now)
    # shellcheck disable=SC2046
    (cd "$reference" && timeout 600 mpiexec -n "$ranks" "$work/native/$binary" $(program_arguments) >out 2>err) ||
        die "the native run failed: $reference/err"
    verdict "$reference" >"$reference/verdict"
    [ -s "$reference/verdict" ] || die "the native run has no verdict"
    passed "$start" >"$reference/time"
}

# ft_run NAME [-k ORDER] [FTRUN_OPTION...]: one run under ftrun, watched from outside; in its folder of runs are
# out, err, events and log. ORDER is one of watch's.
ft_run()
{
    local run=$runs/$1 order=()
    shift
    if [ "${1:-}" = -k ]; then
        order=(-k "$2")
        shift 2
    fi
    rm -rf "$runs/store"
    begin "$run"
    # shellcheck disable=SC2046
    (cd "$run" && "$build/testsuite/watch" -o log -e events -p "$work/ft/$binary" -t "$limit" \
        -b "'$here/../tools/stacks' stacks" "${order[@]}" -- \
        "$build/bin/ftrun" -n "$ranks" "${protocol[@]}" --store "$runs/store" --checkpoint-interval "$interval" \
        --events events "$@" "$work/ft/$binary" $(program_arguments) >out 2>err)
}

# The seconds of a run, as watch saw it.
run_time()
{
    awk '$2 == "end" { print $1 }' "$runs/$1/log"
}

# Has the run the verdict of the native one?
same()
{
    cmp -s "$reference/verdict" <(verdict "$runs/$1")
}

# below LIMIT: a random whole number.
below()
{
    echo $(((RANDOM * 32768 + RANDOM) % $1))
}

# The options of draw `number`: by turns SIGKILL at a random time, and _exit in a random call; the
# rank is random, and 0 in every fifth. Nothing here depends on how the runs before went.
random_kill()
{
    local rank
    RANDOM=$((seed * 1000 + $1))
    rank=$((RANDOM % ranks))
    [ $(($1 % 5)) -eq 1 ] && rank=0
    if [ $(($1 % 2)) -eq 0 ]; then
        plan=(--kill "$rank@call:$((1 + $(below "$calls"))):exit")
    else
        plan=(-k "$(awk "BEGIN { print $seconds * $(below 1000) / 1000 }")/rank$rank")
    fi
}

# The MPI calls of the rank that makes the fewest.
count_calls()
{
    ft_run counted --call-events || die "the counting run failed: $runs/counted/err"
    calls=$(jq -rs 'map(select(.event == "calls") | .calls | add) | min' "$runs/counted/events")
}

# Facts about runs without a death: the seconds, and the calls of a rank.
undisturbed()
{
    limit=$(awk '{printf "%d", 20 * $1 + 20}' "$reference/time")
    if [ ! -s "$runs/known" ]; then
        rm -rf "$runs"
        ft_run undisturbed || die "the undisturbed run under ftrun failed: $runs/undisturbed/err"
        same undisturbed || die "the undisturbed run under ftrun reports another result"
        seconds=$(run_time undisturbed)
        count_calls
        echo "$seconds $calls" >"$runs/known"
    fi
    read -r seconds calls <"$runs/known"
    echo "$name: undisturbed $seconds s, natively $(cat "$reference/time") s; $calls calls a rank"
}

# The last checkpoint that a run rolled back to.
checkpoint_used()
{
    sed -n 's/.*"rollback".*"checkpoint": *\(-*[0-9]*\).*/\1/p' "$runs/$1/events" | tail -1
}

# Why more than the clusters of the dead rolled back, or nothing.
why_wider()
{
    jq -rs 'map(select(.event == "fall" or .event == "wide") | .reason) | unique | join("; ")' \
        "$runs/$1/events"
}

# How many clusters rolled back at most, in one failure of the run; all where ftrun does not tell.
clusters_back()
{
    jq -rs --argjson all "${clusters:-1}" '(map(select(.event == "contained") | .clusters) | max) // $all' \
        "$runs/$1/events"
}

# One line for draw $1: missed, same, WRONG or "code N"; clusters that rolled back; checkpoint; seconds; orders; why.
kill_run()
{
    local run=kill-$1 result=same back=0
    random_kill "$1"
    ft_run "$run" "${plan[@]}" || result="code $?"
    same "$run" || result="WRONG, $result"
    if ! grep -q '"event": "death"' "$runs/$run/events"; then
        [ "$result" = same ] && result=missed
    else
        back=$(clusters_back "$run")
    fi
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$result" "$back" "$(checkpoint_used "$run")" \
        "$(run_time "$run")" "${plan[*]}" "$(why_wider "$run")"
}

tell()
{
    awk -F'\t' -v name="$name" '{ print name ": " $1 ": " $6 ": " $2 ", " $3 " clusters back, checkpoint " $4 ", " $5 " s" \
        ($7 ? ": " $7 : "") }'
}

# Prints the head of the verdict and what came of all, and fails if it is not good enough.
summary()
{
    head -3 "$reference/verdict"
    awk -F'\t' -v kills="$kills" -v clusters="$clusters" -v name="$name" '
        $2 == "missed" { next }
        { killed++; same += $2 == "same"; single += $3 == 1; real += $4 >= 1 }
        END {
            printf "%s: %d of %d the same, %d from a checkpoint of at least 1\n", name, same, killed, real
            if (clusters)
                printf "%s: in %d of %d only one of %d clusters rolled back\n", name, single, killed, clusters
            exit same < kills || (clusters && single * 20 < killed * 19)
        }' "$runs/results.tsv"
}

kill_runs()
{
    local number=0 killed=0 line
    undisturbed
    touch "$runs/results.tsv"
    while [ "$killed" -lt "$kills" ]; do
        number=$((number + 1))
        [ $number -le $((3 * kills)) ] || die "most of the kills do not kill"
        line=$(awk -F'\t' -v number=$number '$1 == number' "$runs/results.tsv")
        if [ -z "$line" ]; then
            [ -n "$minutes" ] && [ $SECONDS -ge $((minutes * 60)) ] && exit 75
            line=$(kill_run $number)
            echo "$line" >>"$runs/results.tsv"
        fi
        echo "$line" | tell
        [ "$(echo "$line" | cut -f2)" = missed ] || killed=$((killed + 1))
    done
    summary
}

killed()
{
    arguments_read "$@"
    ! wanted fetch || fetch
    ! wanted native || compile native mpicc
    if wanted ft; then
        compile ft "$build/bin/ftcc"
        echo "$(cat "$work/native.time") $(cat "$work/ft.time")" | awk -v name="$name" -v limit="$build_limit" '
            { printf "%s: build %.1f s with mpicc, %.1f s with ftcc: ratio %.2f (limit %s)\n", name, $1, $2, $2 / $1, limit
              exit $2 > limit * $1 }' || die "ftcc is too slow"
    fi
    if wanted run; then
        run_reference
        kill_runs
    fi
}
