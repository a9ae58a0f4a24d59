/* Fibers: two saved places each, where it was left and whom to go back to. The stack of the last
 * one that ended is kept for the next. */
#include "os/fiber.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "os/os.h"

#define STACK_BYTES (1u << 20) /* the library needs some 30 KB */
#define GUARD_BYTES 4096u

struct ft_fiber {
    struct ft_os_context outside, inside;
    void (*run)(void *);
    void *argument;
    char *stack;
    int begun, ended;
};

static struct ft_fiber *current; /* that the processor is in */
static char *spare;              /* a stack that nobody uses, or NULL */

static char *stack_take(void)
{
    char *stack = spare;

    spare = NULL;
    if (stack)
        return stack;
    stack = ft_os_map(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED)
        return NULL;
    mprotect(stack, GUARD_BYTES, PROT_NONE);
    return stack;
}

static void stack_give(char *stack)
{
    if (!spare)
        spare = stack;
    else
        ft_os_unmap(stack, STACK_BYTES);
}

struct ft_fiber *ft_fiber_create(void (*run)(void *), void *argument)
{
    struct ft_fiber *fiber = calloc(1, sizeof *fiber);
    char *stack = fiber ? stack_take() : NULL;

    if (!stack) {
        free(fiber);
        return NULL;
    }
    fiber->run = run;
    fiber->argument = argument;
    fiber->stack = stack;
    return fiber;
}

void ft_fiber_destroy(struct ft_fiber *fiber)
{
    stack_give(fiber->stack);
    free(fiber);
}

static void begin(void *argument)
{
    struct ft_fiber *fiber = argument;

    fiber->run(fiber->argument);
    fiber->ended = 1;
    ft_os_context_continue(&fiber->outside);
}

int ft_fiber_resume(struct ft_fiber *fiber)
{
    current = fiber;
    if (ft_os_context_save(&fiber->outside) == 0) {
        if (fiber->begun)
            ft_os_context_continue(&fiber->inside);
        fiber->begun = 1;
        ft_os_stack_switch(fiber->stack + STACK_BYTES, begin, fiber);
    }
    current = NULL;
    return fiber->ended;
}

int ft_fiber_pause(void)
{
    struct ft_fiber *fiber = current;

    if (fiber && ft_os_context_save(&fiber->inside) == 0)
        ft_os_context_continue(&fiber->outside);
    return fiber != NULL;
}
