/* events: what happened, as JSON lines in a file and as a timeline on stderr.
 * docs/formats/events.md names the events and their members. */
#ifndef FT_EVENTS_H
#define FT_EVENTS_H

#include <jansson.h>

struct ft_events;

enum ft_telling {                       /* of stderr */
                  FT_TELLING_NOTHING,   /* a unit test */
                  FT_TELLING_DEATHS,    /* a sentence for each death */
                  FT_TELLING_SENTENCES, /* -v: other events, too */
                  FT_TELLING_TIMELINE   /* -vv: deaths, and each event with all its members */
};

/* path, the caller's while they are open; NULL: no file. `start` is the time of the launch
 * (ft_loop_now). 0 or -errno. */
int ft_events_open(const char *path, enum ft_telling telling, double start, struct ft_events **out);
/* One for the second copies of the ranks, with the same file and timeline: from now on each event
 * of either says of which copy it is. `events` outlives it. 0 or -ENOMEM. */
int ft_events_copy(struct ft_events *events, struct ft_events **out);
void ft_events_close(struct ft_events *events); /* NULL is allowed */
/* Writes one event; `format` and what follows as for json_pack: an object of s (whatever
 * its bytes, store/text.h), i, I, f, b, o. */
void ft_events_emit(struct ft_events *events, const char *event, const char *format, ...);

#endif
