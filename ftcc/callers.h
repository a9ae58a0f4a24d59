/* callers: the calls of MPI in a linked program, found by symbol, with their source lines: for code
 * that has no facts, such as Fortran's.
 *
 * Thread rule: one thread. */
#ifndef CC_CALLERS_H
#define CC_CALLERS_H

#include "ftcc/toolchain.h"

#include <stdint.h>

/* One call. */
struct cc_caller {
    const char *name;    /* as C spells it: "MPI_Recv"; lives for ever */
    const char *refused; /* why ftrun ends a run at it, or NULL; lives for ever */
    bool fortran;        /* by the binding of Fortran */
    uint64_t address;
    char *file;    /* owned by the array; "" when the program has no lines */
    unsigned line; /* or 0 */
};

/* Effect: initialises `callers`, an array of struct cc_caller that releases them: the calls of
 * Fortran's bindings, and those of C's that ftrun refuses, by address. A call that is not made
 * directly (through a pointer) is not found. */
void cc_callers_find(struct cc_toolchain *toolchain, const char *path, UT_array *callers);

/* Does the outcome of a call depend on time, or may it, so that it would be a site if its arguments
 * were known? */
bool cc_caller_is_open(const struct cc_caller *caller);

#endif
