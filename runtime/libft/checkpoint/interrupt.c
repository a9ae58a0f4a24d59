/* Leaving in the middle of a computation (--protocol spbc).
 *
 * A rank that computes comes to no safe point for long. ftrun sends it a signal
 * (recover/interrupt.c), and its handler is a safe point if nothing but the program's own code lies
 * between main and the interrupted instruction: then nothing is half done in libc, in the MPI
 * library or in the runtime, and no lock of theirs is held. The image has the handler's frame, and
 * above it what the kernel has saved: all registers, vectors included, and the mask. In the next
 * life the handler returns on the same stack, to the same address of libc, and sigreturn takes the
 * registers from there. So nothing that the program has done is lost, not even an instruction.
 *
 * State that two calls of MPI may change, but two instructions may not, is kept here: errno and the
 * mark of a site. A rank at another place goes on, and leaves at its next call or when it is asked
 * again.
 *
 * At such a place a rank can also be made to send on what others lack after a failure: they would
 * wait for the end of the computation otherwise.
 *
 * A rank that looks at files, or sleeps, until another one has done something may never come to
 * an MPI call: the other one is held, or dead. So those calls of libc are safe points, too, with
 * any protocol, when the rank has been called for a while; and there it sends what others lack.
 * A rank that has rolled back carries on its collectives, too: in the life before they had got
 * further in polls, which are given again at once. */
#define UNW_LOCAL_ONLY
#include "checkpoint/checkpoint.h"

#include <errno.h>
#include <libunwind.h>
#include <signal.h>
#include <unistd.h>

#include "checkpoint/save.h"
#include "image/layout.h"
#include "image/modules.h"
#include "libc/libc.h"
#include "os/os.h"
#include "request/virtual.h"

#define SIGNAL (SIGRTMAX - 7) /* of use to nobody known; libc, MPICH and UCX use none of these */
#define SERVICE 0.005         /* seconds of sending at a time */
#define OUTSIDE 0.05          /* seconds until a call of libc is a safe point, */
#define PAUSE 0.001           /* and between two looks whether it may be one */
#define SEEN 16               /* addresses of frames that are known to be described; a power of 2 */

static int is_called(const struct ft_rank *self)
{
    return __atomic_load_n(&self->recorder->order, __ATOMIC_RELAXED) !=
           (self->order_seen ^ self->order_never);
}

/* Is there unwind information? Without it libunwind guesses, and could pass over a frame. It
 * describes an unknown place as a function of one byte. Recursion meets the same address many
 * times. */
static int is_described(unw_cursor_t *cursor, unw_word_t address, unw_word_t *seen)
{
    unw_word_t *entry = &seen[address % SEEN];
    unw_proc_info_t info;

    if (*entry == address)
        return 1;
    if (unw_get_proc_info(cursor, &info) != 0 || info.end_ip - info.start_ip <= 1)
        return 0;
    *entry = address;
    return 1;
}

/* The function that calls main has been called with an empty stack (start/main.c). */
static int is_caller_of_main(unw_cursor_t *cursor)
{
    unw_word_t pointer = 0;

    return unw_step(cursor) > 0 && unw_get_reg(cursor, UNW_REG_SP, &pointer) == 0 &&
           pointer == FT_STACK_TOP;
}

/* From the frame at the cursor on. */
static int is_all_program(unw_cursor_t *cursor)
{
    const struct ft_modules *modules = ft_modules_get();
    unw_word_t address = 0, pointer = 0, below = 0, seen[SEEN] = {0};

    for (;; below = pointer) {
        if (unw_get_reg(cursor, UNW_REG_IP, &address) != 0 ||
            unw_get_reg(cursor, UNW_REG_SP, &pointer) != 0 || pointer <= below)
            return 0;
        if (!ft_modules_may_be_left(modules, address))
            return below != 0 && is_caller_of_main(cursor);
        if (!is_described(cursor, address, seen) || unw_step(cursor) <= 0)
            return 0;
    }
}

static int is_interrupted_in_program(void *context)
{
    unw_cursor_t cursor;

    return unw_init_local2(&cursor, context, UNW_INIT_SIGNAL_FRAME) == 0 && is_all_program(&cursor);
}

