# lib: the verbs of the test suite; sourced by `run`, which sets suite, build, name and folder.
#
#     program NAME           takes testsuite/programs/NAME.c: its directives, both its builds
#     same_output [OPTION]   one run under ftrun prints what the native run prints, byte for byte; each
#                            order is carried out, and nobody dies without one
#     kill_every N           the same with twelve failures, at each N-th hook, ranks in turn
#     kill_random N SEED     N runs, each with a SIGKILL to a random rank at a random moment behind a
#                            random checkpoint: the clock of another run says nothing about this one
#     meddled PATTERN WHAT [OPTION...]   one run, in whose folder somebody does WHAT when PATTERN is among its events,
#                            while ftrun is stopped; then rank 0 is killed
#     refuses CODE PATTERN COMMAND...   ends with CODE, says PATTERN on stderr, leaves nothing, in its folder (or $work)
#                            neither
#
#     some N VALUE...        prints N of the values, drawn anew in each run of the suite; with FT_TEST_ALL=1 all of them
#
# An OPTION "-k WHEN/WHO[/SIGNAL]" is an order to watch (see tools/watch.c); all others are ftrun's.
# Each run has a time limit that counts as a failure, is watched from outside, and may leave nothing
# behind. A verb that is not satisfied says why, and the test goes on; `run` fails at the end.

programs=$suite/programs
interval=0.05      # seconds between checkpoints in the tests
slowness=${FT_TEST_SLOWNESS:-1} # of this machine (CMake's FT_SLOWNESS)
patience=$((20 * slowness))        # times the undisturbed run
least_patience=$((30 * slowness))  # seconds
failures=0
runs=0
# The library that the build is for, and its own tools: Debian may have both.
mpi=$(sed -n 's/^FT_MPI:[A-Z]*=//p' "$build/CMakeCache.txt")
mpicc=$(command -v "mpicc.$mpi" || echo mpicc)
mpiexec=$(command -v "mpiexec.$mpi" || echo mpiexec)
# Open MPI's own OMPIO reads and writes other bytes through some views than ROMIO, which it has, too, and MPICH.
[ "$mpi" != openmpi ] || mpiexec="$mpiexec --oversubscribe --allow-run-as-root --mca io romio321"
expected=          # a pattern: what ftrun may say of troubles in the runs that follow
total_deaths=0 total_rollbacks=0 total_real=0

complain()
{
    failures=$((failures + 1))
    echo "FAILED: $name: $*"
}

some()
{
    local count=$1
    shift
    if [ "${FT_TEST_ALL:-}" ]; then printf '%s\n' "$@"; else shuf -n "$count" -e -- "$@"; fi
}

# The value of a directive in the first comment of a program, one line each.
directive()
{
    sed -n "1,/\*\//s/^ \* $1: //p" "$programs/$program.c"
}

# compile COMPILER TARGET: unless TARGET is newer than its sources and its compiler. `beside` is
# another source.
compile()
{
    local compiler=$1 target=$2 sources=("$programs/$program.c" ${beside:+"$beside"}) file fresh=yes
    for file in "${sources[@]}" "$suite"/programs/*.h; do
        [ "$target" -nt "$file" ] || fresh=
    done
    [ "$fresh" ] && { [ "$compiler" = "$mpicc" ] || { [ "$target" -nt "$build/lib/libft.so" ] &&
        [ "$target" -nt "$compiler" ]; }; } && return
    mkdir -p "${target%/*}"
    # The headers declare arrays of length 0 that gcc believes in.
    "$compiler" -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wshadow -Wstrict-prototypes \
        -Wmissing-prototypes -Wundef -Wwrite-strings -Wvla -Werror -Wno-stringop-overflow -Wno-stringop-overread \
        -I"$suite/programs" "${sources[@]}" -o "$target.$$" ${libraries:-} -lm >"$target.log" 2>&1 &&
        mv "$target.$$" "$target" ||
        { cat "$target.log"; complain "$compiler cannot compile $program.c"; return 1; }
}

# builds KIND: of the program, natively and with ftcc.
builds()
{
    native=$build/testsuite/$1/native/$program
    ft=$build/testsuite/$1/ft/$program
    compile "$mpicc" "$native" && compile "$build/bin/ftcc" "$ft"
}

# program NAME [set]: of the folder `programs`; `set` is the directive with the arguments, test or soak.
program()
{
    program=$1
    ranks=$(directive ranks)
    arguments=$(directive "${2:-test}")
    pace=$(directive pace)
    input=$(directive input)
    order=$(directive output)
    hooks=$(directive hooks)
    options=$(directive options)
    both_builds programs
}

# both_builds KIND: the program's builds, and the native run.
both_builds()
{
    builds "$1" || return
    reference=${references:-$folder}/native-$1-$program
    native_run
}

# application NAME RANKS WORD...: a program of benchmarks/apps (or of the folder `applications`), which
# has no directives and counts no steps, with these arguments.
application()
{
    local programs=${applications:-$suite/../benchmarks/apps} beside=
    program=$1 ranks=$2
    shift 2
    arguments=$* pace='' input='' order='' hooks=none options=''
    [ -e "$programs/app.c" ] && beside=$programs/app.c
    both_builds apps
}

# with_arguments WORD...: the program again, with other arguments.
with_arguments()
{
    arguments=$*
    native_run
}

now()
{
    date +%s.%N
}

# calculate EXPRESSION: with decimals.
calculate()
{
    awk "BEGIN { printf \"%.3f\", ($1) }"
}

holds()
{
    awk "BEGIN { exit !($1) }"
}

# The native run that all others are compared with. What is kept in the folder `references` is taken
# from there, unless the program is newer.
native_run()
{
    if [ "${references:-}" ] && [ "$reference/account" -nt "$native" ]; then
        read -r reference_code reference_time <"$reference/account"
    else
        native_run_now
    fi
    limit=$(calculate "$patience * $reference_time > $least_patience ? $patience * $reference_time : $least_patience")
    native_check
}

# A program that fails without ftrun, unless `native_code` says so (a number, or any), is nothing to compare with.
native_check()
{
    case $reference_code/${native_code:-0} in
    124/*) complain "the native run of $program hangs" ;;
    "${native_code:-0}"/* | */any) ;;
    *) complain "the native run of $program $arguments ends with code $reference_code" ;;
    esac
}

