/* toolchain: finds the real compiler behind mpicc, and starts every process that ftcc starts.
 *
 * Thread rule: one thread. */
#ifndef CC_TOOLCHAIN_H
#define CC_TOOLCHAIN_H

#include "ftcc/options.h"
#include "rewriters/edits.h"

#include <sys/types.h>

/* The words before and after the user's arguments in a command of mpicc. */
struct cc_toolchain {
    UT_array before; /* of char *: "gcc", "-Wl,-z,relro"; or mpicc alone (ask_mpicc) */
    UT_array behind; /* of char *: "-I...", "-L...", "-lmpich" */
    UT_array flags;  /* of char *: for the parser: what mpicc adds, and folders of headers */
};

/* Learns the compiler's command from `mpicc -show` (the program that FT_MPICC names, or mpicc from
 * the path), with the user's -cc=, -profile= and -config=. Where the user asks what only mpicc can
 * answer (options->ask_mpicc), the command is mpicc itself. Returns false after a message when
 * mpicc cannot be started. */
bool cc_toolchain_find(const struct cc_options *options, struct cc_toolchain *toolchain);

void cc_toolchain_release(struct cc_toolchain *toolchain);

/* A command's stderr is shown, dropped, or kept for the caller. */
enum cc_messages { CC_MESSAGES_SHOW, CC_MESSAGES_DROP, CC_MESSAGES_KEEP };

/* Effect: runs `command` (an array of char *) and waits for it. Returns its exit code, 128 + the
 * signal that ended it, or 127 after a message when it cannot be started. With CC_MESSAGES_KEEP,
 * *messages is what it wrote to stderr, and the caller frees it. ftcc forwards SIGINT, SIGTERM
 * and SIGHUP to the command. */
int cc_toolchain_run(UT_array *command, enum cc_messages mode, struct rw_text *messages);

/* Effect: runs `command` and reads what it writes to stdout, which the caller frees. Returns its
 * exit code, 127 when it cannot be started. */
int cc_toolchain_read(UT_array *command, struct rw_text *output);

/* Replaces ftcc by `command` (exec). Returns 127 after a message when that fails. */
int cc_toolchain_become(UT_array *command);

/* Waits for the child `pid`, and forwards SIGINT, SIGTERM and SIGHUP to it. Returns its status as
 * waitpid gives it. */
int cc_toolchain_await(pid_t pid);

/* Appends to `command` the path of a program of binutils ("objcopy"), as the compiler finds it. */
void cc_toolchain_program(struct cc_toolchain *toolchain, const char *name, UT_array *command);

/* The signal that ftcc got while a command ran, and forwarded; 0: none. */
int cc_toolchain_signal(void);

/* Effect: adds a word, made like printf, to an array of char *. */
void cc_command_add(UT_array *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
