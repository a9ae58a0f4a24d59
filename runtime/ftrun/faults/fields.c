/* fields: reads the tables of a plan. luaL_error puts file and line before each sentence. */
#include "faults/fields.h"

#include <lauxlib.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/sandbox.h"

_Noreturn void ft_plan_unknown(lua_State *lua, const char *what, const char *word,
                               const char *const *words)
{
    const char *near = ft_sandbox_nearest(word, words);

    if (near)
        luaL_error(lua, "%s: '%s' is not known; the nearest is '%s'", what, word, near);
    luaL_error(lua, "%s: '%s' is not known; see ft_faults(5)", what, word);
    abort();
}

/* The value on top of the stack, a whole number in a range. */
static lua_Integer whole(lua_State *lua, const char *field, lua_Integer least, lua_Integer most)
{
    int is = 0;
    lua_Integer value = lua_type(lua, -1) == LUA_TNUMBER ? lua_tointegerx(lua, -1, &is) : 0;

    if (!is || value < least || value > most)
        luaL_error(lua, "%s: expected a whole number from %I to %I, not %s", field, least, most,
                   luaL_tolstring(lua, -1, NULL));
    return value;
}

static double number(lua_State *lua, const char *field, double least, double most)
{
    double value = lua_type(lua, -1) == LUA_TNUMBER ? lua_tonumber(lua, -1) : NAN;

    if (!(value >= least && value <= most))
        luaL_error(lua, "%s: expected a number from %f to %f, not %s", field, least, most,
                   luaL_tolstring(lua, -1, NULL));
    return value;
}

/* The place in the list, which ends with NULL. */
static int word(lua_State *lua, const char *field, const char *const *words)
{
    const char *found = lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : NULL;

    if (!found)
        luaL_error(lua, "%s: expected a word in quotes, not %s", field,
                   luaL_tolstring(lua, -1, NULL));
    for (int i = 0; words[i]; i++) {
        if (!strcmp(words[i], found))
            return i;
    }
    ft_plan_unknown(lua, field, found, words);
}

static int take_signal(lua_State *lua)
{
    const char *found = lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : "";

    for (int i = 1; i < NSIG; i++) {
        const char *name = sigabbrev_np(i);

        if (name && !strcmp(name, strncmp(found, "SIG", 3) ? found : found + 3))
            return i;
    }
    return luaL_error(lua, "signal: expected the name of a signal, such as \"TERM\", not %s",
                      luaL_tolstring(lua, -1, NULL));
}

static void choose(uint8_t *chosen, lua_Integer rank)
{
    chosen[rank] = 1;
}

/* rank = 2, {0, 2}, or a function that answers for each rank. */
static void take_ranks(lua_State *lua, const struct ft_plan_reader *reader, uint8_t *chosen)
{
    int ranks = reader->job->ranks;

    if (lua_type(lua, -1) == LUA_TTABLE) {
        if (lua_rawlen(lua, -1) == 0)
            luaL_error(lua, "rank: the list is empty");
        for (lua_Unsigned i = 1; i <= lua_rawlen(lua, -1); i++) {
            lua_rawgeti(lua, -1, (lua_Integer)i);
            choose(chosen, whole(lua, "rank", 0, ranks - 1));
            lua_pop(lua, 1);
        }
    } else if (lua_type(lua, -1) == LUA_TFUNCTION) {
        for (int rank = 0; rank < ranks; rank++) {
            lua_pushvalue(lua, -1);
            lua_pushinteger(lua, rank);
            lua_call(lua, 1, 1);
            if (lua_toboolean(lua, -1))
                choose(chosen, rank);
            lua_pop(lua, 1);
        }
    } else {
        choose(chosen, whole(lua, "rank", 0, ranks - 1));
    }
}

static void take_cluster(lua_State *lua, const struct ft_plan_reader *reader, uint8_t *chosen)
{
    lua_Integer cluster = whole(lua, "cluster", 0, reader->job->clusters - 1);

    for (int rank = 0; rank < reader->job->ranks; rank++) {
        if (reader->job->cluster[rank] == cluster)
            choose(chosen, rank);
    }
}

