/* plan: the functions that a plan calls: fault.at, fault.after, fault.random, fault.replay. */
#include <lauxlib.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "calls/calls.h"
#include "faults/fields.h"
#include "sandbox/sandbox.h"

static struct ft_plan_reader *reader_of(lua_State *lua)
{
    return lua_touserdata(lua, lua_upvalueindex(1));
}

/* "plan.lua:3" */
static void name_place(lua_State *lua, char text[FT_FAULTS_TEXT])
{
    luaL_where(lua, 1);
    snprintf(text, FT_FAULTS_TEXT, "%s", lua_tostring(lua, -1));
    lua_pop(lua, 1);
    char *colon = strrchr(text, ':');
    if (colon)
        *colon = 0;
}

static void find_call(lua_State *lua, const char *name, struct ft_wire_fault *fault)
{
    static const char *words[FT_CALLS + 1];
    char whole[FT_WIRE_POINT];

    fault->point = FT_POINT_MPI;
    if (!strcmp(name, "any"))
        return;
    snprintf(whole, sizeof(whole), "MPI_%s", name);
    fault->call = ft_call_find(whole);
    if (fault->call)
        return;
    for (uint32_t i = 1; i < FT_CALLS; i++)
        words[i - 1] = ft_call_name(i) + strlen("MPI_");
    ft_plan_unknown(lua, "mpi", name, words);
}

static int is_of_program(const struct ft_plan_reader *reader, const char *name)
{
    for (size_t i = 0; i < reader->point_count; i++) {
        if (!strcmp(reader->points[i].name, name))
            return 1;
    }
    return 0;
}

/* The names of all points, in memory of Lua's, with NULL behind them. */
static const char *const *all_points(lua_State *lua, const struct ft_plan_reader *reader)
{
    size_t count = 0;
    const char **words =
        lua_newuserdatauv(lua, (FT_POINTS + reader->point_count + 1) * sizeof(*words), 0);

    for (int i = 0; i < FT_POINTS; i++) {
        if (i != FT_POINT_MPI && i != FT_POINT_PROGRAM)
            words[count++] = ft_points[i].name;
    }
    for (size_t i = 0; i < reader->point_count; i++)
        words[count++] = reader->points[i].name;
    words[count] = NULL;
    return words;
}

static void find_point(lua_State *lua, const struct ft_plan_reader *reader, const char *name,
                       struct ft_wire_fault *fault)
{
    if (!strncmp(name, "mpi:", 4)) {
        find_call(lua, name + 4, fault);
        return;
    }
    for (int i = 0; i < FT_POINTS; i++) {
        if (i != FT_POINT_MPI && i != FT_POINT_PROGRAM && !strcmp(ft_points[i].name, name)) {
            fault->point = (uint32_t)i;
            return;
        }
    }
    if (!is_of_program(reader, name) || strlen(name) >= FT_WIRE_POINT)
        ft_plan_unknown(lua, "point", name, all_points(lua, reader));
    fault->point = FT_POINT_PROGRAM;
    strcpy(fault->name, name);
}

static int fault_at(lua_State *lua)
{
    struct ft_plan_reader *reader = reader_of(lua);
    struct ft_plan_order order = {
        .fault = {.kind = FT_FAULT_KILL, .value = SIGKILL, .number = 1, .times = 1}};
    char text[FT_FAULTS_TEXT];

    find_point(lua, reader, luaL_checkstring(lua, 1), &order.fault);
    lua_settop(lua, 2);
    ft_plan_fields(lua, reader, 2, &order);
    name_place(lua, text);
    for (int rank = 0; rank < reader->job->ranks; rank++) {
        if (order.chosen[rank] && ft_faults_add(reader->faults, rank, 0, &order.fault, text,
                                                reader->why, sizeof(reader->why)))
            return luaL_error(lua, "%s", reader->why);
    }
    return 0;
}

static struct ft_fault_clock *add_clock(lua_State *lua)
{
    struct ft_fault_clock *clock = ft_faults_add_clock(reader_of(lua)->faults);

    if (!clock)
        luaL_error(lua, "at most %d faults at moments of time", FT_FAULTS_CLOCKS);
    name_place(lua, clock->text);
    return clock;
}

