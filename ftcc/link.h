/* link: the flags that ftcc adds to a command, so that the program's state lies where the image
 * wants it (docs/design/image.md) and the runtime stands before the MPI library.
 *
 * Thread rule: one thread. */
#ifndef CC_LINK_H
#define CC_LINK_H

#include "ftcc/options.h"

/* Can the command be served at all? Prints why not. */
bool cc_link_check(const struct cc_options *options);

/* Effect: adds the flags that stand before the user's words: -fno-pie, -g1, and the folder of ft.h
 * when a source names it. The user's own flags come later and win. */
void cc_link_front(const struct cc_options *options, bool names_header, UT_array *command);

/* Effect: adds -idirafter and the folder of ft.h. */
void cc_link_headers(UT_array *command);

/* Effect: writes the path of ft.h. False when it is not known, or too long. */
bool cc_link_header(char *path, size_t size);

/* Effect: adds the runtime library, before the user's words, to a command that links. */
void cc_link_library(const struct cc_options *options, UT_array *command);

/* Effect: adds the flags that stand behind the user's words of a command that links, and before the
 * MPI library. Returns false after a message when libft.so is not where ftcc expects it. */
bool cc_link_back(const struct cc_options *options, UT_array *command);

#endif
