/* copies: edited copies of a job's files, which look like the originals to the compiler.
 *
 * Thread rule: one thread. */
#ifndef CC_COPIES_H
#define CC_COPIES_H

#include "analysis/tree/tree.h"
#include "ftcc/job.h"

/* Effect: writes the copies of job number `number` to the temporary folder, unless they are there.
 * Returns false, with errno, when that fails. */
bool cc_copies_write(const struct cc_job *job, unsigned number);

/* Effect: parses the copy of a job as it will be compiled. The caller destroys the unit; NULL when
 * the copies cannot be written. */
struct an_unit *cc_copies_parse(const struct cc_job *job, unsigned number,
                                const char *const *flags);

/* Effect: adds the copy's path to a command. */
void cc_copies_name_add(const struct cc_job *job, unsigned number, UT_array *command);

/* Effect: adds the folders in which the headers of the original are found. They come before the
 * user's words. */
void cc_copies_search_add(unsigned number, UT_array *command);

/* Effect: adds the flags that give the copy the names of the original. They come behind the user's
 * words, whose maps may fit the temporary folder, too: the last one counts. */
void cc_copies_maps_add(const struct cc_options *options, const struct cc_job *job, unsigned number,
                        UT_array *command);

/* Maps `path` by the user's own prefix maps of one kind ("-fdebug-prefix-map="); of several the
 * last one counts. The caller frees the result. */
char *cc_path_mapped(const struct cc_options *options, const char *option, const char *path);

#endif
