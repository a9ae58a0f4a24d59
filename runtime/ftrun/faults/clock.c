/* Faults at moments of time: drawn from a distribution, or read from a failure log. The same seed
 * gives the same moments and ranks. */
#include "faults/faults.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "points/points.h"

/* The first draws of erand48 are nearly the same for seeds that are near to each other, so the seed
 * is mixed (splitmix64, Steele et al., OOPSLA'14). */
void ft_fault_clock_seed(struct ft_fault_clock *clock, uint64_t seed)
{
    uint64_t mixed = seed + 0x9e3779b97f4a7c15;

    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    mixed ^= mixed >> 31;
    for (int i = 0; i < 3; i++)
        clock->seed[i] = (uint16_t)(mixed >> 16 * i);
}

int ft_fault_clock_next(struct ft_fault_clock *clock)
{
    if (!clock->random || clock->left == 0)
        return 0;
    clock->left--;
    clock->at += clock->scale * pow(-log(1 - erand48(clock->seed)), 1 / clock->shape);
    return 1;
}

int ft_fault_clock_rank(struct ft_fault_clock *clock)
{
    int place = clock->random ? (int)(erand48(clock->seed) * clock->count) : 0;

    return clock->ranks[place < clock->count ? place : clock->count - 1];
}

/* One line of the log. 0, or what was expected. */
static const char *take_line(const char *line, const struct ft_fault_job *job,
                             struct ft_faults *faults, const char *text)
{
    char word[5] = "", value[257] = "";
    double at;
    int used = 0, rank = -1;

    if (line[strspn(line, " \t\r\n")] == 0 || line[0] == '#')
        return NULL;
    if (sscanf(line, "%lf %4s %256s %n", &at, word, value, &used) != 3 || line[used] ||
        !(at >= 0 && at < 1e9))
        return "SECONDS rank NUMBER, or SECONDS node NAME";
    if (!strcmp(word, "rank") &&
        (sscanf(value, "%d%n", &rank, &used) != 1 || value[used] || rank < 0 || rank >= job->ranks))
        return "a rank of the job";
    if (strcmp(word, "rank") != 0 && strcmp(word, "node") != 0)
        return "SECONDS rank NUMBER, or SECONDS node NAME";
    struct ft_fault_clock *clock = ft_faults_add_clock(faults);
    if (!clock || !(clock->ranks = calloc((size_t)job->ranks, sizeof(int))))
        return "fewer faults at moments of time (at most 4096)";
    for (int i = 0; i < job->ranks; i++) {
        if (rank < 0 ? !strcmp(value, job->node[i]) : i == rank)
            clock->ranks[clock->count++] = i;
    }
    if (clock->count == 0)
        return "a node of the job";
    clock->at = at;
    clock->together = 1;
    clock->kind = FT_FAULT_KILL;
    clock->signal = SIGKILL;
    snprintf(clock->text, sizeof(clock->text), "%s", text);
    return NULL;
}

int ft_faults_replay(const char *path, const struct ft_fault_job *job, const char *text,
                     struct ft_faults *faults, char *why, size_t size)
{
    FILE *file = fopen(path, "re");
    const char *expected = NULL;
    char line[1024];
    int number = 0;

    if (!file) {
        snprintf(why, size, "fault.replay: %s: %m", path);
        return -1;
    }
    while (!expected && fgets(line, sizeof(line), file)) {
        number++;
        expected = take_line(line, job, faults, text);
    }
    fclose(file);
    if (expected)
        snprintf(why, size, "fault.replay: %s:%d: expected %s", path, number, expected);
    return expected ? -1 : 0;
}
