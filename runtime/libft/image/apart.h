/* apart: pages of the image that the cloned writer does not get.
 *
 * A fork write-protects all private pages that the child gets, and the first write to each costs
 * the parent a fault afterwards. Pages that are only appended to are better read out of the parent,
 * while it goes on: it leaves what was in use at the clone as it is until that is over.
 *
 * Thread rule: single threaded. */
#ifndef FT_APART_H
#define FT_APART_H

#include <stddef.h>

/* Visits whole pages, of which the first `used` bytes are content, and the rest zeros. */
typedef int ft_apart_visit(void *closure, void *pages, size_t bytes, size_t used);

struct ft_apart {
    int memory; /* of this process, for the clone */
    int end;    /* nothing more is read when the clone has closed it */
    int until;  /* the other side of it */
    /* Calls visit for all pages, and stops when it answers other than 0, which is the answer. Uses
     * memory and nothing else: the clone calls it. */
    int (*each)(const void *of, ft_apart_visit *visit, void *closure);
    const void *of;
};

/* Opens the three descriptors. 0; or -errno, and none is open. */
int ft_apart_open(struct ft_apart *apart);
/* The clone has been made, or could not be: closes what is the clone's. */
void ft_apart_close(struct ft_apart *apart);

/* From now on ft_apart_is_read looks at `until`, which it owns; one before it is of no interest any
 * more. */
void ft_apart_watch(int until);
/* Has the clone that was watched last read all, or ended, or is there none? */
int ft_apart_is_read(void);
/* Waits for that, `seconds` at most. */
void ft_apart_wait(double seconds);

#endif
