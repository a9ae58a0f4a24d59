/* Idea: sources hold any bytes, but JSON and HTML hold characters. Text is cleaned where it enters
 * a document or a page, so that nothing behind that place has to think of it. */
#include "analysis/report/parts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void *an_must(void *pointer)
{
    if (pointer == NULL) {
        fputs("ftcc: out of memory\n", stderr);
        exit(1);
    }
    return pointer;
}

char *an_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return an_must(length < 0 ? NULL : text);
}

const char *an_field(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

bool an_field_has(const json_t *object, const char *key)
{
    return json_string_length(json_object_get(object, key)) > 0;
}

unsigned an_field_number(const json_t *object, const char *key)
{
    return (unsigned)json_integer_value(json_object_get(object, key));
}

bool an_field_true(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

bool an_field_is(const json_t *object, const char *key, const char *value)
{
    return strcmp(an_field(object, key), value) == 0;
}

const json_t *an_item_with(const json_t *list, const char *key, const char *value)
{
    size_t n;
    const json_t *item;
    json_array_foreach (list, n, item)
        if (an_field_is(item, key, value))
            return item;
    return NULL;
}

static bool follows(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

unsigned an_utf8_length(const char *text, size_t length)
{
    const unsigned char *byte = (const unsigned char *)text;
    unsigned size = byte[0] < 0x80   ? 1
                    : byte[0] < 0xC2 ? 0
                    : byte[0] < 0xE0 ? 2
                    : byte[0] < 0xF0 ? 3
                    : byte[0] < 0xF5 ? 4
                                     : 0;
    if (size > length)
        return 0;
    for (unsigned n = 1; n < size; n++)
        if (!follows(byte[n]))
            return 0;
    bool overlong = (byte[0] == 0xE0 && byte[1] < 0xA0) || (byte[0] == 0xF0 && byte[1] < 0x90);
    bool surrogate = byte[0] == 0xED && byte[1] >= 0xA0;
    bool beyond = byte[0] == 0xF4 && byte[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : size;
}

char *an_utf8_clean(const char *text, size_t length)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    char *clean = an_must(malloc(3 * length + 1)), *out = clean;
    while (length > 0) {
        unsigned size = an_utf8_length(text, length);
        unsigned bytes = size > 0 ? size : 1;
        memcpy(out, size > 0 ? text : replacement, size > 0 ? size : 3);
        out += size > 0 ? size : 3;
        text += bytes;
        length -= bytes;
    }
    *out = '\0';
    return clean;
}

json_t *an_json_string(const char *text)
{
    if (text == NULL)
        return json_null();
    char *clean = an_utf8_clean(text, strlen(text));
    json_t *string = json_string(clean);
    free(clean);
    return an_must(string);
}
