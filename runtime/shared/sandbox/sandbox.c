/* sandbox: limits by an allocator and a hook of Lua. */
#include "sandbox/sandbox.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 4096, TEXT = 1 << 20, WORD = 64 };

/* Lua's allocator with a limit. */
static void *allocate(void *context, void *block, size_t old, size_t size)
{
    struct ft_sandbox *sandbox = context;
    size_t was = block ? old : 0;

    if (size == 0) {
        sandbox->left += was;
        free(block);
        return NULL;
    }
    if (size > was && size - was > sandbox->left)
        return NULL;
    void *moved = realloc(block, size);
    if (moved)
        sandbox->left = sandbox->left + was - size;
    return moved;
}

static void stop(lua_State *lua, lua_Debug *debug)
{
    lua_getinfo(lua, "Sl", debug);
    luaL_error(lua, "%s:%d: more than %d instructions", debug->short_src, debug->currentline,
               FT_SANDBOX_INSTRUCTIONS);
}

static void remove_functions(lua_State *lua, const char *table, const char *const *names)
{
    lua_getglobal(lua, table);
    for (; *names; names++) {
        lua_pushnil(lua);
        lua_setfield(lua, -2, *names);
    }
    lua_pop(lua, 1);
}

static int open_libraries(lua_State *lua)
{
    static const char *const base[] = {"dofile",       "loadfile",       "load",   "require",
                                       "print",        "collectgarbage", "pcall",  "xpcall",
                                       "setmetatable", "getmetatable",   "rawset", NULL};
    static const char *const string[] = {"find", "match", "gmatch", "gsub", "rep", "dump", NULL};
    static const char *const table[] = {"move", NULL};

    luaL_requiref(lua, "_G", luaopen_base, 1);
    luaL_requiref(lua, "math", luaopen_math, 1);
    luaL_requiref(lua, "string", luaopen_string, 1);
    luaL_requiref(lua, "table", luaopen_table, 1);
    remove_functions(lua, "_G", base);
    remove_functions(lua, "string", string);
    remove_functions(lua, "table", table);
    lua_getglobal(lua, "math");
    lua_getfield(lua, -1, "randomseed");
    lua_pushinteger(lua, 1);
    lua_call(lua, 1, 0);
    lua_settop(lua, 0);
    return 0;
}

static int read_text(struct ft_sandbox *sandbox, const char *path, char *why, size_t size)
{
    FILE *file = fopen(path, "re");

    sandbox->text = file ? malloc(TEXT + 1) : NULL;
    if (!sandbox->text) {
        snprintf(why, size, "%s: %m", path);
        if (file)
            fclose(file);
        return -1;
    }
    sandbox->length = fread(sandbox->text, 1, TEXT, file);
    sandbox->text[sandbox->length] = 0;
    bool failed = ferror(file) || sandbox->length == TEXT;
    fclose(file);
    if (failed)
        snprintf(why, size, "%s: cannot be read, or is larger than %d bytes", path, TEXT);
    return failed ? -1 : 0;
}

int ft_sandbox_open(struct ft_sandbox *sandbox, const char *path, char *why, size_t size)
{
    *sandbox = (struct ft_sandbox){.left = FT_SANDBOX_MEMORY};
    if (read_text(sandbox, path, why, size))
        return -1;
    sandbox->lua = lua_newstate(allocate, sandbox);
    if (sandbox->lua) {
        lua_pushcfunction(sandbox->lua, open_libraries);
        if (!lua_pcall(sandbox->lua, 0, 0, 0)) {
            lua_sethook(sandbox->lua, stop, LUA_MASKCOUNT, FT_SANDBOX_INSTRUCTIONS);
            return 0;
        }
    }
    snprintf(why, size, "%s: no memory", path);
    return -1;
}

int ft_sandbox_run(struct ft_sandbox *sandbox, const char *path, char *why, size_t size)
{
    lua_State *lua = sandbox->lua;
    const char *name = strlen(path) < LUA_IDSIZE - 2 ? path : basename(path); /* Lua cuts it */
    char chunk[PATH + 1];

    snprintf(chunk, sizeof(chunk), "@%s", name);
    if (!luaL_loadbufferx(lua, sandbox->text, sandbox->length, chunk, "t") &&
        !lua_pcall(lua, 0, 1, 0))
        return 0;
    const char *message = lua_tostring(lua, -1);
    bool placed = message && (!strncmp(message, name, strlen(name)));

    snprintf(why, size, "%s%s%s", placed ? "" : path, placed ? "" : ": ",
             message ? message : "an error without a message");
    return -1;
}

void ft_sandbox_close(struct ft_sandbox *sandbox)
{
    if (sandbox->lua)
        lua_close(sandbox->lua);
    free(sandbox->text);
}

/* Levenshtein's distance of two words, the longer of which has less than WORD letters. */
static size_t distance(const char *one, const char *other)
{
    size_t row[WORD + 1], length = strlen(other);

    for (size_t k = 0; k <= length; k++)
        row[k] = k;
    for (size_t i = 1; one[i - 1]; i++) {
        size_t corner = row[0];

        row[0] = i;
        for (size_t k = 1; k <= length; k++) {
            size_t change = corner + (one[i - 1] != other[k - 1]), least = row[k] + 1;

            corner = row[k];
            if (row[k - 1] + 1 < least)
                least = row[k - 1] + 1;
            row[k] = change < least ? change : least;
        }
    }
    return row[length];
}

const char *ft_sandbox_nearest(const char *word, const char *const *words)
{
    const char *nearest = NULL;
    size_t least = strlen(word) / 2 + 1;

    if (strlen(word) >= WORD)
        return NULL;
    for (; *words; words++) {
        size_t found = strlen(*words) < WORD ? distance(word, *words) : WORD;

        if (found < least) {
            least = found;
            nearest = *words;
        }
    }
    return nearest;
}
