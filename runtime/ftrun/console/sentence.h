/* sentence: what happens, for people: one sentence for each death, and with -v one for each other
 * event that matters.
 *
 * Events come in the order in which they happen; a death becomes a sentence when it is known who
 * rolls back to what. Thread rule: single threaded. */
#ifndef FT_CONSOLE_SENTENCE_H
#define FT_CONSOLE_SENTENCE_H

#include <jansson.h>

struct ft_sentences;

/* all: besides deaths, too. NULL: no memory. */
struct ft_sentences *ft_sentences_create(int all);
void ft_sentences_destroy(struct ft_sentences *sentences); /* NULL is allowed */
/* Is the event of use? Others need not be packed. */
int ft_sentences_want(const struct ft_sentences *sentences, const char *event);
/* Takes an event at t seconds, and says what is ripe by ft_say. */
void ft_sentences_take(struct ft_sentences *sentences, double t, const char *event,
                       const json_t *members);

#endif
