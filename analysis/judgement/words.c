/* Idea: a comment says what its author knows better.
 *
 *     MPI_Recv(...);  // ftcc: send-deterministic        speaks of its own line
 *     // ftcc: channel-deterministic                      speaks of the next line
 *     MPI_Probe(...);
 *     // ftcc: pattern exchange                           names the block below (region.c)
 *
 * The class may be followed by a reason. A word that is none, or that speaks of no site, is a hole:
 * its author believes that it was heard. */
#include "analysis/judgement/holes.h"

#include <stdio.h>
#include <string.h>

enum { VERDICTS = AN_UNKNOWN + 1 };

/* The class that the word begins with, or VERDICTS. */
static unsigned class_of(const char *text)
{
    for (unsigned i = 0; i < VERDICTS; i++) {
        const char *name = an_verdict_name((enum an_verdict)i);
        size_t length = strlen(name);
        if (strncmp(text, name, length) == 0 &&
            (!text[length] || strchr(" \t\n:,;.", text[length])))
            return i;
    }
    return VERDICTS;
}

static bool names_pattern(const char *text)
{
    return strncmp(text, "pattern ", 8) == 0 && text[8 + strspn(text + 8, " \t")] != '\0';
}

static unsigned line_meant(const struct an_word *word)
{
    return word->line + word->alone;
}

/* The first line of the statement that the call stands in. */
static unsigned first_line(const struct an_node *call)
{
    const struct an_node *node = call;

    while (node->parent && (an_is_expression(node->parent) || node->parent->kind == AN_VARIABLE ||
                            node->parent->kind == AN_DECLARE || node->parent->kind == AN_RETURN))
        node = node->parent;
    return node->place.line;
}

static bool is_meant(const struct an_word *word, const struct an_node *call)
{
    unsigned line = line_meant(word);

    if (strcmp(word->file, call->place.file) != 0)
        return false;
    return line == call->place.line || line == first_line(call) ||
           (!word->alone && line == call->end.line);
}

static void site_obeys(struct an_judgement *judgement, struct an_site *site,
                       const struct an_word *word, enum an_verdict verdict)
{
    site->override = true;
    site->verdict = verdict;
    site->reason = an_judgement_printf(judgement, "the comment in line %u says so", word->line);
}

static void class_obey(struct an_judgement *judgement, const struct an_unit *unit,
                       const struct an_word *word, enum an_verdict verdict)
{
    bool heard = false;

    for (struct an_site *site = judgement->sites; site; site = site->next)
        if (is_meant(word, site->node)) {
            site_obeys(judgement, site, word, verdict);
            heard = true;
        }
    if (!heard && strcmp(word->file, unit->path) == 0)
        an_hole_add(
            judgement,
            (struct an_hole){.kind = AN_HOLE_FUNCTION,
                             .file = word->file,
                             .line = word->line,
                             .text = an_judgement_printf(
                                 judgement, "\"ftcc: %s\" speaks of line %u, where no site is",
                                 word->text, line_meant(word))});
}

static bool is_known(const struct an_judgement *judgement, const struct an_word *word)
{
    for (const struct an_hole *hole = judgement->holes; hole; hole = hole->next)
        if (hole->line == word->line && strcmp(hole->file, word->file) == 0 && !hole->name)
            return true;
    return false;
}

static void word_obey(struct an_judgement *judgement, const struct an_unit *unit,
                      const struct an_word *word)
{
    unsigned verdict = class_of(word->text);

    if (verdict < VERDICTS)
        class_obey(judgement, unit, word, (enum an_verdict)verdict);
    else if (!names_pattern(word->text) && !is_known(judgement, word))
        an_hole_add(judgement,
                    (struct an_hole){.kind = AN_HOLE_FUNCTION,
                                     .file = word->file,
                                     .line = word->line,
                                     .text = an_judgement_printf(
                                         judgement, "\"ftcc: %s\" is not understood", word->text)});
}

void an_words_obey(struct an_judgement *judgement)
{
    for (unsigned i = 0; i < an_program_units(judgement->program); i++) {
        const struct an_unit *unit = an_program_unit(judgement->program, i);
        for (const struct an_word *word = unit->words; word; word = word->next)
            word_obey(judgement, unit, word);
    }
}
