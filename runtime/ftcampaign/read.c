/* read: a campaign file. Each field of its table has one row in `fields`. */
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ftcampaign/campaign.h"
#include "protocol/protocol.h"
#include "sandbox/sandbox.h"

enum { MOST = 100000 };

struct reader {
    lua_State *lua;
    const char *path;
    struct campaign *campaign;
    char *why;
    size_t size;
};

static int complain(const struct reader *reader, const char *field, const char *expected)
{
    snprintf(reader->why, reader->size, "%s: %s: expected %s", reader->path, field, expected);
    return -1;
}

static const char *string_at_top(const struct reader *reader)
{
    return lua_type(reader->lua, -1) == LUA_TSTRING ? lua_tostring(reader->lua, -1) : NULL;
}

/* The words of a list of strings, or of a string at its blanks. */
static int take_words(const struct reader *reader, const char *field, char **words)
{
    const char *expected = "a list of at most 60 words, or a string of words";
    const char *text = string_at_top(reader);
    int count = 0;

    if (text) {
        char *copy = strdup(text), *save = NULL;

        for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
            if (count < CAMPAIGN_WORDS - 4)
                words[count++] = strdup(word);
        }
        free(copy);
        return count ? 0 : complain(reader, field, expected);
    }
    if (lua_type(reader->lua, -1) != LUA_TTABLE || lua_rawlen(reader->lua, -1) > CAMPAIGN_WORDS - 4)
        return complain(reader, field, expected);
    for (lua_Unsigned i = 1; i <= lua_rawlen(reader->lua, -1); i++) {
        lua_rawgeti(reader->lua, -1, (lua_Integer)i);
        if (string_at_top(reader))
            words[count++] = strdup(string_at_top(reader));
        lua_pop(reader->lua, 1);
    }
    return 0;
}

/* {command = "./ring 10", ranks = 4, name = "ring"} */
static int take_program(const struct reader *reader, void *entry)
{
    struct campaign_program *program = entry;
    lua_State *lua = reader->lua;
    int code;

    if (lua_type(lua, -1) != LUA_TTABLE)
        return complain(reader, "programs", "a list of {command = \"./app 10\", ranks = 4}");
    lua_getfield(lua, -1, "ranks");
    program->ranks = (int)lua_tointeger(lua, -1);
    lua_pop(lua, 1);
    if (program->ranks < 1 || program->ranks > 65536)
        return complain(reader, "programs", "ranks from 1 to 65536 in each program");
    lua_getfield(lua, -1, "command");
    code = take_words(reader, "command", program->words);
    lua_pop(lua, 1);
    if (code || !program->words[0])
        return complain(reader, "programs", "a command in each program");
    lua_getfield(lua, -1, "name");
    const char *slash = strrchr(program->words[0], '/');
    program->name = strdup(string_at_top(reader) ? string_at_top(reader)
                           : slash               ? slash + 1
                                                 : program->words[0]);
    lua_pop(lua, 1);
    return 0;
}

/* A copy of the string at the top of the stack, which is popped. NULL: it is none. */
static char *take_string(const struct reader *reader)
{
    char *copy = string_at_top(reader) ? strdup(string_at_top(reader)) : NULL;

    lua_pop(reader->lua, 1);
    return copy;
}

/* The fields of {"spbc", clusters = 2, name = "two halves", options = "--log-limit 1M"}. */
static int take_protocol_fields(const struct reader *reader, struct campaign_protocol *protocol)
{
    lua_State *lua = reader->lua;
    int code;

    lua_rawgeti(lua, -1, 1);
    protocol->name = take_string(reader);
    lua_getfield(lua, -1, "name");
    protocol->called = take_string(reader);
    lua_getfield(lua, -1, "clusters");
    protocol->clusters = (int)lua_tointeger(lua, -1);
    lua_pop(lua, 1);
    lua_getfield(lua, -1, "options");
    code = lua_isnil(lua, -1) ? 0 : take_words(reader, "options", protocol->options);
    lua_pop(lua, 1);
    return code;
}

/* "coordinated", or a table */
static int take_protocol(const struct reader *reader, void *entry)
{
    struct campaign_protocol *protocol = entry;
    const char *why;

    if (string_at_top(reader))
        protocol->name = strdup(string_at_top(reader));
    else if (lua_type(reader->lua, -1) == LUA_TTABLE && take_protocol_fields(reader, protocol))
        return -1;
    if (!protocol->name || protocol->clusters < 0 || !ft_protocol_find(protocol->name, &why))
        return complain(reader, "protocols",
                        "a list of \"coordinated\" and {\"spbc\", clusters = 2}");
    return 0;
}

