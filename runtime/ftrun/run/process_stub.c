/* process, where a unit test has no processes and no nodes. */
#include "run/run.h"

void ft_rank_tell(struct ft_member *member)
{
    (void)member;
}

void ft_rank_send(struct ft_member *member, uint32_t type, const void *payload, size_t length,
                  const void *tail, size_t tail_length, int fd)
{
    (void)member, (void)type, (void)payload, (void)length, (void)tail, (void)tail_length, (void)fd;
}

void ft_rank_kill(struct ft_member *member)
{
    (void)member;
}

int ft_rank_is_gone(struct ft_member *member)
{
    return member->pid <= 0;
}

void ft_node_tell(struct ft_node *node, enum ft_agent_type type, int rank, uint32_t life,
                  int64_t value, const void *body, size_t length)
{
    (void)node, (void)type, (void)rank, (void)life, (void)value, (void)body, (void)length;
}
