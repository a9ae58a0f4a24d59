/* sandbox: runs a file of Lua 5.4 that comes from a user: a job of ftsim, a fault plan, a campaign.
 *
 * The file gets no function that reaches outside of it (io, os, load, ...), and none that can run
 * for long inside of C (patterns, string.rep, table.move, metatables), because the limit counts
 * instructions of Lua. math.random gives the same numbers in each run.
 *
 * Thread rule: one thread at a time. */
#ifndef FT_SANDBOX_H
#define FT_SANDBOX_H

#include <lua.h>
#include <stddef.h>

enum { FT_SANDBOX_INSTRUCTIONS = 10000000, FT_SANDBOX_MEMORY = 64 << 20 };

struct ft_sandbox {
    lua_State *lua;
    char *text; /* of the file, with a 0 behind it */
    size_t length;
    size_t left; /* bytes of memory */
};

/* Reads the file, and makes a state without any function but those of numbers, strings and tables.
 * 0; -1 with a sentence in why. In both cases to be closed. The sandbox must not be moved. */
int ft_sandbox_open(struct ft_sandbox *sandbox, const char *path, char *why, size_t size);
/* Runs the file; its one result, or nil, is on the stack. 0; -1 with "path:line: sentence" in why.
 */
int ft_sandbox_run(struct ft_sandbox *sandbox, const char *path, char *why, size_t size);
void ft_sandbox_close(struct ft_sandbox *sandbox);

/* The word of `words`, which ends with NULL, that differs from `word` in the fewest letters; NULL:
 * none is near. */
const char *ft_sandbox_nearest(const char *word, const char *const *words);

#endif