static void take_node(lua_State *lua, const struct ft_plan_reader *reader, uint8_t *chosen)
{
    const char *node = lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : "";

    int found = 0;

    for (int rank = 0; rank < reader->job->ranks; rank++) {
        if (strcmp(node, reader->job->node[rank]) != 0)
            continue;
        choose(chosen, rank);
        found = 1;
    }
    if (!found)
        luaL_error(lua, "node: '%s' is no node of this job, whose first is '%s'", node,
                   reader->job->node[0]);
}

/* One field of rank, cluster, node. Answers 0 when it is another one. */
static int take_choice(lua_State *lua, const struct ft_plan_reader *reader, const char *field,
                       uint8_t *chosen)
{
    if (!strcmp(field, "rank"))
        take_ranks(lua, reader, chosen);
    else if (!strcmp(field, "cluster"))
        take_cluster(lua, reader, chosen);
    else if (!strcmp(field, "node"))
        take_node(lua, reader, chosen);
    else
        return 0;
    return 1;
}

/* tag1, tag2, tag3 of a point of the program; the one argument of a point of the runtime. -1:
 * neither. */
static int argument_of(const struct ft_wire_fault *fault, const char *field)
{
    const char *own = ft_points[fault->point].argument;

    if (fault->point == FT_POINT_PROGRAM && !strncmp(field, "tag", 3) && field[3] >= '1' &&
        field[3] <= '3' && !field[4])
        return field[3] - '1';
    return *own && !strcmp(field, own) ? 0 : -1;
}

static void unknown_field(lua_State *lua, const struct ft_wire_fault *fault, const char *field)
{
    static const char *const of_program[] = {"tag1", "tag2", "tag3"};
    const char *words[24] = {"rank",     "cluster",     "node",    "call",   "times",
                             "kind",     "status",      "signal",  "moment", "seconds",
                             "after_us", "instruction", "address", "bit"};
    int count = 14;

    for (int i = 0; fault->point == FT_POINT_PROGRAM && i < 3; i++)
        words[count++] = of_program[i];
    if (*ft_points[fault->point].argument)
        words[count++] = ft_points[fault->point].argument;
    ft_plan_unknown(lua, "field", field, words);
}

static void take_number_field(lua_State *lua, struct ft_wire_fault *fault, const char *field)
{
    const lua_Integer most = (lua_Integer)1 << 53;

    if (!strcmp(field, "call"))
        fault->number = (uint64_t)whole(lua, field, 1, most);
    else if (!strcmp(field, "times"))
        fault->times = (uint64_t)whole(lua, field, 1, 1000000);
    else if (!strcmp(field, "status"))
        fault->value = (int32_t)whole(lua, field, 0, 255);
    else if (!strcmp(field, "seconds"))
        fault->seconds = number(lua, field, 0, 86400);
    else if (!strcmp(field, "after_us"))
        fault->delay = (uint64_t)(number(lua, field, 0.001, 1e12) * 1e3);
    else if (!strcmp(field, "instruction"))
        fault->instruction = (uint64_t)whole(lua, field, 1, most);
    else if (!strcmp(field, "address"))
        fault->address = (uint64_t)whole(lua, field, 4096, INT64_MAX);
    else if (!strcmp(field, "bit"))
        fault->bit = (uint32_t)whole(lua, field, 0, 7);
    else
        unknown_field(lua, fault, field);
}

static void take_field(lua_State *lua, struct ft_plan_reader *reader, const char *field,
                       struct ft_plan_order *order)
{
    static const char *kinds[FT_FAULT_KINDS];
    static const char *const moments[] = {"before", "inside", "after", NULL};
    struct ft_wire_fault *fault = &order->fault;
    int argument = argument_of(fault, field);

    for (int i = 1; i < FT_FAULT_KINDS; i++)
        kinds[i - 1] = ft_fault_kinds[i];
    if (take_choice(lua, reader, field, order->chosen))
        order->named = 1;
    else if (argument >= 0) {
        fault->argument[argument] = whole(lua, field, INT64_MIN, INT64_MAX);
        fault->compared |= 1u << argument;
    } else if (!strcmp(field, "kind"))
        fault->kind = (uint32_t)word(lua, field, kinds) + 1;
    else if (!strcmp(field, "moment"))
        fault->moment = (uint32_t)word(lua, field, moments);
    else if (!strcmp(field, "signal"))
        fault->value = take_signal(lua);
    else
        take_number_field(lua, fault, field);
}

