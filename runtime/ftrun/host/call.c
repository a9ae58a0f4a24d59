/* call: a rank that computes is called by a signal.
 *
 * Its handler (checkpoint/interrupt.c) goes to the gate if only the program's own code is on the
 * stack; if not, the rank goes on, and is called again after a while, at another place.
 *
 * No system call of the program may end early because of it, as it would with EINTR in a sleep or
 * with a short write. SA_RESTART does not help with all of them. So only a rank that is running and
 * has not slept between two looks is called. It is stopped, and gets the signal only if the kernel
 * shows that it does not stand in a system call: then the signal comes before its next instruction.
 * SIGSTOP and SIGCONT restart what they interrupt, and are not seen by the program; if it handles
 * or blocks SIGCONT itself it is left alone. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "host/call.h"
#include "host/proc.h"
#include "host/loop.h"

static const double first_seconds = 0.05; /* most ranks have come by a call of MPI before */
static const double least_seconds = 0.01; /* between two signals; the next time it is longer */
static const double most_seconds = 0.3;
static const double growth = 1.2;
enum { STOP_LOOKS = 100, STOP_US = 100 }; /* how long a stop may take */

struct look { /* at /proc/PID/status */
    char state;
    uint64_t blocked, handled; /* signals: bit s - 1 */
    long switches;             /* times it has given up the processor by itself */
};

static int look_at(pid_t pid, struct look *look)
{
    char text[8192];

    if (!ft_proc_read(pid, "status", text, sizeof(text)))
        return 0;
    look->state = *ft_proc_value(text, "\nState:\t");
    look->blocked = strtoull(ft_proc_value(text, "\nSigBlk:\t"), NULL, 16);
    look->handled = strtoull(ft_proc_value(text, "\nSigCgt:\t"), NULL, 16);
    look->switches = strtol(ft_proc_value(text, "\nvoluntary_ctxt_switches:\t"), NULL, 10);
    return 1;
}

static uint64_t bit(uint32_t number)
{
    return (uint64_t)1 << (number - 1);
}

static int is_stopped(pid_t pid)
{
    struct look look;

    for (int i = 0; i < STOP_LOOKS; i++) {
        if (!look_at(pid, &look) || look.state == 'Z')
            return 0;
        if (look.state == 'T')
            return 1;
        usleep(STOP_US);
    }
    return 0;
}

/* "-1 SP PC": not in a system call. */
static int is_in_user_mode(pid_t pid)
{
    char text[256];

    return ft_proc_read(pid, "syscall", text, sizeof(text)) && !strncmp(text, "-1 ", 3);
}

static uint32_t signal_of(const struct ft_recorder *recorder)
{
    return __atomic_load_n(&recorder->signal, __ATOMIC_ACQUIRE);
}

static int is_in_program(const struct ft_recorder *recorder)
{
    return __atomic_load_n(&recorder->where, __ATOMIC_ACQUIRE) == FT_WHERE_USER;
}

static void call(struct ft_caller *call, pid_t pid, const struct ft_recorder *recorder,
                 enum ft_interrupt_why why)
{
    siginfo_t info = {.si_code = SI_QUEUE, .si_value.sival_int = why};

    kill(pid, SIGSTOP);
    if (is_stopped(pid) && is_in_user_mode(pid) && is_in_program(recorder) && signal_of(recorder)) {
        syscall(SYS_rt_tgsigqueueinfo, pid, pid, signal_of(recorder), &info);
        call->sent++;
    }
    kill(pid, SIGCONT);
}

/* Does it compute, and would only our handler hear of it? */
static int is_computing(struct ft_caller *call, pid_t pid, const struct ft_recorder *recorder)
{
    struct look look;
    long before = call->switches;

    if (!look_at(pid, &look))
        return 0;
    call->switches = look.switches;
    return look.state == 'R' && look.switches == before &&
           !((look.blocked | look.handled) & bit(SIGCONT)) &&
           !(look.blocked & bit(signal_of(recorder)));
}

void ft_call_begin(struct ft_caller *call)
{
    *call = (struct ft_caller){
        .next = ft_loop_now() + first_seconds, .wait = least_seconds, .switches = -1};
}

int ft_call_is_due(const struct ft_caller *call, const struct ft_recorder *recorder)
{
    return is_in_program(recorder) && signal_of(recorder) && ft_loop_now() >= call->next;
}

void ft_call_look(struct ft_caller *own, pid_t pid, const struct ft_recorder *recorder,
                  enum ft_interrupt_why why)
{
    if (pid <= 0 || !ft_call_is_due(own, recorder) || !is_computing(own, pid, recorder))
        return;
    call(own, pid, recorder, why);
    own->next = ft_loop_now() + own->wait;
    own->wait *= own->wait < most_seconds ? growth : 1;
}

void ft_call_end(pid_t pid, const struct ft_recorder *recorder)
{
    if (pid <= 0 || !is_in_program(recorder))
        return;
    kill(pid, SIGSTOP);
    kill(pid, is_stopped(pid) && is_in_program(recorder) ? SIGKILL : SIGCONT);
}
