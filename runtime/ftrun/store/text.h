/* text: strings of JSON, which have to be UTF-8, as paths and output need not be. Thread rule:
 * pure.
 */
#ifndef FT_TEXT_H
#define FT_TEXT_H

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* The text, the caller's; what is no UTF-8 has '?' for its bytes that are not ASCII. NULL: no
 * memory. */
static inline json_t *ft_text_json(const char *text)
{
    json_t *value = json_string(text);

    if (value)
        return value;
    char *copy = strdup(text);
    for (char *at = copy; at && *at; at++)
        *at = *at & 0x80 ? '?' : *at;
    value = json_string(copy);
    free(copy);
    return value;
}

#endif
