/* events: what happened, as JSON lines in a file and as a timeline on stderr.
 * docs/formats/events.md names the events and their members. */
#ifndef FT_EVENTS_H
#define FT_EVENTS_H

#include <jansson.h>

struct ft_events;

/* path, the caller's while they are open; NULL: no file. timeline: print to stderr, too. `start` is
 * the time of the launch (ft_loop_now). 0 or -errno. */
int ft_events_open(const char *path, int timeline, double start, struct ft_events **out);
void ft_events_close(struct ft_events *events); /* NULL is allowed */
/* Writes one event; `format` and what follows as for json_pack: an object of s (whatever
 * its bytes, store/text.h), i, I, f, b, o. */
void ft_events_emit(struct ft_events *events, const char *event, const char *format, ...);

#endif
