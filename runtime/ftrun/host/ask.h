/* ask: what another program prints. Thread rule: single threaded. */
#ifndef FT_ASK_H
#define FT_ASK_H

#include <stddef.h>

/* Effect: runs a command of the shell and waits for its end, for at most `seconds`; its stderr is
 * ftrun's. Returns what it has printed on stdout, which the caller frees. NULL with a sentence in
 * why[size]: it could not be started, has failed, or was killed because it did not end. */
char *ft_ask(const char *command, double seconds, char *why, size_t size);

#endif
