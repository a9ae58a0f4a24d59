/* toolchain: finds the real compiler behind mpicc, and starts every process that ftcc starts.
 *
 * Thread rule: one thread. */
#ifndef CC_TOOLCHAIN_H
#define CC_TOOLCHAIN_H

#include "ftcc/options.h"
#include "rewriters/edits.h"

#include <sys/types.h>

/* What stands before and behind the user's arguments in a command of mpicc. */
struct cc_toolchain {
    UT_array before; /* of char *: "gcc", "-Wl,-z,relro"; or "mpicc" alone, when it must answer */
    UT_array behind; /* of char *: "-I...", "-L...", "-lmpich" */
    UT_array flags;  /* of char *: for the parser: what mpicc adds, and folders of headers */
};

/* Effect: asks `mpicc -show` (the program that FT_MPICC names, or mpicc from the path) for the
 * command, with the user's -cc=, -profile= and -config=. With options->ask_mpicc the command is
 * mpicc itself. Returns false after a message when mpicc cannot be started. */
bool cc_toolchain_find(const struct cc_options *options, struct cc_toolchain *toolchain);

void cc_toolchain_release(struct cc_toolchain *toolchain);

/* What becomes of the messages of a command. */
enum cc_messages { CC_MESSAGES_SHOW, CC_MESSAGES_DROP, CC_MESSAGES_KEEP };

/* Effect: runs `command` (an array of char *) and waits for it. Returns its exit code, 128 + the
 * signal that ended it, or 127 after a message when it cannot be started. With CC_MESSAGES_KEEP,
 * *messages is what it wrote to stderr, and the caller frees it. SIGINT, SIGTERM and SIGHUP go on
 * to the command. */
int cc_toolchain_run(UT_array *command, enum cc_messages mode, struct rw_text *messages);

/* Effect: becomes `command`. Returns 127 after a message when that fails. */
int cc_toolchain_become(UT_array *command);

/* Effect: waits for the child `pid`, to which SIGINT, SIGTERM and SIGHUP go on, as they do with a
 * command. Returns its status as waitpid gives it. */
int cc_toolchain_await(pid_t pid);

/* Effect: adds the path of a program that belongs to the compiler ("objcopy"). */
void cc_toolchain_program(struct cc_toolchain *toolchain, const char *name, UT_array *command);

/* The signal that asked ftcc itself to end while a command ran, or 0. */
int cc_toolchain_signal(void);

/* Effect: adds a word, made like printf, to an array of char *. */
void cc_command_add(UT_array *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