# The undisturbed run with mpicc and mpiexec. Nobody is killed there, so its steps need no pace; the
# time that they would have taken is added to what the run took.
native_run_now()
{
    local start signal
    rm -rf "$reference"
    mkdir -p "$reference/work"
    : >"$reference/unpaced"
    start=$(now)
    (
        # A signal to the group ends mpiexec, and this shell behind it.
        for signal in INT TERM; do trap "trap - $signal; kill -$signal \$BASHPID" $signal; done
        cd "$reference/work" || exit 1
        # Each rank writes to a file of its own: mpiexec may mix the lines of several ranks. One that
        # waits lets others run (tools/yield.c).
        eval "${input:-true}" | FT_TEST_UNPACED=$reference/unpaced timeout --foreground 120 \
            $mpiexec -n "$ranks" sh -c 'r=${PMI_RANK:-$OMPI_COMM_WORLD_RANK}; exec env "$@" >"$0/out.$r" 2>"$0/err.$r"' "$reference" \
            LD_PRELOAD="$tools/libyield.so" "$native" $arguments
    )
    reference_code=$?
    cat "$reference"/out.* >"$reference/out"
    cat "$reference"/err.* >"$reference/err"
    reference_time=$(calculate "$(now) - $start + ${pace:-0} / 1e6 * $(wc -c <"$reference/unpaced")")
    [ "${interrupted:-}" ] || echo "$reference_code $reference_time" >"$reference/account"
}

# options_split OPTION... [-- WORD...]: for a caller that has the local arrays watch_options (its orders
# "-k ORDER"), ftrun_options (all others) and rest (the words behind "--").
options_split()
{
    watch_options=() ftrun_options=() rest=()
    while [ $# -gt 0 ]; do
        case $1 in
        -k) watch_options+=(-k "$2")
            shift ;;
        --) shift
            rest=("$@")
            return ;;
        *) ftrun_options+=("$1") ;;
        esac
        shift
    done
}

# The next run's folder, in $run.
run_begin()
{
    runs=$((runs + 1))
    run=$folder/run-$runs
    rm -rf "$run"
    mkdir -p "$run/work"
}

# watched DESCRIPTION WATCH_OPTION... -- COMMAND...: the command in the working folder of $run (or in
# $work), with its input; leaves out, err, log there and its code in $code. `around` is a command in
# front of it all. A signal to this shell ends the command, and is waited for.
watched()
{
    described=$1
    shift
    temporary=$(mktemp -d "${TMPDIR:-/tmp}/fts.XXXXXX")
    (
        trap : INT TERM
        cd "${work:-$run/work}" || exit 1
        eval "${input:-true}" | TMPDIR=$temporary ${around:-} "$tools/watch" -o "$run/log" -t "$limit" "$@"
    ) >"$run/out" 2>"$run/err"
    code=$?
    check_leftovers
}

