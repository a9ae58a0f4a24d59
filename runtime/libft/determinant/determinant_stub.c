#include "determinant/determinant_stub.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct ft_recorder recorder;
struct ft_spbc spbc;
struct ft_rank rank = {.recorder = &recorder, .spbc = &spbc};
struct ft_life ft_life;
struct ft_determinant ring[CAPACITY];
int asked;

static uint32_t marks[CAPACITY];

void ft_ask(uint32_t question)
{
    (void)question;
}

int ft_wire_send(int socket, uint32_t type, const void *payload, size_t length, const void *tail,
                 size_t tail_length, int fd)
{
    (void)socket, (void)payload, (void)length, (void)tail, (void)tail_length, (void)fd;
    asked += type == FT_WIRE_REQUEST;
    return 0;
}

_Noreturn void ft_differs(const struct ft_rank *self, const char *what)
{
    (void)self, (void)what;
    _exit(DIFFERS);
}

int setup(void **state)
{
    (void)state;
    memset(&recorder, 0, sizeof recorder);
    memset(ring, 0, sizeof ring);
    spbc = (struct ft_spbc){0};
    ft_trail_start(&rank, marks, CAPACITY);
    ft_determinants_start(&rank, ring, CAPACITY);
    return 0;
}

int teardown(void **state)
{
    (void)state;
    free(spbc.determinants);
    free(spbc.trail);
    return 0;
}

int end_of(void (*work)(void))
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        close(2);
        work();
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
