/* command: the words that start a run, which also repeat it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ftcampaign/campaign.h"

void campaign_command(const struct campaign *campaign, const struct campaign_run *run,
                      const char *ftrun, const char *plan, const char **words)
{
    static char ranks[16], clusters[16];
    const struct campaign_program *program = &campaign->programs[run->program];
    const struct campaign_protocol *protocol = &campaign->protocols[run->protocol];

    snprintf(ranks, sizeof(ranks), "%d", program->ranks);
    snprintf(clusters, sizeof(clusters), "%d", protocol->clusters);
    *words++ = ftrun;
    *words++ = "-n";
    *words++ = ranks;
    *words++ = "-l";
    *words++ = "--protocol";
    *words++ = protocol->name;
    if (protocol->clusters) {
        *words++ = "--clusters";
        *words++ = clusters;
    }
    for (char *const *option = protocol->options; *option; option++)
        *words++ = *option;
    for (char *const *option = campaign->options; *option; option++)
        *words++ = *option;
    if (plan) {
        *words++ = "--faults";
        *words++ = plan;
    }
    for (char *const *word = program->words; *word; word++)
        *words++ = *word;
    *words = NULL;
}

char *campaign_line(const char *const *words)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (const char *const *word = words; out && *word; word++) {
        int plain = strspn(*word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "-_./=:,@") == strlen(*word);

        fputs(word == words ? "" : " ", out);
        fputs(plain && **word ? *word : "'", out);
        for (const char *at = *word; !(plain && **word) && *at; at++)
            fputs(*at == '\'' ? "'\\''" : (char[]){*at, 0}, out);
        fputs(plain && **word ? "" : "'", out);
    }
    return out && !fclose(out) ? text : NULL;
}

int campaign_write_plan(const struct campaign *campaign, const struct campaign_run *run,
                        const char *path)
{
    FILE *file = fopen(path, "we");

    if (!file)
        return -errno;
    fprintf(file, "seed = %ld; %s\n", campaign->seeds[run->seed], campaign->plans[run->plan].text);
    return fclose(file) ? -errno : 0;
}
