/* process: what is done to a rank's process, here or by the agent of its node. */
#include <signal.h>
#include <string.h>
#include "host/proc.h"
#include "run/run.h"

enum {
    OWN_LINE = offsetof(struct ft_recorder, order) / FT_AGENT_LINE
}; /* of the recorder: ftrun's */

void ft_rank_tell(struct ft_member *member)
{
    const char *line = (const char *)member->recorder + OWN_LINE * FT_AGENT_LINE;

    if (!member->node || !memcmp(member->told, line, FT_AGENT_LINE))
        return;
    memcpy(member->told, line, FT_AGENT_LINE);
    ft_node_tell(member->node, FT_AGENT_LINES, member->rank, member->life, 1LL << OWN_LINE, line,
                 FT_AGENT_LINE);
}

void ft_run_look(struct ft_run *run, int milliseconds)
{
    if (!run->nodes || run->look == milliseconds)
        return;
    run->look = milliseconds;
    for (int i = 0; i < run->nodes->count; i++)
        ft_node_tell(&run->nodes->node[i], FT_AGENT_LOOK, -1, 0, milliseconds, NULL, 0);
}

int ft_rank_number(const struct ft_member *member)
{
    return member->node ? member->away_pid : (int)member->group;
}

static void send_away(struct ft_member *member, uint32_t type, const void *payload, size_t length,
                      const void *tail, size_t tail_length)
{
    static char buffer[FT_WIRE_MAX];
    struct ft_wire_head head = {.type = type, .length = (uint32_t)(length + tail_length)};

    ft_rank_tell(member);
    if (sizeof(head) + head.length > sizeof(buffer))
        return;
    memcpy(buffer, &head, sizeof(head));
    if (length)
        memcpy(buffer + sizeof(head), payload, length);
    if (tail_length)
        memcpy(buffer + sizeof(head) + length, tail, tail_length);
    if (member->rank == 0 && (type == FT_WIRE_FREEZE || type == FT_WIRE_LEAVE))
        member->run->feed_held = 1;
    ft_node_tell(member->node, FT_AGENT_WIRE, member->rank, member->life, 0, buffer,
                 sizeof(head) + head.length);
}

void ft_rank_send(struct ft_member *member, uint32_t type, const void *payload, size_t length,
                  const void *tail, size_t tail_length, int fd)
{
    if (!member->node)
        ft_wire_send(member->control, type, payload, length, tail, tail_length, fd);
    else if (member->pid > 0)
        send_away(member, type, payload, length, tail, tail_length);
}

void ft_rank_kill(struct ft_member *member)
{
    if (member->group <= 0)
        return;
    if (!member->node)
        kill(-member->group, SIGKILL);
    else if (!member->killed++)
        ft_node_tell(member->node, FT_AGENT_KILL, member->rank, member->life, 0, NULL, 0);
}

int ft_rank_is_gone(struct ft_member *member)
{
    if (member->pid > 0)
        return 0;
    if (member->node)
        return member->group <= 0;
    return member->group <= 0 || kill(-member->group, 0) != 0;
}

void ft_rank_kill_writer(struct ft_member *member)
{
    if (member->writer <= 0)
        return;
    if (member->node)
        ft_node_tell(member->node, FT_AGENT_KILL, member->rank, member->life, member->writer, NULL,
                     0);
    else
        kill(member->writer, SIGKILL);
}

double ft_rank_used(const struct ft_member *member)
{
    return member->node ? member->away_used : ft_proc_used(member->pid);
}
