#include "analysis/report/html.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The entity for a byte in a page; NULL: the byte itself. */
static const char *entity_of(char byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return (byte >= 0 && byte < ' ' && byte != '\t' && byte != '\n') || byte == 0x7F
                   ? "\xEF\xBF\xBD"
                   : NULL;
    }
}

void an_html_text(struct an_page *page, const char *text, size_t length)
{
    size_t written = 0; /* what is plain is written in one go */
    for (size_t at = 0; at < length;) {
        unsigned size = an_utf8_length(text + at, length - at);
        const char *entity = size == 0 ? "\xEF\xBF\xBD" : entity_of(text[at]);
        unsigned bytes = size > 0 ? size : 1;
        if (entity != NULL) {
            fwrite(text + written, 1, at - written, page->out);
            fputs(entity, page->out);
            written = at + bytes;
        }
        at += bytes;
    }
    fwrite(text + written, 1, length - written, page->out);
}

void an_html(struct an_page *page, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at != '\0'; at++) {
        size_t plain = strcspn(at, "%");
        fwrite(at, 1, plain, page->out);
        at += plain;
        if (*at == '\0')
            break;
        at++;
        if (*at == 's') {
            const char *text = va_arg(arguments, const char *);
            an_html_text(page, text, strlen(text));
        } else if (*at == 'u') {
            fprintf(page->out, "%u", va_arg(arguments, unsigned));
        } else {
            fputc('%', page->out);
        }
    }
    va_end(arguments);
}

void an_html_place(struct an_page *page, const json_t *place)
{
    const char *file = an_field(place, "file");
    unsigned line = an_field_number(place, "line");
    const struct an_shown *shown = an_shown_file(page, file);
    if (shown != NULL && an_shown_line(shown, line))
        an_html(page, "<a class=place href=\"#f-%u-%u\">%s:%u</a>", shown->number, line, file,
                line);
    else
        an_html(page, "<span class=place>%s:%u</span>", file, line);
}

void an_html_class(struct an_page *page, const char *class)
{
    const struct an_rule *rule = an_rule_find(class);
    an_html(page, "<span class=\"class c-%s\" title=\"%s\">%s</span>", class,
            rule != NULL ? rule->title : "", class);
}

void an_html_link(struct an_page *page, const char *list, const char *id)
{
    if (an_item_with(json_object_get(page->document, list), "id", id) == NULL)
        an_html(page, "<code>%s</code>", id);
    else
        an_html(page, "<a href=\"#%s-%s\"><code>%s</code></a>",
                strcmp(list, "sites") == 0 ? "s" : "p", id, id);
}

void an_html_steps(struct an_page *page, const json_t *steps)
{
    if (json_array_size(steps) == 0)
        return;
    size_t n;
    const json_t *step;
    an_html(page, "<ol class=steps>");
    json_array_foreach (steps, n, step) {
        an_html(page, "<li>%s<br>", an_field(step, "text"));
        an_html_place(page, step);
        if (an_field_has(step, "function"))
            an_html(page, " in <code>%s</code>", an_field(step, "function"));
        an_html(page, "</li>");
    }
    an_html(page, "</ol>\n");
}

/* ---- Anchors ---- */

struct counted {
    const char *id;
    unsigned times;
    UT_hash_handle hh;
};

static unsigned count_one(struct counted **ids, const char *id)
{
    struct counted *counted;
    HASH_FIND_STR(*ids, id, counted);
    if (counted == NULL) {
        counted = an_must(calloc(1, sizeof *counted));
        counted->id = id;
        HASH_ADD_KEYPTR(hh, *ids, counted->id, strlen(counted->id), counted);
    }
    return ++counted->times;
}

void an_html_anchors_find(struct an_page *page)
{
    const json_t *sites = json_object_get(page->document, "sites"), *site;
    struct counted *ids = NULL, *one, *next;
    size_t n;
    page->anchors = an_must(calloc(json_array_size(sites) + 1, sizeof *page->anchors));
    json_array_foreach (sites, n, site) {
        const char *id = an_field(site, "id");
        unsigned times = count_one(&ids, id);
        page->anchors[n] = times > 1 ? an_format("%s-%u", id, times) : an_format("%s", id);
    }
    HASH_ITER (hh, ids, one, next) {
        HASH_DEL(ids, one);
        free(one);
    }
}

void an_html_anchors_destroy(struct an_page *page)
{
    for (char **anchor = page->anchors; *anchor != NULL; anchor++)
        free(*anchor);
    free(page->anchors);
}
