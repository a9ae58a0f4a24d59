/* Idea: options are a table, so that each program shows its sizes at one place. */
#include "app.h"

#ifdef APP_WARM
#include "../warm.h"
#endif

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONS = 16 };

int app_rank, app_ranks;

static const char *app_name;
static int timed;
static double begun;

static void help_print(const struct app_option *options, const char *letters)
{
    printf("usage: %s%s [options]\n", app_name, letters ? " [CLASS]" : "");
    if (letters)
        printf("  CLASS          one of the letters %s\n", letters);
    for (; options->name; options++)
        printf("  --%-12s %s (default %ld, %ld to %ld)\n", options->name, options->help,
               *options->value, options->least, options->most);
    printf("  --%-12s print the seconds of the run\n", "time");
}

/* Ends all ranks in the same way: every rank sees the same arguments. */
static void end_all(int code)
{
    fflush(stdout);
    MPI_Finalize();
    exit(code);
}

static void complain(const char *format, const char *text)
{
    if (app_rank == 0) {
        fprintf(stderr, "%s: ", app_name);
        fprintf(stderr, format, text);
        fprintf(stderr, " (--help lists the options)\n");
    }
    end_all(2);
}

static void value_read(const struct app_option *option, const char *text)
{
    char *end, wrong[200];

    errno = 0;
    *option->value = strtol(text, &end, 10);
    if (!errno && end != text && !*end && *option->value >= option->least &&
        *option->value <= option->most)
        return;
    snprintf(wrong, sizeof(wrong), "--%s %s: a number from %ld to %ld is needed", option->name,
             text, option->least, option->most);
    complain("%s", wrong);
}

static void options_read(int argc, char **argv, const struct app_option *options,
                         const char *letters)
{
    struct option table[OPTIONS] = {{"time", no_argument, &timed, 1},
                                    {"help", no_argument, NULL, 'h'}};
    int found, index;

    for (int i = 0; options[i].name; i++)
        table[i + 2] = (struct option){options[i].name, required_argument, NULL, 'v'};
    opterr = 0;
    while ((found = getopt_long(argc, argv, "", table, &index)) != -1) {
        if (found == 'v')
            value_read(&options[index - 2], optarg);
        else if (found == '?')
            complain("what is %s?", argv[optind - 1]);
        else if (found == 'h') {
            if (app_rank == 0)
                help_print(options, letters);
            end_all(0);
        }
    }
}

char app_start(int argc, char **argv, const char *name, const struct app_option *options,
               const char *letters)
{
    app_name = name;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &app_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &app_ranks);
    options_read(argc, argv, options, letters);
#ifdef APP_WARM
    warm_log(APP_WARM);
#endif
    if (optind == argc)
        return 0;
    if (!letters || argc - optind > 1 || strlen(argv[optind]) != 1 ||
        !strchr(letters, argv[optind][0]))
        complain("what is %s?", argv[optind]);
    return argv[optind][0];
}

void app_begin(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    begun = MPI_Wtime();
}

void app_print(const char *format, ...)
{
    va_list arguments;

    if (app_rank != 0)
        return;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

int app_end(bool verified)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (timed)
        app_print("seconds %.6f", MPI_Wtime() - begun);
    app_print("%s: %s", app_name, verified ? "verified" : "WRONG");
    MPI_Finalize();
    return verified ? 0 : 1;
}

void app_fail(const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "%s: rank %d: ", app_name, app_rank);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    MPI_Abort(MPI_COMM_WORLD, 3);
    abort();
}

void *app_alloc(size_t count, size_t bytes)
{
    void *memory = calloc(count ? count : 1, bytes);

    if (!memory)
        app_fail("no memory for %zu times %zu bytes", count, bytes);
    return memory;
}

long app_first(long count, int part, int parts)
{
    return count * part / parts;
}

uint64_t app_mix(uint64_t counter)
{
    counter += 0x9e3779b97f4a7c15u;
    counter = (counter ^ (counter >> 30)) * 0xbf58476d1ce4e5b9u;
    counter = (counter ^ (counter >> 27)) * 0x94d049bb133111ebu;
    return counter ^ (counter >> 31);
}

double app_uniform(uint64_t counter)
{
    return (double)(app_mix(counter) >> 11) * 0x1p-53;
}

double app_sum(double value, MPI_Comm comm)
{
    double sum;

    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    return sum;
}

#define NAS_MASK ((UINT64_C(1) << 46) - 1)

double app_nas_random(uint64_t *x, uint64_t a)
{
    *x = *x * a & NAS_MASK;
    return (double)*x * 0x1p-46;
}

uint64_t app_nas_jump(uint64_t x, uint64_t a, uint64_t n)
{
    for (; n; n >>= 1) {
        if (n & 1)
            x = x * a & NAS_MASK;
        a = a * a & NAS_MASK;
    }
    return x;
}
