/* Pages (html.h). Classes of the style are those of the spans of a run, k0 to k4, and of lines. */
#include "html/html.h"

#include <stdarg.h>

static const char common[] =
    ":root{color-scheme:light "
    "dark;--ink:#222;--paper:#fff;--work:#7fb2dd;--start:#bbb;--checkpoint:#2b6;--recovery:#e08a1e;"
    "--lost:#d44;--grid:#ddd}"
    "@media(prefers-color-scheme:dark){:root{--ink:#ddd;--paper:#181818;--work:#3d6f99;--start:#"
    "666;--grid:#444}}"
    "body{font:15px/1.45 sans-serif;color:var(--ink);background:var(--paper);margin:1rem "
    "auto;max-width:75rem;padding:0 1rem}"
    "svg{width:100%;display:block}svg text{fill:var(--ink);font-size:11px}.scroll{overflow-x:auto}"
    ".k0{fill:var(--start)}.k1{fill:var(--work)}.k2{fill:url(#hatch)}.k3{fill:var(--checkpoint)}."
    "k4{fill:var(--recovery)}"
    ".death{stroke:var(--ink);stroke-width:2;fill:none}.grid{stroke:var(--grid)}.line{fill:none;"
    "stroke:var(-"
    "-checkpoint);stroke-width:1.5}"
    ".key span{display:inline-block;width:1em;height:1em;margin:0 .3em 0 1em;vertical-align:-.1em}"
    "table{border-collapse:collapse}td,th{padding:.15rem .7rem;text-align:right;border-bottom:1px "
    "solid var(--grid)}"
    "td:first-child,th:first-child{text-align:left}@media print{.zoom{display:none}}";

static const char *entity_of(char byte)
{
    return byte == '&'                                 ? "&amp;"
           : byte == '<'                               ? "&lt;"
           : byte == '>'                               ? "&gt;"
           : byte == '"'                               ? "&quot;"
           : byte == '\''                              ? "&#39;"
           : (byte >= 0 && byte < ' ') || byte == 0x7f ? "\xEF\xBF\xBD"
                                                       : NULL;
}

void ft_html_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        const char *entity = entity_of(*text);

        if (entity)
            fputs(entity, out);
        else
            fputc(*text, out);
    }
}

void ft_html_put(FILE *out, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    for (const char *at = format; *at; at++) {
        if (*at != '%')
            fputc(*at, out);
        else if (*++at == 's')
            ft_html_text(out, va_arg(list, const char *));
        else
            fprintf(out, "%d", va_arg(list, int));
    }
    va_end(list);
}

void ft_html_begin(FILE *out, const char *title, const char *style)
{
    fputs("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
          "content=\"width=device-width,initial-scale=1\"><meta http-equiv=Content-Security-Policy "
          "content=\"default-src 'none';style-src 'unsafe-inline';script-src "
          "'unsafe-inline'\"><title>",
          out);
    ft_html_text(out, title);
    fprintf(out, "</title><style>%s%s</style></head><body>\n<h1>", common, style);
    ft_html_text(out, title);
    fputs("</h1>\n", out);
}
