/* A backtrace of a fatal signal, for ftrun to show if the rank keeps dying at the same place.
 *
 * The handler runs on a stack of its own, because the program's may have overflowed, unwinds with
 * libunwind from the interrupted context, and lets the signal happen again with its default action.
 * The program's own handlers replace these, and that of files that are too large. */
#define UNW_LOCAL_ONLY
#include "start/start.h"

#include <libunwind.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FRAMES 32
#define TEXT 8192

static char crash_stack[64 << 10] __attribute__((aligned(16)));

static size_t print_frame(char *text, size_t used, unw_cursor_t *cursor, int number)
{
    char name[128];
    unw_word_t address = 0, offset = 0;

    unw_get_reg(cursor, UNW_REG_IP, &address);
    if (unw_get_proc_name(cursor, name, sizeof name, &offset) != 0)
        strcpy(name, "?");
    int more = snprintf(text + used, TEXT - used, "#%d 0x%lx %s+0x%lx\n", number,
                        (unsigned long)address, name, (unsigned long)offset);
    return used + (size_t)more < TEXT ? used + (size_t)more : used;
}

static void crash(int signal_number, siginfo_t *info, void *context)
{
    static char text[TEXT];
    struct ft_wire_number number = {signal_number};
    unw_cursor_t cursor;
    size_t used = 0;
    int depth = ft_depth;

    (void)info;
    ft_depth = 1; /* the unwinder must not touch the program's heap */
    if (unw_init_local2(&cursor, (unw_context_t *)context, UNW_INIT_SIGNAL_FRAME) == 0)
        for (int i = 0; i < FRAMES; i++) {
            used = print_frame(text, used, &cursor, i);
            if (unw_step(&cursor) <= 0)
                break;
        }
    ft_wire_send(ft_life.control, FT_WIRE_CRASH, &number, sizeof number, text, used, -1);
    ft_depth = depth;
    raise(signal_number); /* SA_RESETHAND: the default action now */
}

/* A file of the runtime that would be too large is an error, with which it knows what to do; one of
 * the program's is what the program makes of it. */
static void too_large(int signal_number)
{
    if (ft_depth != 0)
        return;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void ft_crash_start(void)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    stack_t stack = {.ss_sp = crash_stack, .ss_size = sizeof crash_stack};
    struct sigaction action = {.sa_sigaction = crash,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND};

    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
        sigaction(fatal[i], &action, NULL);
    if (signal(SIGXFSZ, too_large) == SIG_IGN)
        signal(SIGXFSZ, SIG_IGN);
}