/* Does the table have the field? */
static int has(lua_State *lua, int table, const char *field)
{
    int has = lua_getfield(lua, table, field) != LUA_TNIL;

    lua_pop(lua, 1);
    return has;
}

static void need(lua_State *lua, int table, const char *field, int fits, const char *sentence)
{
    if (has(lua, table, field) && !fits)
        luaL_error(lua, "%s: %s", field, sentence);
}

/* Conditions between fields. */
static void check(lua_State *lua, int table, const struct ft_wire_fault *fault, int hosts)
{
    enum ft_fault_kind kind = (enum ft_fault_kind)fault->kind;
    int kills = kind == FT_FAULT_KILL, own = ft_points[fault->point].process;

    if (!ft_point_can((enum ft_point)fault->point, kind))
        luaL_error(lua, "kind: '%s' is not possible at %s", ft_fault_kinds[kind],
                   ft_points[fault->point].name);
    if (kind == FT_FAULT_NODE && (!hosts || own != FT_POINT_OF_RANK))
        luaL_error(lua, "kind: 'node' needs --hosts, and a point of a rank");
    if (kind == FT_FAULT_LINK && !hosts)
        luaL_error(lua, "kind: 'link' needs --hosts");
    need(lua, table, "moment", fault->point == FT_POINT_MPI, "only MPI calls have moments");
    need(lua, table, "signal", kills, "only kind = \"kill\" sends a signal");
    need(lua, table, "status", kind == FT_FAULT_EXIT || kind == FT_FAULT_EXIT_NOW,
         "only kind = \"exit\" and \"_exit\" have a status");
    need(lua, table, "seconds", kind == FT_FAULT_SLOW, "only kind = \"slow\" takes seconds");
    need(lua, table, "address", kind == FT_FAULT_FLIP, "only kind = \"flip\" has an address");
    need(lua, table, "bit", kind == FT_FAULT_FLIP, "only kind = \"flip\" has a bit");
    need(lua, table, "after_us", kills && own != FT_POINT_OF_FTRUN,
         "only kind = \"kill\" in a rank or writer waits");
    need(lua, table, "instruction", kills && own == FT_POINT_OF_RANK && !fault->delay,
         "only kind = \"kill\" in a rank, without after_us, counts instructions");
    if (kind == FT_FAULT_SLOW && !has(lua, table, "seconds"))
        luaL_error(lua, "seconds: kind = \"slow\" needs them");
    if (kind == FT_FAULT_FLIP && !has(lua, table, "address"))
        luaL_error(lua, "address: kind = \"flip\" needs it");
    if (fault->point <= FT_POINT_CALL && !has(lua, table, "call"))
        luaL_error(lua, "call: %s needs the number of a %s", ft_points[fault->point].name,
                   ft_points[fault->point].name);
}

void ft_plan_fields(lua_State *lua, struct ft_plan_reader *reader, int table,
                    struct ft_plan_order *order)
{
    size_t ranks = (size_t)reader->job->ranks;

    order->chosen = lua_newuserdatauv(lua, ranks, 0); /* stays on the stack */
    memset(order->chosen, 0, ranks);
    if (lua_isnoneornil(lua, table)) {
        lua_newtable(lua);
        lua_replace(lua, table);
    }
    luaL_checktype(lua, table, LUA_TTABLE);
    for (lua_pushnil(lua); lua_next(lua, table); lua_pop(lua, 1)) {
        if (lua_type(lua, -2) != LUA_TSTRING)
            luaL_error(lua, "a value without the name of a field");
        take_field(lua, reader, lua_tostring(lua, -2), order);
    }
    if (!order->named)
        memset(order->chosen, 1, ranks);
    if ((order->fault.kind == FT_FAULT_EXIT || order->fault.kind == FT_FAULT_EXIT_NOW) &&
        !has(lua, table, "status"))
        order->fault.value = 1;
    check(lua, table, &order->fault, reader->job->hosts);
}