# ft_run [OPTION...]: one watched run under ftrun, in $run; leaves out, err, code, log, events, steps.
# The store survives when store is set before the call.
ft_run()
{
    local watch_options ftrun_options rest
    options_split "$@"
    orders_count
    run_begin
    # A job that is continued keeps its environment, and with it the file of its steps.
    steps=$folder/steps-${store:+of-}$(basename "${store:-$runs}")
    case " ${ftrun_options[*]} " in
    *" --restart "*) ;;
    *) : >"$steps" ;;
    esac
    case " ${ftrun_options[*]} " in
    *" --checkpoint-interval "* | *" --checkpoint-every "* | *" --mtbf "*) ;;
    *) # shellcheck disable=SC2206
        ftrun_options=(${options:---checkpoint-interval $interval} "${ftrun_options[@]}") ;;
    esac
    # shellcheck disable=SC2086
    FT_TEST_PACE=$pace FT_TEST_STEPS=$steps FT_TEST_MARKER=$run/marker \
        FT_TEST_EVENTS=$run/events FT_TEST_COMMITS=${commits:-0} \
        watched "${watch_options[*]} ${ftrun_options[*]}" -e "$run/events" -p "$ft" -s "$runs" \
        -b "'$suite/tools/stacks' '$run/stacks'" "${watch_options[@]}" -- "$build/bin/ftrun" -n "$ranks" \
        --store "${store:-$run/store}" --events "$run/events" "${ftrun_options[@]}" "$ft" $arguments
    echo $code >"$run/code"
}

check_leftovers()
{
    case $code in
    124) complain "no end within $limit s: $described ($run)" ;;
    125) complain "left behind: $(sed -n 's/^[^ ]* left //p' "$run/log" | tr '\n' ';') $described ($run)"
        code=$(awk '$2 == "end" { print $3 }' "$run/log") ;;
    esac
    if [ -n "$(ls -A "$temporary")" ]; then
        complain "temporary files left behind: $(ls -A "$temporary" | tr '\n' ' ') $described ($run)"
    fi
    rm -rf "$temporary"
}

# The lines the program printed: without what ftrun says itself.
own_lines()
{
    grep -Ev '^(ftrun|watch): ' "$1" | if [ "$order" = sorted ]; then sort; else cat; fi
}

plain_lines()
{
    if [ "$order" = sorted ]; then sort "$1"; else cat "$1"; fi
}

# Compares output, code and files of the last ft_run with the native run.
check_same()
{
    [ -s "$reference/out" ] || complain "the native run of $program prints nothing"
    [ "$code" -eq "$reference_code" ] || complain "code $code, natively $reference_code: $described ($run)"
    cmp -s <(plain_lines "$reference/out") <(plain_lines "$run/out") ||
        { complain "other output: $described ($run)"
          diff <(plain_lines "$reference/out") <(plain_lines "$run/out") | head -5; }
    cmp -s <(own_lines "$reference/err") <(own_lines "$run/err") ||
        { complain "other lines on stderr: $described ($run)"
          diff <(own_lines "$reference/err") <(own_lines "$run/err") | head -5; }
    diff -r --no-dereference "$reference/work" "${work:-$run/work}" >"$run/diff" ||
        { complain "other files: $described ($run)"; head -5 "$run/diff"; }
    check_unsaid
}

# Messages that ftrun prints only where something is not as it should be. A checkpoint that was not taken is none of it: a file of a
# process that has gone, a thread, a death meanwhile may be in its way; real_rollbacks asks whether there are any.
check_unsaid()
{
    local trouble
    trouble=$(grep -E '^ftrun: .*(differently| is damaged|never reached|cannot go on|is given up)' "$run/err" |
        grep -Ev -m 1 "${expected:-^\$}")
    [ -z "$trouble" ] || complain "$trouble: $described ($run)"
}

# Holds the runtime's account against what was seen from outside, and adds up the deaths.
check_account()
{
    local agreed flags=()
    [ "$hooks" = uneven ] && flags+=(-u)
    [ "$hooks" = none ] || flags+=(-s "$steps")
    agreed=$("$lua" "$suite/tools/agree.lua" -w "$run/log" -e "$run/events" -p "$ft" -c "$code" \
        "${flags[@]}" "$@") || complain "the account disagrees: $described ($run)
$(echo "$agreed" | head -5)"
    deaths=$(echo "$agreed" | sed -n 's/^agree: deaths=\([0-9]*\).*/\1/p')
    rollbacks=$(echo "$agreed" | sed -n 's/.* rollbacks=\([0-9]*\).*/\1/p')
    real=$(echo "$agreed" | sed -n 's/.* real=\([0-9]*\).*/\1/p')
    total_deaths=$((total_deaths + ${deaths:-0}))
    total_rollbacks=$((total_rollbacks + ${rollbacks:-0}))
    total_real=$((total_real + ${real:-0}))
}

