/* Idea: records become units, units a program, and what is missing becomes holes of its judgement.
 * A program of which a part is not known is never called whole: a caller may be in that part. */
#include "ftcc/whole.h"
#include "analysis/judge/judge.h"
#include "analysis/tree/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

/* A file that is missing in the program, or of which a part is. */
struct missing {
    char *origin, *text; /* owned */
    struct missing *next;
};

/* A name; of a file, or of a function that is there. */
struct name {
    const char *key; /* a unit's */
    UT_hash_handle hh;
};

struct note {
    struct an_hole hole; /* its strings are owned */
    struct note *next;
};

struct cc_whole {
    struct note *notes;
    struct an_program *program;
    struct an_judgement *judgement; /* or NULL */
    struct missing *missing;
    char *damage; /* or NULL */
    struct name *files;
    struct name *functions; /* not static, of all units */
};

struct cc_whole *cc_whole_create(void)
{
    struct cc_whole *whole = calloc(1, sizeof *whole);
    if (!whole)
        abort();
    whole->program = an_program_create();
    return whole;
}

static void names_destroy(struct name **names)
{
    struct name *name, *next;
    HASH_ITER (hh, *names, name, next) {
        HASH_DEL(*names, name);
        free(name);
    }
}

void cc_whole_destroy(struct cc_whole *whole)
{
    struct missing *missing, *next;
    if (!whole)
        return;
    an_judgement_destroy(whole->judgement);
    an_program_destroy(whole->program);
    LL_FOREACH_SAFE (whole->missing, missing, next) {
        free(missing->origin);
        free(missing->text);
        free(missing);
    }
    struct note *note, *after;
    LL_FOREACH_SAFE (whole->notes, note, after) {
        free((char *)(uintptr_t)note->hole.file);
        free((char *)(uintptr_t)note->hole.name);
        free((char *)(uintptr_t)note->hole.text);
        free(note);
    }
    names_destroy(&whole->files);
    names_destroy(&whole->functions);
    free(whole->damage);
    free(whole);
}

static bool name_known(struct name *names, const char *key)
{
    struct name *name = NULL;
    HASH_FIND_STR(names, key, name);
    return name != NULL;
}

static void name_add(struct name **names, const char *key)
{
    if (name_known(*names, key))
        return;
    struct name *name = calloc(1, sizeof *name);
    if (!name)
        abort();
    name->key = key;
    HASH_ADD_KEYPTR(hh, *names, name->key, strlen(name->key), name);
}

void cc_whole_miss(struct cc_whole *whole, const char *origin, const char *text)
{
    struct missing *missing = calloc(1, sizeof *missing);
    if (!missing)
        abort();
    missing->origin = strdup(origin);
    missing->text = strdup(text);
    LL_APPEND(whole->missing, missing);
}

void cc_whole_note(struct cc_whole *whole, const struct an_hole *hole)
{
    struct note *note = calloc(1, sizeof *note);
    if (!note)
        abort();
    note->hole = *hole;
    note->hole.file = strdup(hole->file);
    note->hole.name = strdup(hole->name);
    note->hole.text = strdup(hole->text);
    LL_APPEND(whole->notes, note);
}

static void damage_note(struct cc_whole *whole, const char *origin, unsigned damaged,
                        const char *why)
{
    char *text = NULL;
    if (asprintf(&text, "%s: %u of the records of facts in it cannot be read (%s)", origin, damaged,
                 why ? why : "damaged") < 0)
        abort();
    cc_whole_miss(whole, origin, text + strlen(origin) + 2);
    if (whole->damage)
        free(text);
    else
        whole->damage = text;
}

void cc_whole_add_unit(struct cc_whole *whole, struct an_unit *unit)
{
    an_program_add(whole->program, unit);
}

void cc_whole_add(struct cc_whole *whole, const struct rw_text *facts, const char *origin)
{
    unsigned damaged = 0;
    const char *why = NULL;
    size_t offset = 0;
    struct an_unit *unit;
    while ((unit = an_store_read(facts->text, facts->length, &offset, &damaged, &why)))
        an_program_add(whole->program, unit);
    if (damaged)
        damage_note(whole, origin, damaged, why);
}

unsigned cc_whole_units(const struct cc_whole *whole)
{
    return an_program_units(whole->program);
}

struct an_unit *cc_whole_unit(const struct cc_whole *whole, unsigned number)
{
    return an_program_unit(whole->program, number);
}

const char *cc_whole_damage(const struct cc_whole *whole)
{
    return whole->damage;
}

bool cc_whole_has_file(struct cc_whole *whole, const char *name)
{
    if (!whole->files)
        for (unsigned i = 0; i < cc_whole_units(whole); i++) {
            const char *path = cc_whole_unit(whole, i)->path, *slash = strrchr(path, '/');
            name_add(&whole->files, slash ? slash + 1 : path);
        }
    return name_known(whole->files, name);
}

static void holes_add(struct cc_whole *whole)
{
    struct missing *missing;
    LL_FOREACH (whole->missing, missing) {
        struct an_hole *hole = an_judgement_alloc(whole->judgement, sizeof *hole);
        hole->kind = AN_HOLE_FACTS;
        hole->file = an_judgement_printf(whole->judgement, "%s", missing->origin);
        hole->text = an_judgement_printf(whole->judgement, "%s", missing->text);
        LL_APPEND(whole->judgement->holes, hole);
    }
    struct note *note;
    LL_FOREACH (whole->notes, note) {
        struct an_hole *hole = an_judgement_alloc(whole->judgement, sizeof *hole);
        *hole = note->hole;
        hole->next = NULL;
        LL_APPEND(whole->judgement->holes, hole);
    }
}

const struct an_judgement *cc_whole_judge(struct cc_whole *whole, bool executable)
{
    an_program_join(whole->program, executable && !whole->missing);
    whole->judgement = an_judge(whole->program);
    holes_add(whole);
    return whole->judgement;
}

const struct an_judgement *cc_whole_judge_later(struct cc_whole *whole, bool executable)
{
    an_program_join(whole->program, executable && !whole->missing);
    whole->judgement = an_judge_later(whole->program);
    return whole->judgement;
}

/* ---- Is anything outside? ---- */

static void functions_know(struct cc_whole *whole)
{
    for (unsigned i = 0; i < cc_whole_units(whole); i++) {
        struct an_node *function;
        LL_FOREACH (cc_whole_unit(whole, i)->functions, function)
            if (function->name && !function->internal)
                name_add(&whole->functions, function->name);
    }
}

/* A function that is named and is neither here nor in a library of the system. */
static bool is_outside(const struct cc_whole *whole, const struct an_node *node)
{
    return node->kind == AN_REFERENCE && node->storage == AN_FUNCTION_NAME && !node->system &&
           !node->internal && node->name &&
           strncmp(node->name, "__builtin_", strlen("__builtin_")) != 0 &&
           !name_known(whole->functions, node->name);
}

static bool names_outside(const struct cc_whole *whole, const struct an_unit *unit)
{
    const struct an_node *function;
    LL_FOREACH (unit->functions, function)
        for (const struct an_node *node = function; node; node = an_next(function, node, false))
            if (is_outside(whole, node))
                return true;
    return unit->problem != NULL;
}

bool cc_whole_is_closed(struct cc_whole *whole)
{
    functions_know(whole);
    if (!name_known(whole->functions, "main"))
        return false;
    for (unsigned i = 0; i < cc_whole_units(whole); i++)
        if (names_outside(whole, cc_whole_unit(whole, i)))
            return false;
    return true;
}
