/* From _start to main.
 *
 * crt1's _start calls __libc_start_main, which is ours. In a first life the true one runs the
 * program's constructors and then `entry`, which moves to the program's own stack and never comes
 * back: main's result goes to exit() from there, so that a later life, whose system stack is
 * another one, ends in the same way. */
#include "start/start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checkpoint/checkpoint.h"
#include "files/files.h"
#include "handle/handle.h"
#include "heap/early.h"
#include "heap/heap.h"
#include "image/modules.h"
#include "image/stack.h"
#include "libc/libc.h"
#include "os/os.h"
#include "pattern/pattern.h"
#include "start/fortran.h"
#include "start/layers.h"
#include "start/native.h"

typedef int main_function(int argc, char **argv, char **envp);
typedef int start_function(main_function *main, int argc, char **argv, void (*init)(void),
                           void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

start_function __libc_start_main;

struct program { /* in the image */
    main_function *main;
    int argc;
    char **argv;
};

static main_function *program_main; /* of the first life, until entry has run */

static _Noreturn void program_run(void *closure)
{
    struct program *program = closure;

    exit(program->main(program->argc, program->argv, environ));
}

static char **copy_arguments(int argc, char **argv)
{
    char **copy = ft_image_alloc(((size_t)argc + 1) * sizeof *copy);

    for (int i = 0; i < argc; i++) {
        copy[i] = ft_image_alloc(strlen(argv[i]) + 1);
        strcpy(copy[i], argv[i]);
    }
    return copy;
}

static int entry(int argc, char **argv, char **envp)
{
    struct program *program = ft_image_alloc(sizeof *program);

    (void)envp;
    *program = (struct program){program_main, argc, copy_arguments(argc, argv)};
    ft_os_stack_switch((void *)FT_STACK_TOP, program_run, program);
}

static struct ft_spbc *clusters_copy(int rank, int size)
{
    struct ft_spbc *spbc = ft_image_alloc(sizeof *spbc);

    spbc->clusters = ft_life.boot.clusters;
    spbc->mine = ft_life.clusters[rank];
    spbc->noted = (ft_life.boot.content ? FT_NOTED_CONTENT : 0u) |
                  (ft_life.boot.trust ? FT_NOTED_PLACE : 0u) | FT_NOTED_AGAIN;
    spbc->of = ft_image_alloc((size_t)size * sizeof *spbc->of);
    spbc->foreign = ft_image_alloc((size_t)size);
    for (int i = 0; i < size; i++) {
        spbc->of[i] = ft_life.clusters[i];
        spbc->foreign[i] = spbc->of[i] != spbc->mine;
    }
    return spbc;
}

/* Lays out a rank that has no image yet. */
static void start_first_life(void)
{
    struct ft_rank *self;
    int code = ft_stack_open(0);

    if (code != 0)
        ft_panic("no place for the program's stack: %s", strerror(-code));
    self = ft_image_alloc(sizeof *self);
    self->recorder = (struct ft_recorder *)FT_RECORDER_AT;
    self->rank = ft_life.boot.rank;
    self->size = ft_life.boot.size;
    ft_heap_get()->self = self;
    ft_heap_keep_warm();
    if (ft_life.clusters)
        self->spbc = clusters_copy(self->rank, self->size);
    ft_start_orders(self);
    ft_libc_start(self);
    ft_files_start(self);
    ft_handles_prepare(self);
    ft_trust_start(self);
    ft_self = self;
}

FT_EXPORT int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                                void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    start_function *start = (start_function *)ft_os_next_symbol("__libc_start_main");
    const char *control = getenv(FT_WIRE_ENV);

    ft_early_end();
    ft_probe_answer();
    if (control == NULL) /* natively ft_depth stays 1: malloc and mmap are libc's own */
        return start(main, argc, argv, init, fini, rtld_fini, stack_end);
    ft_exec_remember(argv);
    ft_modules_get();
    ft_start_boot(atoi(control));
    if (ft_life.boot.native) {
        ft_native_start();
        return start(main, argc, argv, init, fini, rtld_fini, stack_end);
    }
    ft_layers_start();
    ft_fortran_start();
    ft_crash_start();
    if (ft_life.boot.clusters)
        ft_interrupt_start();
    if (ft_life.boot.restore >= 0 || ft_life.boot.survivor)
        ft_start_restored(rtld_fini);
    start_first_life();
    program_main = main;
    ft_depth = 0;
    return start(entry, argc, argv, init, fini, rtld_fini, stack_end);
}
