/* starter: a command that executes the program: numactl, env, a script.
 *
 * A rank is the first program in it that is linked with ftcc. It must be the process that ftrun has
 * started, so that ftrun sees its end; so the starter has to execute it and not to wait for it.
 * Each life begins with the starter, because it sets what the program's process inherits. */
#ifndef FT_STARTER_H
#define FT_STARTER_H

#include <stddef.h>

#include "host/program.h"

/* Effect: where program->path is not linked with ftcc, it becomes the starter, and the path that of
 * the program which it executes. 0, or -ENOEXEC with a sentence. */
int ft_starter_take(struct ft_program *program, char **argv, char *why, size_t size);
/* The starter of a program that is continued (its first word says so), the caller's; NULL: none. */
char *ft_starter_again(const struct ft_program *program);

#endif
