/* A question to ftrun that is answered by ALIVE. */
#include "process.h"

void ft_await_answer(void)
{
    static char buffer[FT_WIRE_MAX];
    int fd = -1;

    while (ft_wire_receive(ft_life.control, 1, buffer, &fd) > 0 &&
           ((struct ft_wire_head *)(void *)buffer)->type != FT_WIRE_ALIVE)
        continue;
}

void ft_ask(uint32_t question)
{
    ft_wire_send(ft_life.control, question, NULL, 0, NULL, 0, -1);
    ft_await_answer();
}
