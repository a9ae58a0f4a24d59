/* Reads a job file: a chunk of Lua 5.4 that returns a table (job.h).
 *
 * A job file comes from a user, so it gets no functions but those for numbers, strings and tables,
 * a limited number of instructions and limited memory. Each field has one row in the table below:
 * its name, its unit, and what is expected. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "ftsim/job.h"
#include "sandbox/sandbox.h"

struct field {
    const char *name;
    size_t offset; /* of a double in struct sim_job */
    double unit;   /* the file's number times this is the job's */
    double least, most;
    bool whole;
};

#define AT(member) offsetof(struct sim_job, member)

static const struct field fields[] = {
    {"work_hours", AT(work), SIM_HOUR, 1e-6, 1e7, false},
    {"nodes", AT(nodes), 1, 1, 1e7, true},
    {"mtbf_years", AT(mtbf), SIM_YEAR, 1e-9, 1e6, false},
    {"sockets", AT(sockets), 1, 1, 1024, true},
    {"shape", AT(shape), 1, 0.1, 10, false},
    {"bytes_per_node", AT(bytes), 1, 0, 1e16, false},
    {"node_bandwidth", AT(node_bandwidth), 1, 1, 1e15, false},
    {"file_system_bandwidth", AT(shared_bandwidth), 1, 1, 1e18, false},
    {"read_bandwidth", AT(read_bandwidth), 1, 1, 1e18, false},
    {"restart_seconds", AT(restart), 1, 0, 1e7, false},
    {"reboot_chance", AT(reboot_chance), 1, 0, 1, false},
    {"reboot_seconds", AT(reboot), 1, 0, 1e7, false},
    {"repair_hours", AT(repair), SIM_HOUR, 0, 1e6, false},
    {"spares", AT(spares), 1, 0, 1, false},
    {"loggers", AT(loggers), 1, 0, 1, false},
    {"cluster_nodes", AT(cluster), 1, 1, 1e7, true},
    {"rework_speed", AT(rework), 1, 0.01, 100, false},
    {"shared_every", AT(local_every), 1, 1, 1e6, true},
    {"local_covers", AT(local_covers), 1, 0, 1, false},
    {"replicated", AT(degree), 1, 0, 1, false},
    {"log_growth", AT(log_growth), 1, 0, 1e12, false},
    {"takeover_seconds", AT(takeover), 1, 0, 1e7, false},
    {"recreate_seconds", AT(recreate), 1, 0, 1e9, false},
    {"pause_seconds", AT(pause), 1, 0, 1e7, false},
};

struct reader {
    lua_State *lua;
    const char *path;
    const char *text; /* of the file */
    struct sim_job *job;
    char *why;
    size_t size;
};

/* The line in which `field` is given a value, or 1: Lua keeps no lines of a table's fields. */
static int line_of(const struct reader *reader, const char *field)
{
    size_t length = strlen(field);
    int line = 1;

    for (const char *at = reader->text; *at; at++) {
        if (*at == '\n')
            line++;
        if (strncmp(at, field, length) == 0 && strchr(" \t\n=", at[length]) &&
            (at == reader->text || strchr(" \t\n,{;", at[-1])))
            return line;
    }
    return 1;
}

static int complain(const struct reader *reader, const char *field, const char *expected)
{
    snprintf(reader->why, reader->size, "%s:%d: %s: expected %s", reader->path,
             line_of(reader, field), field, expected);
    return -1;
}

static const struct field *field_find(const char *name)
{
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (!strcmp(fields[i].name, name))
            return &fields[i];
    }
    return NULL;
}

/* The value on top of the stack. */
static int take_number(const struct reader *reader, const struct field *field)
{
    char expected[128];
    double value = lua_type(reader->lua, -1) == LUA_TNUMBER ? lua_tonumber(reader->lua, -1) : NAN;

    if (!(value >= field->least && value <= field->most) ||
        (field->whole && value != floor(value))) {
        snprintf(expected, sizeof(expected), "a %snumber from %g to %g",
                 field->whole ? "whole " : "", field->least, field->most);
        return complain(reader, field->name, expected);
    }
    *(double *)((char *)reader->job + field->offset) = value * field->unit;
    return 0;
}

static int take_interval(const struct reader *reader)
{
    static const char *const names[] = {"daly", "young", "search"};
    static const enum sim_interval kinds[] = {SIM_DALY, SIM_YOUNG, SIM_SEARCH};
    const char *name =
        lua_type(reader->lua, -1) == LUA_TSTRING ? lua_tostring(reader->lua, -1) : "";

    for (int i = 0; i < 3; i++) {
        if (!strcmp(name, names[i])) {
            reader->job->interval = kinds[i];
            return 0;
        }
    }
    if (lua_type(reader->lua, -1) == LUA_TNUMBER && lua_tonumber(reader->lua, -1) > 0) {
        reader->job->interval = SIM_GIVEN;
        reader->job->seconds = lua_tonumber(reader->lua, -1);
        return 0;
    }
    return complain(reader, "interval",
                    "\"daly\", \"young\", \"search\" or seconds of work, more than 0");
}

