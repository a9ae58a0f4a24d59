/* undo_stub: what the tests of undo records have instead of the rooms around this one. */
#include <stdio.h>
#include <stdlib.h>
#include "process.h"

struct ft_rank *ft_self;
struct ft_life ft_life;
__thread int ft_depth __attribute__((tls_model("initial-exec"))) = 1;

void *ft_image_alloc(size_t bytes)
{
    return calloc(1, bytes + 1);
}

void ft_image_free(void *block)
{
    free(block);
}

_Noreturn void ft_refuse(const char *call, const void *site, const char *reason)
{
    (void)site;
    fprintf(stderr, "%s: %s\n", call, reason);
    abort();
}
