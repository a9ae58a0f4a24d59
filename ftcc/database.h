/* database: compile_commands.json, as CMake, Meson and bear write it.
 *
 * Thread rule: one thread. */
#ifndef CC_DATABASE_H
#define CC_DATABASE_H

#include <stdbool.h>
#include <utarray.h>

struct cc_entry {
    char *folder;   /* the working directory of the command */
    char *file;     /* relative to it, or absolute */
    UT_array words; /* of char *: the command, the compiler first */
};

/* Effect: initialises `entries`, an array that releases what it holds, with the entries of the file
 * `path`, or of compile_commands.json in the folder `path`. Returns false after a message when it
 * cannot be read or has another form. */
bool cc_database_read(const char *path, UT_array *entries);

#endif
