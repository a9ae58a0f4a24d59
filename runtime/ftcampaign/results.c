/* results: when a run ends, a line of JSON is appended to a file. After the last run a JSON file
 * and a page are written. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include "ftcampaign/campaign.h"
#include "html/html.h"

json_t *campaign_results_read(const char *path)
{
    json_t *results = json_object();
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;

    while (file && getline(&line, &room, file) > 0) {
        json_t *one = json_loads(line, 0, NULL);
        const char *key = json_string_value(json_object_get(one, "key"));

        if (key)
            json_object_set(results, key, one);
        json_decref(one);
    }
    free(line);
    if (file)
        fclose(file);
    return results;
}

int campaign_results_add(const char *path, json_t *results, const struct campaign *campaign,
                         const struct campaign_run *run, const struct campaign_result *result,
                         const char *line, const char *page)
{
    char *key = campaign_key(campaign, run);
    json_t *one = json_pack("{s:s, s:s, s:f, s:i, s:i, s:i, s:s, s:s, s:s*}", "key", key, "class",
                            campaign_classes[result->class], "seconds", result->seconds, "code",
                            result->code, "deaths", result->deaths, "faults", result->faults, "why",
                            result->why, "command", line, "page", page);
    char *text = one ? json_dumps(one, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    FILE *file = text ? fopen(path, "ae") : NULL;
    int code = file ? 0 : -EIO;

    if (file && flock(fileno(file), LOCK_EX)) /* other workers append to the same file */
        code = -errno;
    if (file && (fprintf(file, "%s\n", text) < 0 || fclose(file)))
        code = -errno;
    if (one)
        json_object_set_new(results, key, one);
    free(text);
    free(key);
    return code;
}

static enum campaign_class class_of(const json_t *one)
{
    const char *name = json_string_value(json_object_get(one, "class"));

    for (int i = 0; name && i < CAMPAIGN_CLASSES; i++) {
        if (!strcmp(name, campaign_classes[i]))
            return (enum campaign_class)i;
    }
    return CAMPAIGN_MISSED;
}

static const char style[] =
    "td,th{border:1px solid #8888;padding:.2rem .5rem;text-align:left}td a{color:inherit}"
    ".c0{background:#2b62}.c1{background:#dc24}.c2{background:#59d3}.c3{background:#8883}"
    ".c4,.c5,.c6{background:#d446;font-weight:bold}code{overflow-wrap:anywhere}";

static void put_sums(FILE *out, const struct campaign *campaign, const json_t *results)
{
    int sums[CAMPAIGN_CLASSES] = {0};
    const char *key;
    json_t *one;

    json_object_foreach ((json_t *)results, key, one)
        sums[class_of(one)]++;
    fprintf(out, "<p>%zu of %d runs:</p><table>", json_object_size(results),
            campaign_count(campaign));
    for (int i = 0; i < CAMPAIGN_CLASSES; i++)
        fprintf(out, "<tr><td class=c%d>%s<td>%d</tr>\n", i, campaign_classes[i], sums[i]);
    fputs("</table>\n", out);
}

/* Prints one run: the name of its class as a link to the run's page; command and reason are its
 * hint. */
static void put_run(FILE *out, const json_t *one)
{
    const char *page = json_string_value(json_object_get(one, "page"));

    fputs(page ? "<a href=\"" : "<span", out);
    if (page) {
        ft_html_text(out, page);
        fputc('"', out);
    }
    fprintf(out, " class=c%d title=\"", class_of(one));
    ft_html_text(out, json_string_value(json_object_get(one, "command")));
    fputs(" &#10;", out);
    ft_html_text(out, json_string_value(json_object_get(one, "why")));
    fprintf(out, "\">%s</%s> ", campaign_classes[class_of(one)], page ? "a" : "span");
}

/* The result of a run, or NULL: there is none yet. */
static json_t *result_of(const struct campaign *campaign, const json_t *results,
                         const struct campaign_run *run)
{
    char *key = campaign_key(campaign, run);
    json_t *one = key ? json_object_get(results, key) : NULL;

    free(key);
    return one;
}

/* A cell has the colour of the worst of its runs. */
static void put_cell(FILE *out, const struct campaign *campaign, const json_t *results,
                     struct campaign_run run)
{
    int worst = -1;

    for (run.seed = 0; run.seed < campaign->seed_count; run.seed++) {
        const json_t *one = result_of(campaign, results, &run);

        if (one && (int)class_of(one) > worst)
            worst = (int)class_of(one);
    }
    fprintf(out, worst < 0 ? "<td>" : "<td class=c%d>", worst);
    for (run.seed = 0; run.seed < campaign->seed_count; run.seed++) {
        const json_t *one = result_of(campaign, results, &run);

        if (one)
            put_run(out, one);
    }
}

static void put_matrix(FILE *out, const struct campaign *campaign, const json_t *results)
{
    struct campaign_run run = {0};

    fputs("<h2>Plans and protocols</h2><div class=scroll><table><tr><th>plan", out);
    for (int i = 0; i < campaign->program_count * campaign->protocol_count; i++) {
        const struct campaign_protocol *protocol =
            &campaign->protocols[i % campaign->protocol_count];

        fputs("<th>", out);
        ft_html_text(out, campaign->programs[i / campaign->protocol_count].name);
        fputs("<br>", out);
        ft_html_text(out, protocol->called ? protocol->called : protocol->name);
        if (protocol->clusters)
            fprintf(out, " %d", protocol->clusters);
    }
    fputs("</tr>\n", out);
    for (run.plan = 0; run.plan < campaign->plan_count; run.plan++) {
        fputs("<tr><th>", out);
        ft_html_text(out, campaign->plans[run.plan].name);
        for (int i = 0; i < campaign->program_count * campaign->protocol_count; i++) {
            run.program = i / campaign->protocol_count;
            run.protocol = i % campaign->protocol_count;
            put_cell(out, campaign, results, run);
        }
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

static void put_failures(FILE *out, const json_t *results)
{
    const char *key;
    json_t *one;

    fputs("<h2>What is not right</h2><ul>\n", out);
    json_object_foreach ((json_t *)results, key, one) {
        enum campaign_class class = class_of(one);

        if (class < CAMPAIGN_WRONG && class != CAMPAIGN_REFUSED && class != CAMPAIGN_WIDER)
            continue;
        fprintf(out, "<li>%s: ", campaign_classes[class]);
        ft_html_text(out, json_string_value(json_object_get(one, "why")));
        fputs("<br><code>", out);
        ft_html_text(out, json_string_value(json_object_get(one, "command")));
        fputs("</code>\n", out);
    }
    fputs("</ul></body></html>\n", out);
}

int campaign_results_write(const struct campaign *campaign, const json_t *results, const char *json,
                           const char *page)
{
    FILE *out = page ? fopen(page, "we") : NULL;

    if (json && json_dump_file(results, json, JSON_INDENT(1) | JSON_REAL_PRECISION(6)))
        return -EIO;
    if (!out)
        return page ? -errno : 0;
    ft_html_begin(out, "Campaign", style);
    put_sums(out, campaign, results);
    put_matrix(out, campaign, results);
    put_failures(out, results);
    return fclose(out) ? -errno : 0;
}