static char *file_text(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = file ? calloc(1, 1 << 16) : NULL;
    size_t length = text ? fread(text, 1, (1 << 16) - 1, file) : 0;

    (void)length;
    if (file)
        fclose(file);
    return text;
}

/* {name = "send", plan = [[...]]}, or the path of a plan. */
static int take_plan(const struct reader *reader, void *entry)
{
    struct campaign_plan *plan = entry;
    lua_State *lua = reader->lua;
    const char *expected = "a list of files, and of {name = \"send\", plan = \"fault.at(...)\"}";

    if (string_at_top(reader)) {
        plan->name = strdup(string_at_top(reader));
        plan->text = file_text(plan->name);
    } else if (lua_type(lua, -1) == LUA_TTABLE) {
        lua_getfield(lua, -1, "name");
        plan->name = string_at_top(reader) ? strdup(string_at_top(reader)) : NULL;
        lua_pop(lua, 1);
        lua_getfield(lua, -1, "plan");
        plan->text = string_at_top(reader) ? strdup(string_at_top(reader)) : NULL;
        lua_pop(lua, 1);
    }
    return plan->name && plan->text ? 0 : complain(reader, "plans", expected);
}

static int take_seed(const struct reader *reader, void *entry)
{
    int is = 0;

    *(long *)entry = (long)lua_tointegerx(reader->lua, -1, &is);
    return is ? 0 : complain(reader, "seeds", "a list of whole numbers");
}

/* Each entry of the list at the top, by `take`, into an array of entries of `size` bytes. */
static int take_list(const struct reader *reader, const char *field, size_t size, void **array,
                     int *count, int (*take)(const struct reader *, void *))
{
    lua_Unsigned length = lua_type(reader->lua, -1) == LUA_TTABLE ? lua_rawlen(reader->lua, -1) : 0;
    int code = 0;

    if (length < 1 || length > MOST)
        return complain(reader, field, "a list of at least one entry");
    *array = calloc(length, size);
    if (!*array)
        return complain(reader, field, "less: there is no memory");
    for (lua_Unsigned i = 1; !code && i <= length; i++) {
        lua_rawgeti(reader->lua, -1, (lua_Integer)i);
        code = take(reader, (char *)*array + (size_t)(*count)++ * size);
        lua_pop(reader->lua, 1);
    }
    return code;
}

static int take_ignore(const struct reader *reader)
{
    char why[256];

    if (!string_at_top(reader))
        return complain(reader, "ignore", "a regular expression");
    if (!ft_ignore_add(&reader->campaign->ignore, string_at_top(reader), why, sizeof(why)))
        return 0;
    return complain(reader, "ignore", why);
}

static int take_field(const struct reader *reader, const char *field)
{
    static const char *const names[] = {"programs", "protocols", "plans",  "seeds",
                                        "options",  "limit",     "ignore", NULL};
    struct campaign *campaign = reader->campaign;

    if (!strcmp(field, "programs"))
        return take_list(reader, field, sizeof(*campaign->programs), (void **)&campaign->programs,
                         &campaign->program_count, take_program);
    if (!strcmp(field, "protocols"))
        return take_list(reader, field, sizeof(*campaign->protocols), (void **)&campaign->protocols,
                         &campaign->protocol_count, take_protocol);
    if (!strcmp(field, "plans"))
        return take_list(reader, field, sizeof(*campaign->plans), (void **)&campaign->plans,
                         &campaign->plan_count, take_plan);
    if (!strcmp(field, "seeds"))
        return take_list(reader, field, sizeof(*campaign->seeds), (void **)&campaign->seeds,
                         &campaign->seed_count, take_seed);
    if (!strcmp(field, "options"))
        return take_words(reader, field, campaign->options);
    if (!strcmp(field, "ignore"))
        return take_ignore(reader);
    if (!strcmp(field, "limit")) {
        campaign->limit = lua_tonumber(reader->lua, -1);
        return campaign->limit > 0 ? 0 : complain(reader, field, "seconds above 0");
    }
    const char *near = ft_sandbox_nearest(field, names);
    snprintf(reader->why, reader->size, "%s: %s: there is no such field%s%s", reader->path, field,
             near ? "; the nearest is " : "", near ? near : "");
    return -1;
}

