/* region_cases: what the tests of this room share: programs of a few lines, and what is found in
 * them as one line of text, one pattern after the other, then the findings:
 *
 *     FUNCTION LINE-LINE COMM [exits: LINE...] trusted collective | FUNCTION ... not: REASON;
 *     capture
 *
 * Thread rule: one thread. */
#ifndef AN_REGION_CASES_H
#define AN_REGION_CASES_H

#include <stdbool.h>
#include <stddef.h>

/* The beginning of each program: one line, so that the lines of a case count from 2. */
extern const char region_head[];
#define W "MPI_COMM_WORLD"
#define ROUND(tag, comm)                                                                           \
    "for (int i = 0; i < size; i++) SEND(i, " tag ", " comm "); "                                  \
    "for (int i = 0; i < size; i++) { RECV(" tag ", " comm "); table[s.MPI_SOURCE] = x; }"
#define START                                                                                      \
    "int main(int argc, char **argv) { MPI_Init(&argc, &argv); "                                   \
    "MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &size); "
#define END "MPI_Finalize(); return 0; }"

struct region_case {
    const char *text, *expected;
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The description of a whole program, or of a part of one; the caller frees it. */
char *region_describe(bool whole, const char *const *texts);
/* Effect: fails the test when a program is not described as expected. */
void region_check(const struct region_case *c, bool whole);
void region_check_all(const struct region_case *cases, size_t count);

#endif
