/* app: what the programs of this folder share: options, results, verification.
 *
 * Every program prints, on rank 0, a result that is the same bit for bit in every undisturbed run
 * on the same number of ranks, and "NAME: verified" or "NAME: WRONG". With --time it also prints
 * "seconds S", the time from app_begin to app_end, which is no part of the result.
 *
 * Compiled with APP_WARM, ftrun's file of events, and warm.c, a program warms the log of messages
 * first (warm.h).
 *
 * Thread rule: the main thread. */
#ifndef APP_H
#define APP_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An option "--NAME N" or "--NAME=N". A table of them ends with a NULL name. */
struct app_option {
    const char *name;
    long *value;      /* holds the default before app_start */
    long least, most; /* bounds, checked */
    const char *help;
};

extern int app_rank, app_ranks; /* in MPI_COMM_WORLD */

/* Effect: initialises MPI and reads the options. Wrong options end all ranks with a message and
 * exit code 2; --help prints the options and ends with 0. `letters` (may be NULL) is a set of
 * letters of which one may be given as the only word ("S", "W", "A"); it is returned, otherwise 0.
 */
char app_start(int argc, char **argv, const char *name, const struct app_option *options,
               const char *letters);

/* Effect: starts the clock, after a barrier. */
void app_begin(void);

/* Effect: rank 0 prints a line, made like printf. */
void app_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Effect: prints the verdict, which must be the same on all ranks, and finalizes MPI. Returns the
 * exit code of the program: 0 when verified, 1 when not. */
int app_end(bool verified);

/* Effect: ends all ranks with a message that names the program and the rank. */
void app_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Zeroed memory; none ends the program. */
void *app_alloc(size_t count, size_t bytes);

/* The first of `count` things that belong to `part` of `parts`. */
long app_first(long count, int part, int parts);

/* Numbers without state: the same for the same counter on every rank. Uniform in [0, 1). */
uint64_t app_mix(uint64_t counter);
double app_uniform(uint64_t counter);

/* The sum of a value over all ranks. */
double app_sum(double value, MPI_Comm comm);

/* The generator of the NAS parallel benchmarks: x' = a x mod 2^46, as a number in [0, 1). */
double app_nas_random(uint64_t *x, uint64_t a);
/* x a^n mod 2^46. */
uint64_t app_nas_jump(uint64_t x, uint64_t a, uint64_t n);

#endif
