#include "analysis/report/terminal.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TAB = 8, GUTTER = 8 /* "  412 | " */ };

static void color_begin(struct an_terminal *terminal, enum an_color color)
{
    static const char *const codes[] = {
        [AN_BOLD] = "1",   [AN_GREEN] = "32", [AN_YELLOW] = "33",
        [AN_RED] = "1;31", [AN_CYAN] = "36",  [AN_DIM] = "2",
    };
    if (terminal->color && color != AN_PLAIN)
        fprintf(terminal->out, "\033[%sm", codes[color]);
}

static void color_end(struct an_terminal *terminal, enum an_color color)
{
    if (terminal->color && color != AN_PLAIN)
        fputs("\033[0m", terminal->out);
}

void an_terminal_end(struct an_terminal *terminal)
{
    if (terminal->column > 0)
        fputc('\n', terminal->out);
    terminal->column = 0;
}

/* The character at `text`, which is one column wide; '?' stands in for what is none. */
static unsigned character_put(FILE *out, const char *text, size_t length)
{
    unsigned size = an_utf8_length(text, length);
    unsigned char byte = (unsigned char)*text;
    bool control = byte < 0x20 || byte == 0x7F || (byte == 0xC2 && (unsigned char)text[1] < 0xA0);
    if (size == 0 || control)
        fputc('?', out);
    else
        fwrite(text, 1, size, out);
    return size > 0 ? size : 1;
}

/* The number of characters of a word of `length` bytes. */
static unsigned characters(const char *word, size_t length)
{
    unsigned count = 0;
    for (size_t at = 0; at < length; count++) {
        unsigned size = an_utf8_length(word + at, length - at);
        at += size > 0 ? size : 1;
    }
    return count;
}

static void word_put(struct an_terminal *terminal, unsigned indent, const char *word, size_t length)
{
    unsigned wide = characters(word, length);
    if (terminal->column > indent && terminal->column + 1 + wide > terminal->width)
        an_terminal_end(terminal);
    if (terminal->column == 0) {
        fprintf(terminal->out, "%*s", (int)indent, "");
        terminal->column = indent;
    } else {
        fputc(' ', terminal->out);
        terminal->column++;
    }
    for (size_t at = 0; at < length;)
        at += character_put(terminal->out, word + at, length - at);
    terminal->column += wide;
}

static bool is_blank(char byte)
{
    return isspace((unsigned char)byte);
}

void an_terminal_words(struct an_terminal *terminal, enum an_color color, unsigned indent,
                       const char *text)
{
    color_begin(terminal, color);
    while (*text != '\0') {
        size_t length = 0;
        while (text[length] != '\0' && !is_blank(text[length]))
            length++;
        if (length > 0)
            word_put(terminal, indent, text, length);
        text += length;
        while (is_blank(*text))
            text++;
    }
    color_end(terminal, color);
}

void an_terminal_print(struct an_terminal *terminal, enum an_color color, unsigned indent,
                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    an_terminal_words(terminal, color, indent, an_must(text));
    free(text);
}

/* A source line as cells of one column each: where in `text` the cell's character begins; a tab
 * takes several cells. Returns their number; `cells` has room for TAB times `length`. */
static unsigned cells_of(const char *text, size_t length, unsigned *cells)
{
    unsigned count = 0;
    for (size_t at = 0; at < length;) {
        unsigned size = an_utf8_length(text + at, length - at);
        cells[count++] = (unsigned)at;
        while (text[at] == '\t' && count % TAB != 0)
            cells[count++] = (unsigned)at;
        at += size > 0 ? size : 1;
    }
    return count;
}

/* The cell of the byte in `column`, from 1. */
static unsigned cell_at(const unsigned *cells, unsigned count, unsigned column)
{
    unsigned cell = 0;
    while (cell < count && cells[cell] + 1 < column)
        cell++;
    return cell;
}

static void gutter_put(struct an_terminal *terminal, const char *number)
{
    color_begin(terminal, AN_DIM);
    fprintf(terminal->out, "%*s | ", GUTTER - 3, number);
    color_end(terminal, AN_DIM);
}

static void cells_put(struct an_terminal *terminal, const char *text, size_t length,
                      const unsigned *cells, unsigned first, unsigned last)
{
    while (last > first && isspace((unsigned char)text[cells[last - 1]]))
        last--;
    for (unsigned cell = first; cell < last; cell++)
        if (text[cells[cell]] == '\t')
            fputc(' ', terminal->out);
        else
            character_put(terminal->out, text + cells[cell], length - cells[cell]);
    fputc('\n', terminal->out);
}

static void carets_put(struct an_terminal *terminal, unsigned column, unsigned count)
{
    gutter_put(terminal, "");
    fprintf(terminal->out, "%*s", (int)column, "");
    color_begin(terminal, AN_GREEN);
    fputc('^', terminal->out);
    for (unsigned n = 1; n < count; n++)
        fputc('~', terminal->out);
    color_end(terminal, AN_GREEN);
    fputc('\n', terminal->out);
}

void an_terminal_source(struct an_terminal *terminal, const struct an_text_file *file,
                        const json_t *place)
{
    unsigned line = an_field_number(place, "line"), column = an_field_number(place, "column");
    size_t length;
    const char *text = an_text_line(file, line, &length);
    if (length == 0 || column > length)
        return;
    unsigned *cells = an_must(malloc((length + 1) * TAB * sizeof *cells));
    unsigned count = cells_of(text, length, cells);
    unsigned from = cell_at(cells, count, column);
    unsigned to = an_field_number(place, "end_line") == line
                      ? cell_at(cells, count, an_field_number(place, "end_column"))
                      : count;
    /* A long line is shown from where the carets can be seen. */
    unsigned room = terminal->width > 2 * GUTTER ? terminal->width - GUTTER : GUTTER;
    unsigned first = from + room / 4 < room ? 0 : from - room / 4;
    unsigned last = count < first + room ? count : first + room;
    char number[16];
    snprintf(number, sizeof number, "%u", line);
    gutter_put(terminal, number);
    cells_put(terminal, text, length, cells, first, last);
    to = to < last ? to : last;
    carets_put(terminal, from - first, to > from ? to - from : 1);
    free(cells);
}