/* Above a call that returns to `site`. */
static int is_called_by_program(const void *site)
{
    unw_context_t context;
    unw_cursor_t cursor;
    unw_word_t address = 0;

    if (unw_getcontext(&context) != 0 || unw_init_local(&cursor, &context) != 0)
        return 0;
    while (address != (unw_word_t)(uintptr_t)site) {
        if (unw_step(&cursor) <= 0 || unw_get_reg(&cursor, UNW_REG_IP, &address) != 0)
            return 0;
    }
    return is_all_program(&cursor);
}

/* Obstacles are looked for before the gate, because behind it they would cost the cluster's work.
 */
static void leave(struct ft_rank *self, const void *context)
{
    if (!is_called(self) || !ft_os_frame_lasts(context) || ft_libc_moves() ||
        checkpoint_obstacle(self) != NULL)
        return;
    ft_life.interrupted = 1;
    ft_gate_enter(self, FT_WAITING_NOT);
    ft_life.interrupted = 0;
}

static void serve(struct ft_rank *self)
{
    double end = ft_os_now() + SERVICE;

    while (self->recorder->owing && ft_os_now() < end)
        ft_progress(self);
}

static void carry_on(struct ft_rank *self)
{
    ft_progress(self);
    ft_running_turn(self);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    struct ft_rank *self = ft_self;
    unsigned site = ft_site;
    int error = errno;

    (void)number;
    if (ft_depth != 0 || self == NULL || self->mpi_state != 1 || self->in_callback)
        return;
    ft_depth = 1;
    if (is_interrupted_in_program(context)) {
        self->recorder->where = FT_WHERE_CALL;
        if (info->si_value.sival_int == FT_INTERRUPT_LEAVE)
            leave(self, context);
        serve(self);
        self->recorder->where = FT_WHERE_USER;
    }
    ft_depth = 0;
    ft_site = site;
    errno = error;
}

/* Has it collectives that were further in a life before, perhaps? */
static int is_late(const struct ft_rank *self)
{
    return self->spbc != NULL && self->recorder->behind && self->requests->running != NULL;
}

static int is_wanted(const struct ft_rank *self)
{
    return is_called(self) || self->recorder->owing || is_late(self);
}

/* Has it been called for long since its last call of MPI? Others come to the next one soon. And
 * could an image be taken? An obstacle of now may be gone there. */
static int is_gate_due(struct ft_rank *self, double now)
{
    static uint64_t calls;
    static double since;

    if (!is_called(self))
        return 0;
    if (since <= 0 || calls != self->calls)
        since = now;
    calls = self->calls;
    if (now - since < OUTSIDE)
        return 0;
    if (checkpoint_obstacle(self) == NULL)
        return 1;
    since = now;
    return 0;
}

/* Elsewhere than in the program something may be half done around the call: a library that is
 * being loaded looks at files. A rank that was elsewhere is not called at once again. */
static int may_stop(const void *site, double now)
{
    static double refused;

    if (now - refused < PAUSE)
        return 0;
    if (is_called_by_program(site))
        return 1;
    refused = now;
    return 0;
}

void ft_gate_outside(struct ft_rank *self, const void *site)
{
    unsigned mark = ft_site;
    int error = errno;
    double now;

    if (!is_wanted(self) || getpid() != gettid() || (self->order_never && !ft_libc_is_alone()))
        return;
    ft_depth = 1;
    now = ft_os_now();
    if (may_stop(site, now)) {
        self->recorder->where = FT_WHERE_CALL;
        if (is_gate_due(self, now))
            ft_gate_enter(self, FT_WAITING_NOT);
        if (self->spbc != NULL)
            serve(self);
        if (is_late(self))
            carry_on(self);
        self->recorder->where = FT_WHERE_USER;
    }
    ft_depth = 0;
    ft_site = mark;
    errno = error;
}

void ft_interrupt_start(void)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    struct ft_recorder *recorder = (struct ft_recorder *)FT_RECORDER_AT;
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};

    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
        sigdelset(&action.sa_mask, fatal[i]);
    if (sigaction(SIGNAL, &action, NULL) != 0)
        return;
    ft_life.signal = SIGNAL;
    recorder->signal = SIGNAL;
}
