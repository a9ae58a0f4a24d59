/* picture: a run as a page for people, and as a trace for viewers of traces. */
#ifndef FT_PICTURE_H
#define FT_PICTURE_H

#include <stdio.h>
#include "ftview/story.h"

enum { FT_SENTENCE = 1280 };

/* Effect: writes one HTML page that needs nothing but itself: a row for each rank, or for each
 * group of ranks when there are many; what the run cost; its failures in sentences. 0, or -1: it
 * could not be written. */
int ft_picture_page(FILE *out, const struct ft_story *story, const char *title);
/* Effect: writes Chrome's trace event format (complete events, "ph": "X", microseconds). 0 or -1
 * likewise. */
int ft_picture_trace(FILE *out, const struct ft_story *story);
/* One sentence about a failure, into text[FT_SENTENCE]. */
const char *ft_picture_sentence(const struct ft_story *story, const struct ft_death *death,
                                char *text);

#endif