# The caller's options: `asked_kills` of ftrun (--kill), `asked_orders` of watch (-k), of which
# `asked_moments` kill a rank.
orders_count()
{
    local orders
    orders=$(printf '%s\n' "${watch_options[@]}")
    asked_kills=$(printf '%s\n' "${ftrun_options[@]}" | grep -c '^--kill$')
    asked_orders=$(grep '/' <<<"$orders" | grep -cv '/CONT$')
    asked_moments=$(grep -cE '/(rank[0-9]+|any)(/(KILL|TERM|USR2))?$' <<<"$orders")
}

# Deaths of the last run that the program has ordered itself (program.h).
own_deaths()
{
    find "$run" -maxdepth 1 -name 'marker.[0-9]' | wc -l
}

# The last run's orders were carried out; but who was stopped may be gone when it is to go on. Who is to be ended anyway
# when watch kills it has no death of its own.
check_orders()
{
    local carried least
    carried=$(awk '$2 == "kill" && $5 != 18' "$run/log" | wc -l)
    least=$((asked_kills + $(own_deaths)))
    [ $least -gt 0 ] || [ "$asked_moments" -eq 0 ] || least=1
    [ "$carried" -eq "$asked_orders" ] || complain "only $carried of $asked_orders orders were carried out: $described ($run)"
    expect_deaths $least
}

# Nobody has died in the last run without an order.
check_unordered()
{
    local most=$((asked_kills + asked_moments + $(own_deaths)))
    [ "${deaths:-0}" -le "$most" ] ||
        complain "${deaths:-0} ranks died, $most at most by order: $described ($run)"
}

# expect_deaths N: a kill that did not happen proves nothing.
expect_deaths()
{
    [ "${deaths:-0}" -ge "$1" ] || complain "only ${deaths:-0} of $1 deaths happened: $described ($run)"
}

# expect_killed WHO: one of the last run's orders to watch found its victim.
expect_killed()
{
    grep -q "^[^ ]* kill [0-9]* $1 " "$run/log" || complain "no $1 was killed: $described ($run)"
}

same_output()
{
    ft_run "$@"
    check_same
    check_account
    check_orders
    check_unordered
}

# killed [OPTION...]: same_output, and at least one death must have happened.
killed()
{
    same_output "$@"
    expect_deaths 1
}

# pid_of RANK: its last process in the last run.
pid_of()
{
    sed -n "s/.*\"event\": \"start\", \"rank\": $1, \"pid\": \([0-9]*\).*/\1/p" "$run/events" | tail -1
}

# ftrun_pid: of the last run.
ftrun_pid()
{
    local pid
    for pid in $(pgrep -x ftrun); do
        ! grep -qsF "$run/events" "/proc/$pid/cmdline" || echo "$pid"
    done
}

meddled()
{
    local pattern=$1 what=$2 hand
    shift 2
    (
        run=$folder/run-$((runs + 1))
        for _ in $(seq 6000); do
            grep -qs "$pattern" "$run/events" && break
            sleep 0.005
        done
        cd "$run" && kill -STOP "$(ftrun_pid)" && eval "$what" || exit 1
        : >marker.0
        kill -9 "$(pid_of 0)" && kill -CONT "$(ftrun_pid)"
    ) &
    hand=$!
    ft_run "$@"
    wait $hand || complain "nothing was meddled with: $what ($run)"
    expect_event '"event": "death", "rank": 0'
}