static void take_random_field(lua_State *lua, const char *field, struct ft_fault_clock *clock,
                              uint8_t *chosen, struct ft_plan_reader *reader)
{
    static const char *const names[] = {"exponential", "weibull", NULL};
    static const char *const words[] = {"distribution", "shape", "mtbf",   "seed", "victims",
                                        "most",         "kind",  "signal", NULL};

    if (!strcmp(field, "distribution"))
        word(lua, field, names);
    else if (!strcmp(field, "shape"))
        clock->shape = number(lua, field, 0.1, 10);
    else if (!strcmp(field, "mtbf"))
        clock->scale = number(lua, field, 0.001, 1e9);
    else if (!strcmp(field, "most"))
        clock->left = (uint32_t)whole(lua, field, 1, 1000000);
    else if (!strcmp(field, "seed"))
        ft_fault_clock_seed(clock, (uint64_t)whole(lua, field, 0, (lua_Integer)1 << 47));
    else if (!strcmp(field, "victims") && lua_type(lua, -1) == LUA_TSTRING &&
             !strcmp(lua_tostring(lua, -1), "any"))
        memset(chosen, 1, (size_t)reader->job->ranks);
    else if (!strcmp(field, "victims"))
        take_ranks(lua, reader, chosen);
    else
        ft_plan_unknown(lua, "field", field, words);
}

static void take_clock_kind(lua_State *lua, struct ft_fault_clock *clock, int hosts)
{
    static const char *const words[] = {"kill", "hang", "link", NULL};
    static const uint32_t kinds[] = {FT_FAULT_KILL, FT_FAULT_HANG, FT_FAULT_LINK};

    clock->kind = kinds[word(lua, "kind", words)];
    if (clock->kind == FT_FAULT_LINK && !hosts)
        luaL_error(lua, "kind: 'link' needs --hosts");
}

static void keep_ranks(lua_State *lua, const struct ft_plan_reader *reader, const uint8_t *chosen,
                       struct ft_fault_clock *clock)
{
    clock->ranks = calloc((size_t)reader->job->ranks, sizeof(*clock->ranks));
    if (!clock->ranks)
        luaL_error(lua, "no memory");
    for (int i = 0; i < reader->job->ranks; i++) {
        if (chosen[i])
            clock->ranks[clock->count++] = i;
    }
    if (clock->count == 0)
        luaL_error(lua, "rank: nobody is chosen");
}

void ft_plan_victims(lua_State *lua, struct ft_plan_reader *reader, int table,
                     struct ft_fault_clock *clock)
{
    static const char *const words[] = {"rank", "cluster", "node", "kind", "signal", NULL};
    uint8_t *chosen = lua_newuserdatauv(lua, (size_t)reader->job->ranks, 0);
    int named = 0;

    memset(chosen, 0, (size_t)reader->job->ranks);
    luaL_checktype(lua, table, LUA_TTABLE);
    clock->kind = FT_FAULT_KILL;
    clock->signal = SIGKILL;
    for (lua_pushnil(lua); lua_next(lua, table); lua_pop(lua, 1)) {
        const char *field = lua_type(lua, -2) == LUA_TSTRING ? lua_tostring(lua, -2) : "";

        if (!strcmp(field, "kind"))
            take_clock_kind(lua, clock, reader->job->hosts);
        else if (!strcmp(field, "signal"))
            clock->signal = take_signal(lua);
        else if (clock->random)
            take_random_field(lua, field, clock, chosen, reader);
        else if (take_choice(lua, reader, field, chosen))
            named = 1;
        else
            ft_plan_unknown(lua, "field", field, words);
    }
    if (!clock->random && !named)
        luaL_error(lua, "rank: name a rank, cluster or node");
    if (clock->random && !has(lua, table, "victims"))
        memset(chosen, 1, (size_t)reader->job->ranks);
    if (clock->random && !has(lua, table, "mtbf"))
        luaL_error(lua, "mtbf: fault.random needs the mean time between failures, in seconds");
    if (clock->kind == FT_FAULT_HANG)
        clock->signal = SIGSTOP;
    if (reader->job->hosts && clock->signal != SIGKILL)
        luaL_error(lua, "kind: with --hosts only \"kill\" by SIGKILL and \"link\" are possible at "
                        "a moment of time");
    keep_ranks(lua, reader, chosen, clock);
}