static int take_distribution(const struct reader *reader)
{
    const char *name =
        lua_type(reader->lua, -1) == LUA_TSTRING ? lua_tostring(reader->lua, -1) : "";

    if (!strcmp(name, "exponential"))
        reader->job->distribution = SIM_EXPONENTIAL;
    else if (!strcmp(name, "weibull"))
        reader->job->distribution = SIM_WEIBULL;
    else
        return complain(reader, "distribution", "\"exponential\" or \"weibull\"");
    return 0;
}

static int take_level(const struct reader *reader)
{
    if (lua_type(reader->lua, -1) == LUA_TSTRING &&
        sim_level_find(lua_tostring(reader->lua, -1), &reader->job->level))
        return 0;
    return complain(reader, "level", "\"local\", \"partner\" or \"reed-solomon\"");
}

static int take_failures(const struct reader *reader)
{
    const char *path =
        lua_type(reader->lua, -1) == LUA_TSTRING ? lua_tostring(reader->lua, -1) : "";

    if (!*path || strlen(path) >= sizeof(reader->job->failures))
        return complain(reader, "failure_log", "the path of a file");
    strcpy(reader->job->failures, path);
    reader->job->distribution = SIM_RECORDED;
    return 0;
}

static int take_protections(const struct reader *reader)
{
    const char *expected =
        "a list of \"coordinated\", \"levels\", \"clusters\", \"clusters-levels\", \"combined\", "
        "\"replication\", \"replication-levels\"";
    bool *chosen = reader->job->protections;
    enum sim_protection protection;

    if (lua_type(reader->lua, -1) != LUA_TTABLE || lua_rawlen(reader->lua, -1) == 0)
        return complain(reader, "protections", expected);
    memset(chosen, 0, sizeof(reader->job->protections));
    for (lua_Unsigned i = 1; i <= lua_rawlen(reader->lua, -1); i++) {
        int type = lua_rawgeti(reader->lua, -1, (lua_Integer)i);
        bool known =
            type == LUA_TSTRING && sim_protection_find(lua_tostring(reader->lua, -1), &protection);

        lua_pop(reader->lua, 1);
        if (!known)
            return complain(reader, "protections", expected);
        chosen[protection] = true;
    }
    return 0;
}

/* overhead = {clusters = 0.02, ...} */
static int take_overhead(const struct reader *reader)
{
    const char *expected = "shares from 0 to 10 by protection, such as {clusters = 0.02}";

    if (lua_type(reader->lua, -1) != LUA_TTABLE)
        return complain(reader, "overhead", expected);
    for (lua_pushnil(reader->lua); lua_next(reader->lua, -2); lua_pop(reader->lua, 1)) {
        enum sim_protection protection;
        double share =
            lua_type(reader->lua, -1) == LUA_TNUMBER ? lua_tonumber(reader->lua, -1) : NAN;

        if (lua_type(reader->lua, -2) != LUA_TSTRING ||
            !sim_protection_find(lua_tostring(reader->lua, -2), &protection) ||
            !(share >= 0 && share <= 10))
            return complain(reader, "overhead", expected);
        reader->job->overhead[protection] = share;
    }
    return 0;
}

static int take_field(const struct reader *reader, const char *name)
{
    static const struct {
        const char *name;
        int (*take)(const struct reader *reader);
    } others[] = {{"interval", take_interval},
                  {"distribution", take_distribution},
                  {"level", take_level},
                  {"failure_log", take_failures},
                  {"protections", take_protections},
                  {"overhead", take_overhead}};
    const struct field *field = field_find(name);

    if (field)
        return take_number(reader, field);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (!strcmp(others[i].name, name))
            return others[i].take(reader);
    }
    snprintf(reader->why, reader->size, "%s:%d: %s: there is no such field; see ftsim(1)",
             reader->path, line_of(reader, name), name);
    return -1;
}

static int take_all(const struct reader *reader)
{
    if (lua_type(reader->lua, -1) != LUA_TTABLE) {
        snprintf(reader->why, reader->size, "%s:1: expected `return {field = value, ...}`",
                 reader->path);
        return -1;
    }
    for (lua_pushnil(reader->lua); lua_next(reader->lua, -2); lua_pop(reader->lua, 1)) {
        if (lua_type(reader->lua, -2) != LUA_TSTRING) {
            snprintf(reader->why, reader->size, "%s:1: a value without the name of a field",
                     reader->path);
            return -1;
        }
        if (take_field(reader, lua_tostring(reader->lua, -2)))
            return -1;
    }
    return 0;
}

/* Checks conditions between fields. */
static int check(const struct reader *reader)
{
    const struct sim_job *job = reader->job;

    if (job->cluster > job->nodes)
        return complain(reader, "cluster_nodes", "at most as many as nodes");
    if (job->failures[0] && job->distribution != SIM_RECORDED)
        return complain(reader, "distribution", "nothing beside failure_log");
    return 0;
}

int sim_job_read_file(const char *path, struct sim_job *job, char *why, size_t size)
{
    struct ft_sandbox sandbox;
    int code = ft_sandbox_open(&sandbox, path, why, size);

    if (!code)
        code = ft_sandbox_run(&sandbox, path, why, size);
    if (!code) {
        const struct reader reader = {.lua = sandbox.lua,
                                      .path = path,
                                      .text = sandbox.text,
                                      .job = job,
                                      .why = why,
                                      .size = size};

        code = take_all(&reader) || check(&reader) ? -1 : 0;
    }
    ft_sandbox_close(&sandbox);
    return code;
}
