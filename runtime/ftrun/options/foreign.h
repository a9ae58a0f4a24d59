/* foreign: what people type by habit: options of other launchers, and misspelt ones of ftrun. */
#ifndef FT_FOREIGN_H
#define FT_FOREIGN_H

#include <getopt.h>
#include <stddef.h>

/* Effect: writes what to do instead of an option that is not known ("--oversubscribe"), as a clause
 * to stand behind "option ... is not known: "; "" when nothing comes to mind. `table` has ftrun's
 * own options. */
void ft_foreign_hint(const char *word, const struct option *table, char *hint, size_t size);

#endif
