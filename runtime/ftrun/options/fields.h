/* fields: members of JSON objects as values of C. Thread rule: pure. */
#ifndef FT_FIELDS_H
#define FT_FIELDS_H

#include <jansson.h>
#include <string.h>

/* "" for what is no string, or is not there. */
static inline const char *ft_field_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

/* 0 for what is no whole number, or is not there. */
static inline int ft_field_number(const json_t *object, const char *name)
{
    return (int)json_integer_value(json_object_get(object, name));
}

static inline int ft_field_is(const json_t *object, const char *name, const char *value)
{
    return !strcmp(ft_field_text(object, name), value);
}

#endif
