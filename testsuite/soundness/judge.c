/* judge: judges many small programs in one call.
 *
 *     judge <LIST
 *
 * A line of LIST is a name and the C files of one program, separated by spaces. For each program
 * the files are parsed with the flags of mpicc, pass through the bytes that an object holds, and
 * are judged together as one executable: exactly what ftcc does at a link. Prints for each site,
 * tabs between the fields:
 *
 *     NAME FILE LINE CLASS WILDCARD believed|logged REASON
 *
 * "believed": the runtime need not write its outcomes down. A program that
 * cannot be judged gives the line NAME, "problem", text. */
#include "analysis/source/source.h"
#include "analysis/tree/store.h"
#include "ftcc/guard.h"
#include "ftcc/job.h"
#include "ftcc/toolchain.h"
#include "ftcc/whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 32 };

struct batch {
    char *lines[BATCH];
    const char **flags;
};

static void problem_print(FILE *out, const char *name, const char *text)
{
    fprintf(out, "%s\tproblem\t%s\n", name, text);
}

/* Adds the unit of `file` to the program by way of the bytes that ftcc stores in an object. */
static void file_add(struct cc_whole *whole, const char *file, const char **flags, const char *name,
                     FILE *out)
{
    struct an_unit *unit = an_source_read(file, NULL, 0, flags);
    struct rw_text facts = {0};
    void *bytes;
    if (unit->problem)
        problem_print(out, name, unit->problem);
    an_store_write(unit, &bytes, &facts.length);
    facts.text = bytes;
    cc_whole_add(whole, &facts, file);
    free(bytes);
    an_unit_destroy(unit);
}

static void wildcards_print(FILE *out, unsigned wildcard)
{
    static const char *const names[] = {"source", "tag", "index", "flag"};
    const char *comma = "";
    for (unsigned i = 0; i < 4; i++)
        if (wildcard & 1u << i) {
            fprintf(out, "%s%s", comma, names[i]);
            comma = ",";
        }
}

static void site_print(FILE *out, const char *name, const struct an_judgement *judgement,
                       const struct an_site *site)
{
    const struct an_unit *unit = an_program_unit_of(judgement->program, site->node);
    fprintf(out, "%s\t%s\t%u\t%s\t", name, unit->path, site->node->place.line,
            an_verdict_name(site->verdict));
    wildcards_print(out, site->wildcard);
    fprintf(out, "\t%s\t%s\n", !site->logged ? "believed" : "logged",
            site->reason ? site->reason : "");
}

/* Judges the program of one line; runs in a process of its own. */
static void program_judge(void *context, unsigned number, FILE *out)
{
    struct batch *batch = context;
    struct cc_whole *whole = cc_whole_create();
    char *rest = NULL, *name = strtok_r(batch->lines[number], " ", &rest);
    for (char *file; (file = strtok_r(NULL, " ", &rest));)
        file_add(whole, file, batch->flags, name, out);
    const struct an_judgement *judgement = cc_whole_judge(whole, true);
    for (const struct an_site *site = judgement->sites; site; site = site->next)
        site_print(out, name, judgement, site);
    cc_whole_destroy(whole);
}

static void batch_judge(struct batch *batch, unsigned count)
{
    struct cc_share shares[BATCH] = {0};
    cc_guard_each(count, program_judge, batch, shares);
    for (unsigned i = 0; i < count; i++) {
        if (shares[i].crash)
            problem_print(stdout, batch->lines[i], strsignal(shares[i].crash));
        else
            fwrite(shares[i].bytes.text, 1, shares[i].bytes.length, stdout);
        free(shares[i].bytes.text);
        free(batch->lines[i]);
    }
}

/* Fills the batch from stdin; returns the number of lines. */
static unsigned batch_read(struct batch *batch)
{
    unsigned count = 0;
    size_t room = 0;
    for (; count < BATCH; count++) {
        batch->lines[count] = NULL;
        ssize_t length = getline(&batch->lines[count], &room, stdin);
        if (length < 0) {
            free(batch->lines[count]);
            break;
        }
        batch->lines[count][strcspn(batch->lines[count], "\n")] = '\0';
        room = 0;
    }
    return count;
}

int main(void)
{
    static const char *const words[] = {"ftcc", "-O1", "--ft-analyze"};
    struct cc_options options;
    struct cc_toolchain toolchain;
    struct batch batch;
    unsigned count;
    cc_options_parse(3, words, &options);
    if (!cc_toolchain_find(&options, &toolchain))
        return 2;
    batch.flags = cc_job_flags(&options, &toolchain.flags, false);
    cc_guard_stage(CC_JOINING);
    an_unit_destroy(
        an_source_read("empty.c", "", 0, batch.flags)); /* loads libclang for all children */
    while ((count = batch_read(&batch)) > 0)
        batch_judge(&batch, count);
    free(batch.flags);
    cc_toolchain_release(&toolchain);
    cc_options_release(&options);
    return 0;
}