static int fault_after(lua_State *lua)
{
    double seconds = luaL_checknumber(lua, 1);
    struct ft_fault_clock *clock;

    if (!(seconds >= 0 && seconds < 1e9))
        return luaL_error(lua, "fault.after: expected seconds from 0 to 1e9, not %f", seconds);
    lua_settop(lua, 2);
    clock = add_clock(lua);
    clock->at = seconds;
    clock->together = 1;
    ft_plan_victims(lua, reader_of(lua), 2, clock);
    return 0;
}

static int fault_random(lua_State *lua)
{
    struct ft_fault_clock *clock;

    lua_settop(lua, 1);
    luaL_checktype(lua, 1, LUA_TTABLE);
    clock = add_clock(lua);
    clock->random = 1;
    clock->left = UINT32_MAX;
    ft_fault_clock_seed(clock, 0);
    int weibull = lua_getfield(lua, 1, "distribution") == LUA_TSTRING &&
                  !strcmp(lua_tostring(lua, -1), "weibull");
    lua_pop(lua, 1);
    ft_plan_victims(lua, reader_of(lua), 1, clock);
    if (weibull != (clock->shape > 0))
        return luaL_error(lua, weibull ? "shape: distribution = \"weibull\" needs it"
                                       : "shape: only distribution = \"weibull\" has one");
    if (!weibull)
        clock->shape = 1;
    clock->scale /= tgamma(1 + 1 / clock->shape);
    return 0;
}

static int fault_replay(lua_State *lua)
{
    struct ft_plan_reader *reader = reader_of(lua);
    const char *path = luaL_checkstring(lua, 1);
    char text[FT_FAULTS_TEXT];

    name_place(lua, text);
    if (ft_faults_replay(path, reader->job, text, reader->faults, reader->why, sizeof(reader->why)))
        return luaL_error(lua, "%s", reader->why);
    return 0;
}

static int cluster_of(lua_State *lua)
{
    const struct ft_fault_job *job = reader_of(lua)->job;
    lua_Integer rank = luaL_checkinteger(lua, 1);

    if (rank < 0 || rank >= job->ranks)
        return luaL_error(lua, "cluster_of: expected a rank from 0 to %d, not %I", job->ranks - 1,
                          rank);
    lua_pushinteger(lua, job->cluster[rank]);
    return 1;
}

static int open_functions(lua_State *lua)
{
    static const luaL_Reg functions[] = {{"at", fault_at},
                                         {"after", fault_after},
                                         {"random", fault_random},
                                         {"replay", fault_replay},
                                         {NULL, NULL}};
    struct ft_plan_reader *reader = lua_touserdata(lua, 1);

    lua_newtable(lua);
    lua_pushlightuserdata(lua, reader);
    luaL_setfuncs(lua, functions, 1);
    lua_setglobal(lua, "fault");
    lua_pushlightuserdata(lua, reader);
    lua_pushcclosure(lua, cluster_of, 1);
    lua_setglobal(lua, "cluster_of");
    lua_pushinteger(lua, reader->job->ranks);
    lua_setglobal(lua, "ranks");
    lua_pushinteger(lua, reader->job->clusters);
    lua_setglobal(lua, "clusters");
    return 0;
}

static int run(struct ft_sandbox *sandbox, const char *path, struct ft_plan_reader *reader,
               char *why, size_t size)
{
    lua_pushcfunction(sandbox->lua, open_functions);
    lua_pushlightuserdata(sandbox->lua, reader);
    if (lua_pcall(sandbox->lua, 1, 0, 0)) {
        snprintf(why, size, "%s: no memory", path);
        return -1;
    }
    return ft_sandbox_run(sandbox, path, why, size);
}

int ft_faults_read(const char *path, const struct ft_fault_job *job, struct ft_faults *faults,
                   char *why, size_t size)
{
    struct ft_plan_reader reader = {.job = job, .faults = faults};
    struct ft_sandbox sandbox;
    int code = ft_sandbox_open(&sandbox, path, why, size);

    if (!code && ft_faults_list(job->program, &reader.points, &reader.point_count)) {
        snprintf(why, size, "%s: its points cannot be read", job->program);
        code = -1;
    }
    if (!code)
        code = run(&sandbox, path, &reader, why, size);
    if (!code && faults->count + faults->clock_count == 0) {
        snprintf(why, size, "%s: the plan orders no fault", path);
        code = -1;
    }
    ft_sandbox_close(&sandbox);
    ft_faults_unlist(reader.points, reader.point_count);
    return code;
}
