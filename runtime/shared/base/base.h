/* base: what every room of the runtime may use: branch hints, messages, panics.
 *
 * Thread rule: everything here may be called from any thread.
 * Convention of the house: a function returns 0 or -errno, outputs last; a failed call changes
 * nothing. Functions that return MPI's codes say so. */
#ifndef FT_BASE_H
#define FT_BASE_H

#include <stddef.h>
#include <stdint.h>

#define ft_likely(x) __builtin_expect(!!(x), 1)
#define ft_unlikely(x) __builtin_expect(!!(x), 0)
#define FT_EXPORT __attribute__((visibility("default")))
/* For what each message passes: a call with its many arguments would be a twentieth of a send. */
#define FT_INLINE static inline __attribute__((always_inline))

/* Is the log category `room` at debug level (FT_LOG=room:debug,...)? Cheap, but not for the fast
 * path of a message. */
int ft_log_enabled(const char *room);

/* One line "ft: rank R: room: text" to descriptor 2 in one write(2), without touching stdio.
 * ft_log_debug prints only when the category is enabled; ft_warn always prints. */
void ft_log_debug(const char *room, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ft_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the process with a message: an invariant of the runtime is broken. Never returns; the exit
 * is by abort(), so ftrun sees a death. Use for what must never be silently wrong. */
_Noreturn void ft_panic(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Sets the rank that messages name; -1 (the start value) names none. */
void ft_base_rank_set(int rank);

#endif
