/* coroutines: MPI calls on the stacks of coroutines (makecontext, swapcontext), which lie in the
 * heap and in a mapping with a guard page; main's own stack keeps what main needs afterwards.
 *
 * arguments: [steps 200]
 *
 * ranks: 2
 * test: 100
 * soak: 300
 * pace: 4000
 * kill: 1@hook:60
 * kill: 0@hook:40 1@hook:85
 */
#include <sys/mman.h>
#include <ucontext.h>
#include "program.h"

#define STACK (256UL << 10)

static ucontext_t outside, inside[2];
static uint64_t state;
static long steps;

/* Each takes its turn with the other one, through main. */
static void work(int which)
{
    uint64_t own = mix((uint64_t)(rank * 2 + which));

    for (long number = which + 1; number <= steps; number += 2) {
        step(number);
        own = ring_shift(own ^ state ^ (uint64_t)(number * 2 + rank), which);
        state = mix(state + own);
        swapcontext(&inside[which], &outside);
    }
}

static void begin(int which, void *stack)
{
    getcontext(&inside[which]);
    inside[which].uc_stack.ss_sp = stack;
    inside[which].uc_stack.ss_size = STACK;
    inside[which].uc_link = &outside;
    makecontext(&inside[which], (void (*)(void))work, 1, which);
}

int main(int argc, char **argv)
{
    uint64_t kept[1000];
    char *mapped;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    for (int i = 0; i < 1000; i++)
        kept[i] = mix((uint64_t)(rank + i));
    mapped = mmap(NULL, STACK + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(mapped, 4096, PROT_NONE);
    begin(0, malloc(STACK));
    begin(1, mapped + 4096);
    for (long number = 1; number <= steps; number++)
        swapcontext(&outside, &inside[(number - 1) % 2]);
    return program_end("coroutines", digest(state, kept, sizeof kept));
}
