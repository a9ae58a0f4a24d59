/* order: sscanf, and names of signals and functions. */
#include "options/order.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmpi/calls.h"

/* "exit", a number, or a name with or without SIG. -1: nonsense. */
static int read_signal(const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);

    if (!strcmp(text, "exit"))
        return 0;
    if (end != text)
        return *end || number < 1 || number >= NSIG ? -1 : (int)number;
    if (!strncmp(text, "SIG", 3))
        text += 3;
    for (int i = 1; i < NSIG; i++) {
        const char *name = sigabbrev_np(i);

        if (name && !strcmp(name, text))
            return i;
    }
    return -1;
}

/* By its default action; what the program or a library catches is their affair. */
static int ends_nobody(int signal)
{
    static const int harmless[] = {SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP,
                                   SIGTTIN, SIGTTOU, SIGURG,  SIGWINCH};

    for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
        if (harmless[i] == signal)
            return 1;
    return 0;
}

/* 0, -EINVAL, or -ENOENT. */
static int read_event(const char *text, struct ft_wire_kill *kill)
{
    kill->call = ft_call_find(text);
    kill->event = kill->call ? FT_KILL_KIND : !strcmp(text, "call") ? FT_KILL_CALL : FT_KILL_HOOK;
    if (kill->event != FT_KILL_HOOK || !strcmp(text, "hook"))
        return 0;
    return strncmp(text, "MPI_", 4) ? -EINVAL : -ENOENT;
}

int ft_order_read(const char *text, struct ft_kill_order *out)
{
    char rank[10] = "", event[48] = "", number[21] = "", name[17] = "KILL";
    int used = 0;
    int got = sscanf(text, "%9[0-9]@%47[A-Za-z0-9_]:%20[0-9]%n:%16[A-Za-z0-9]%n", rank, event,
                     number, &used, name, &used);

    out->text = text;
    out->rank = atoi(rank);
    out->kill =
        (struct ft_wire_kill){.signal = read_signal(name), .number = strtoull(number, NULL, 10)};
    if (got < 3 || text[used] || !out->kill.number || out->kill.signal < 0)
        return -EINVAL;
    if (ends_nobody(out->kill.signal))
        return -EDOM;
    return read_event(event, &out->kill);
}
