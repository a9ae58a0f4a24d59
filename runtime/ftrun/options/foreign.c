#include "options/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options of Open MPI's mpirun and of Slurm's srun. */
static const struct {
    const char *name, *hint;
} known[] = {
    {"x", "did you mean -env NAME VALUE?"},
    {"export", "did you mean -env NAME VALUE? All other variables are passed anyway"},
    {"c", "did you mean -n RANKS?"},
    {"ntasks", "did you mean -n RANKS?"},
    {"wd", "did you mean -wdir FOLDER?"},
    {"chdir", "did you mean -wdir FOLDER?"},
    {"D", "did you mean -wdir FOLDER?"},
    {"time", "did you mean --time-limit TIME?"},
    {"t", "did you mean --time-limit TIME?"},
    {"timeout", "did you mean --time-limit TIME?"},
    {"tag-output", "did you mean -l?"},
    {"label", "did you mean -l?"},
    {"output-filename", "did you mean -l, and redirect ftrun's output?"},
    {"app", "did you mean -configfile FILE?"},
    {"multi-prog", "did you mean -configfile FILE?"},
    {"oversubscribe", "more ranks than cores are allowed anyway; leave it out"},
    {"use-hwthread-cpus", "more ranks than cores are allowed anyway; leave it out"},
    {"allow-run-as-root", "it is allowed anyway; leave it out"},
    {"mca", "it is Open MPI's, and ftrun starts the ranks itself; set OMPI_MCA_NAME in the "
            "environment, or leave it out"},
    {"gmca", "it is Open MPI's, and ftrun starts the ranks itself; set OMPI_MCA_NAME in the "
             "environment, or leave it out"},
    {"mpi", "ftrun is the process manager of the library itself; leave it out"},
    {"npernode", "say the number of all ranks: -n RANKS"},
    {"ntasks-per-node", "say the number of all ranks: -n RANKS"},
    {"N", "say the number of all ranks: -n RANKS"},
    {"nodes", "say the number of all ranks: -n RANKS"},
    {"cpus-per-task", "set OMP_NUM_THREADS instead: -env OMP_NUM_THREADS NUMBER"},
    {"bind-to-core", "start the program by taskset or numactl instead"},
    {"cpu-bind", "start the program by taskset or numactl instead"},
    {"report-bindings", "start the program by taskset or numactl instead"},
    {"rank-by", "ranks are numbered in the order in which they are started; leave it out"},
    {"partition", "it belongs to sbatch or salloc; ftrun runs inside of the allocation"},
    {"p", "it belongs to sbatch or salloc; ftrun runs inside of the allocation"},
    {"account", "it belongs to sbatch or salloc; ftrun runs inside of the allocation"},
    {"exclusive", "it belongs to sbatch or salloc; ftrun runs inside of the allocation"},
    {"mem", "it belongs to sbatch or salloc; ftrun runs inside of the allocation"},
};

enum { LONGEST = 32, CLOSE = 2 }; /* letters of a name; mistakes in it */

static size_t least(size_t a, size_t b, size_t c)
{
    size_t smaller = a < b ? a : b;

    return smaller < c ? smaller : c;
}

/* Letters to be changed, left out or added (Levenshtein). */
static size_t distance(const char *one, size_t length, const char *other)
{
    size_t row[LONGEST + 1], width = strlen(other);

    if (length > LONGEST || width > LONGEST)
        return LONGEST;
    for (size_t i = 0; i <= width; i++)
        row[i] = i;
    for (size_t i = 1; i <= length; i++) {
        size_t before = row[0];

        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t above = row[j];

            row[j] = least(above + 1, row[j - 1] + 1, before + (one[i - 1] != other[j - 1]));
            before = above;
        }
    }
    return row[width];
}

void ft_foreign_hint(const char *word, const struct option *table, char *hint, size_t size)
{
    const char *name = word + strspn(word, "-"), *closest = NULL;
    size_t length = strcspn(name, "="), best = CLOSE + 1;

    *hint = 0;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strlen(known[i].name) == length && !strncmp(known[i].name, name, length)) {
            snprintf(hint, size, "%s", known[i].hint);
            return;
        }
    for (; table->name; table++) {
        size_t mistakes = length < 4 ? best : distance(name, length, table->name);

        if (mistakes < best) {
            best = mistakes;
            closest = table->name;
        }
    }
    if (closest)
        snprintf(hint, size, "did you mean --%s?", closest);
}
