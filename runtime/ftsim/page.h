/* page: plots of a sweep as SVG, by gnuplot, and an HTML page that shows them. */
#ifndef SIM_PAGE_H
#define SIM_PAGE_H

#include "ftsim/results.h"

/* Effect: writes index.html, the plots and their data into `folder`, which is made if it is
 * missing. 0, or -1 with why. */
int sim_page_write(const char *folder, const struct sim_point *points, int count, char *why,
                   size_t size);

#endif
