/* order: sscanf, and names of signals and functions. */
#include "options/order.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls/calls.h"
#include "points/points.h"

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
static int read_point(const char *text, struct ft_wire_fault *fault)
{
    fault->call = ft_call_find(text);
    fault->point = fault->call             ? FT_POINT_MPI
                   : !strcmp(text, "call") ? FT_POINT_CALL
                                           : FT_POINT_HOOK;
    if (fault->point != FT_POINT_HOOK || !strcmp(text, "hook"))
        return 0;
    return strncmp(text, "MPI_", 4) ? -EINVAL : -ENOENT;
}

int ft_order_read(const char *text, struct ft_kill_order *out)
{
    int whole = !strncmp(text, "node:", 5);
    char copy[2] = "0", rank[64] = "", event[48] = "", number[21] = "", name[17] = "KILL";
    int used = 0;
    int got = whole ? sscanf(text, "node:%63[A-Za-z0-9._-]@%47[A-Za-z0-9_]:%20[0-9]%n", rank, event,
                             number, &used)
                    : sscanf(text, "%9[0-9]@%47[A-Za-z0-9_]:%20[0-9]%n:%16[A-Za-z0-9]%n", rank,
                             event, number, &used, name, &used);

    if (!whole && got == 1) /* RANK.COPY */
        got = sscanf(text, "%9[0-9].%1[01]@%47[A-Za-z0-9_]:%20[0-9]%n:%16[A-Za-z0-9]%n", rank, copy,
                     event, number, &used, name, &used) -
              1;
    out->text = text;
    out->rank = whole ? -1 : atoi(rank);
    out->copy = atoi(copy);
    strcpy(out->node, whole ? rank : "");
    out->fault = (struct ft_wire_fault){.kind = FT_FAULT_KILL,
                                        .value = read_signal(name),
                                        .number = strtoull(number, NULL, 10),
                                        .times = 1};
    if (got < 3 || text[used] || !out->fault.number || out->fault.value < 0)
        return -EINVAL;
    if (ends_nobody(out->fault.value))
        return -EDOM;
    if (out->fault.value == 0)
        out->fault.kind = FT_FAULT_EXIT_NOW, out->fault.value = 1;
    if (whole)
        out->fault.kind = FT_FAULT_NODE;
    return read_point(event, &out->fault);
}