static int take_all(const struct reader *reader)
{
    struct campaign *campaign = reader->campaign;
    int code = 0;

    if (lua_type(reader->lua, -1) != LUA_TTABLE)
        return complain(reader, "campaign", "`return {programs = {...}, plans = {...}}`");
    for (lua_pushnil(reader->lua); !code && lua_next(reader->lua, -2); lua_pop(reader->lua, 1)) {
        if (lua_type(reader->lua, -2) != LUA_TSTRING)
            return complain(reader, "campaign", "a name in front of each value");
        code = take_field(reader, lua_tostring(reader->lua, -2));
    }
    if (!code && (!campaign->program_count || !campaign->plan_count))
        return complain(reader, "campaign", "programs and plans");
    return code;
}

/* Defaults: all ranks together, one seed, a minute. */
static int fill_in(struct campaign *campaign)
{
    if (campaign->limit <= 0)
        campaign->limit = 60;
    if (!campaign->protocol_count &&
        (campaign->protocols = calloc(1, sizeof(*campaign->protocols)))) {
        campaign->protocols[0].name = strdup("coordinated");
        campaign->protocol_count = 1;
    }
    if (!campaign->seed_count && (campaign->seeds = calloc(1, sizeof(*campaign->seeds)))) {
        campaign->seeds[0] = 1;
        campaign->seed_count = 1;
    }
    return campaign->protocol_count && campaign->seed_count ? 0 : -1;
}

int campaign_read(const char *path, struct campaign *campaign, char *why, size_t size)
{
    struct ft_sandbox sandbox;
    int code = ft_sandbox_open(&sandbox, path, why, size);

    memset(campaign, 0, sizeof(*campaign));
    if (!code)
        code = ft_sandbox_run(&sandbox, path, why, size);
    if (!code) {
        const struct reader reader = {
            .lua = sandbox.lua, .path = path, .campaign = campaign, .why = why, .size = size};

        code = take_all(&reader);
    }
    ft_sandbox_close(&sandbox);
    return code ? code : fill_in(campaign);
}

static void free_words(char **words)
{
    for (; *words; words++)
        free(*words);
}

void campaign_free(struct campaign *campaign)
{
    for (int i = 0; i < campaign->program_count; i++) {
        free(campaign->programs[i].name);
        free_words(campaign->programs[i].words);
    }
    for (int i = 0; i < campaign->protocol_count; i++) {
        free(campaign->protocols[i].name);
        free(campaign->protocols[i].called);
        free_words(campaign->protocols[i].options);
    }
    for (int i = 0; i < campaign->plan_count; i++) {
        free(campaign->plans[i].name);
        free(campaign->plans[i].text);
    }
    free_words(campaign->options);
    free(campaign->programs);
    free(campaign->protocols);
    free(campaign->plans);
    free(campaign->seeds);
    ft_ignore_free(&campaign->ignore);
}

int campaign_count(const struct campaign *campaign)
{
    return campaign->program_count * campaign->protocol_count * campaign->plan_count *
           campaign->seed_count;
}

/* Plans vary slowest but for seeds, so that an early part of a campaign shows all programs. */
struct campaign_run campaign_run_of(const struct campaign *campaign, int number)
{
    struct campaign_run run = {.number = number};
    int rest = number;

    run.program = rest % campaign->program_count;
    rest /= campaign->program_count;
    run.protocol = rest % campaign->protocol_count;
    rest /= campaign->protocol_count;
    run.plan = rest % campaign->plan_count;
    run.seed = rest / campaign->plan_count;
    return run;
}

char *campaign_key(const struct campaign *campaign, const struct campaign_run *run)
{
    const struct campaign_protocol *protocol = &campaign->protocols[run->protocol];
    char *key = NULL;

    if (protocol->called)
        return asprintf(&key, "%s/%s/%s/%ld", campaign->programs[run->program].name,
                        protocol->called, campaign->plans[run->plan].name,
                        campaign->seeds[run->seed]) < 0
                   ? NULL
                   : key;
    return asprintf(&key, "%s/%s-%d/%s/%ld", campaign->programs[run->program].name, protocol->name,
                    protocol->clusters, campaign->plans[run->plan].name,
                    campaign->seeds[run->seed]) < 0
               ? NULL
               : key;
}
