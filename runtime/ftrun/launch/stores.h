/* stores: what lies in the stores of jobs, and what this machine allows. Nothing is started.
 *
 * Thread rule: single threaded. */
#ifndef FT_STORES_H
#define FT_STORES_H

#include "options/options.h"

/* Effect: answers --list, --status, --inspect, --remove or --doctor on stdout. Returns an exit
 * code. */
int ft_stores_answer(const struct ft_options *options);

#endif