kill_every()
{
    local number=$1 hook orders=()
    for hook in $(seq "$number" "$number" $((number * 12))); do
        orders+=(--kill "$((hook / number % ranks))@hook:$hook")
    done
    same_output "${orders[@]}"
    expect_deaths $((${#orders[@]} / 2))
}

# A whole number below $1, from the state that `seed` set.
random()
{
    echo $(((RANDOM * 32768 + RANDOM) % $1))
}

# The seconds of the last ft_run, as watch saw it.
run_time()
{
    awk '$2 == "end" { print $1 }' "$run/log"
}

# commits_seen: how many checkpoints the last run has committed.
commits_seen()
{
    grep -c '"event": "checkpoint-commit"' "$run/events"
}

# On a busy machine a run has fewer checkpoints than another one: one that ended before the moment is made again.
kill_random()
{
    local left=$1 tries=$((3 * $1)) last number
    RANDOM=$2
    same_output --checkpoint-every 6
    last=$(commits_seen)
    while [ "$left" -gt 0 ] && [ $((tries--)) -gt 0 ]; do
        number=$((1 + $(random $((last * 3 / 4)))))
        ft_run --checkpoint-every 6 -k "checkpoint-commit#$number+$(calculate "$(random 500) / 1e4")/any"
        check_same
        check_account
        check_unordered
        [ "$(commits_seen)" -gt "$number" ] || [ "$deaths" -gt 0 ] || continue
        check_orders
        expect_deaths 1
        left=$((left - 1))
    done
    [ "$left" -eq 0 ] || complain "$left deaths came too late each time"
}

# real_rollbacks N: at least N percent of the rollbacks of this test went to a real checkpoint.
real_rollbacks()
{
    [ $((total_real * 100)) -ge $((total_rollbacks * $1)) ] ||
        complain "only $total_real of $total_rollbacks rollbacks went to a checkpoint of at least 1"
}

refuses()
{
    local expected=$1 pattern=$2 limit=$least_patience input= before
    shift 2
    run_begin
    before=$(ls -A "${work:-$run/work}")
    watched "$*" -- "$@"
    left_nothing "$before"
    [ "$expected" = any ] && [ $code -ne 0 ] && expected=$code
    [ "$code" -eq "$expected" ] || complain "code $code instead of $expected: $* ($run)"
    grep -Eq -- "$pattern" "$run/err" ||
        complain "no \"$pattern\" on stderr: $* ($run): $(head -3 "$run/err")"
}

# left_nothing [BEFORE]: the last run's working folder holds what it did before.
left_nothing()
{
    local left
    left=$(ls -A "${work:-$run/work}")
    [ "$left" = "${1:-}" ] || complain "left in the folder: $left: $described ($run)"
}

# event_number NAME KEY: the value of KEY in the last event NAME of the last run.
event_number()
{
    grep "\"event\": *\"$1\"" "$run/events" | tail -1 | sed -n "s/.*\"$2\": *\([-0-9.]*\).*/\1/p"
}

# expect_code CODE...: of the last ft_run, one of these.
expect_code()
{
    local expected
    for expected in "$@"; do
        [ "$code" -eq "$expected" ] && return
    done
    complain "code $code, not $*: $described ($run)"
}

# expect_said PATTERN: on stderr of the last run.
expect_said()
{
    grep -Eq -- "$1" "$run/err" ||
        complain "no \"$1\" on stderr: $described ($run): $(tail -3 "$run/err")"
}

# expect_unsaid PATTERN: the opposite.
expect_unsaid()
{
    ! grep -Eq -- "$1" "$run/err" || complain "\"$1\" on stderr: $described ($run)"
}

# expect_event PATTERN: a line of the last run's events.
expect_event()
{
    grep -Eq -- "$1" "$run/events" || complain "no event $1: $described ($run)"
}

# died_while FROM TO: in the last run somebody died behind an event FROM, and before the next TO.
died_while()
{
    jq -se --arg from "$1" --arg to "$2" 'reduce .[].event as $event ({};
        if $event == $from or $event == $to then .open = ($event == $from)
        elif $event == "death" and .open then .died = true
        else . end) | .died' "$run/events" >"$run/died"
}

# The outputs of several ftruns of one job must add up to the native one: check_parts RUN...
check_parts()
{
    local part
    for part in "$@"; do cat "$part/out"; done >"$folder/parts"
    cmp -s "$reference/out" "$folder/parts" ||
        { complain "the parts do not add up: $* "; diff "$reference/out" "$folder/parts" | head -5; }
}

# Sets `apart` to a command that runs another one where it may mount, and nobody else sees what.
apart_find()
{
    for apart in "unshare -m" "unshare -rm"; do
        $apart mount -t tmpfs tmpfs /mnt 2>/dev/null && return
    done
    skip "mounting is not allowed here"
}

# small_folder SIZE: the whole test runs again with a file system of this size in $small.
small_folder()
{
    small=$folder/small
    if [ ! "${FT_TEST_APART:-}" ]; then
        apart_find
        FT_TEST_APART=yes exec $apart "$suite/run" "$build" "$file"
    fi
    mkdir -p "$small"
    mount -t tmpfs -o "size=$1,mode=700" tmpfs "$small" || complain "nothing can be mounted in $small"
}

# skip REASON: for what the machine does not allow, never for a missing package. ctest sees it, and
# ./bootstrap test repeats the line at its end.
skip()
{
    echo "SKIPPED: $name: $*"
    exit 77
}
