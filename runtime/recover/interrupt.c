/* interrupt: a survivor that computes is called by a signal.
 *
 * Its handler (checkpoint/interrupt.c) goes to the gate if only the program's own code is on the
 * stack; if not, the rank goes on, and is called again after a while, at another place.
 *
 * No system call of the program may end early because of it, as it would with EINTR in a sleep or
 * with a short write. SA_RESTART does not help with all of them. So only a rank that is running and
 * has not slept between two looks is called. It is stopped, and gets the signal only if the kernel
 * shows that it does not stand in a system call: then the signal comes before its next instruction.
 * SIGSTOP and SIGCONT restart what they interrupt, and are not seen by the program; if it handles
 * or blocks SIGCONT itself it is left alone.
 *
 * When the next epoch runs, a rank that computes may still have messages in its log that others
 * wait for: it is called likewise, until they have them. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "host/proc.h"
#include "recover/recover.h"

static const double first_seconds = 0.05; /* most ranks have come by a call of MPI before */
static const double least_seconds = 0.01; /* between two signals; the next time it is longer */
static const double most_seconds = 0.3;
static const double growth = 1.2;
static const double serve_seconds = 0.01; /* between two looks at who still has to send */
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

static uint32_t signal_of(const struct ft_member *member)
{
    return __atomic_load_n(&member->recorder->signal, __ATOMIC_ACQUIRE);
}

static int is_in_program(const struct ft_member *member)
{
    return __atomic_load_n(&member->recorder->where, __ATOMIC_ACQUIRE) == FT_WHERE_USER;
}

static void call(struct ft_member *member, enum ft_interrupt_why why)
{
    siginfo_t info = {.si_code = SI_QUEUE, .si_value.sival_int = why};
    pid_t pid = member->pid;

    kill(pid, SIGSTOP);
    if (is_stopped(pid) && is_in_user_mode(pid) && is_in_program(member) && signal_of(member)) {
        syscall(SYS_rt_tgsigqueueinfo, pid, pid, signal_of(member), &info);
        member->interrupt.sent++;
    }
    kill(pid, SIGCONT);
}

/* Does it compute, and would only our handler hear of it? */
static int is_computing(struct ft_member *member)
{
    struct ft_interrupt *interrupt = &member->interrupt;
    struct look look;
    long before = interrupt->switches;

    if (!look_at(member->pid, &look))
        return 0;
    interrupt->switches = look.switches;
    return look.state == 'R' && look.switches == before &&
           !((look.blocked | look.handled) & bit(SIGCONT)) &&
           !(look.blocked & bit(signal_of(member)));
}

void ft_interrupt_begin(struct ft_member *member)
{
    member->interrupt = (struct ft_interrupt){
        .next = ft_loop_now() + first_seconds, .wait = least_seconds, .switches = -1};
}

void ft_interrupt_look(struct ft_member *member, enum ft_interrupt_why why)
{
    struct ft_interrupt *interrupt = &member->interrupt;

    if (member->pid <= 0 || !is_in_program(member) || !signal_of(member) ||
        ft_loop_now() < interrupt->next || !is_computing(member))
        return;
    call(member, why);
    interrupt->next = ft_loop_now() + interrupt->wait;
    interrupt->wait *= interrupt->wait < most_seconds ? growth : 1;
}

void ft_interrupt_end(struct ft_member *member)
{
    if (!is_in_program(member))
        return;
    kill(member->pid, SIGSTOP);
    kill(member->pid, is_stopped(member->pid) && is_in_program(member) ? SIGKILL : SIGCONT);
}

static void on_serve(void *context)
{
    struct ft_run *run = context;
    int owing = 0;

    for (int i = 0; i < run->size && run->state == FT_RUN_RUNNING; i++) {
        if (!__atomic_load_n(&run->members[i].recorder->owing, __ATOMIC_RELAXED))
            continue;
        owing = 1;
        ft_interrupt_look(&run->members[i], FT_INTERRUPT_SERVE);
    }
    if (owing)
        ft_loop_after(run->loop, &run->serve, serve_seconds, on_serve, run);
}

void ft_interrupt_serve(struct ft_run *run)
{
    for (int i = 0; i < run->size; i++)
        ft_interrupt_begin(&run->members[i]);
    ft_loop_after(run->loop, &run->serve, serve_seconds, on_serve, run);
}
