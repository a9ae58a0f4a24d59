-- program: composes a program from a choice of site, store, carriers and sinks, and says of each of
-- its sites which class it has, by construction.
--
-- The program: in each round each worker sends its messages to rank 0; rank 0 takes them (site), keeps
-- something of them (store), hands that on (carriers) and sends (sink, behind the loop; inner, inside
-- of it). So what a site's outcome can be seen in is known:
--
--     what v tells behind the loop   the store's `keeps`; "order" where other messages can be taken in
--                                    place of these; "set" where a carrier makes it of nothing
--     what the sends tell            nothing of a "set"; of an "order" what the sink `reveals`
--     class                          the worst of both sinks: content non-deterministic, channels
--                                    channel-deterministic, nothing send-deterministic
local program = {}
local folder = arg[0]:match("(.*)/") or "."

local function table_load(name)
    local list = dofile(folder .. "/" .. name .. ".lua")
    for _, entry in ipairs(list) do
        list[entry.name] = entry
    end
    return list
end

local sites, stores, carriers, sinks = table_load("sites"), table_load("stores"), table_load("carriers"),
    table_load("sinks")
local inners = table_load("inners")
program.tables = {site = sites, store = stores, carrier = carriers, sink = sinks, inner = inners}

-- ---- Truth ----

program.rank = {["deterministic"] = 1, ["send-deterministic"] = 2, ["channel-deterministic"] = 3,
    ["non-deterministic"] = 4, ["unknown"] = 4}
local class_of = {nothing = "send-deterministic", channels = "channel-deterministic",
    content = "non-deterministic"}

local function worse(a, b)
    return program.rank[a] >= program.rank[b] and a or b
end

-- What v tells behind the loop.
local function kept_behind(choice, mixed)
    local store = stores[choice.store]
    local keeps = store.keeps
    if mixed and not store.counts then
        keeps = "order"
    end
    for _, name in ipairs(choice.carriers) do
        if carriers[name].effect == "nothing" then
            keeps = "set"
        end
    end
    return keeps
end

local function behind_class(choice, mixed)
    return kept_behind(choice, mixed) == "set" and "send-deterministic" or class_of[sinks[choice.sink].reveals]
end

local function inner_class(choice)
    local inner = inners[choice.inner]
    return class_of[stores[choice.store].counts and inner.counted or inner.reveals]
end

-- May a worker's message of the next round come before rank 0 is done with this one?
function program.rounds_mix(choice)
    return choice.rounds > 1 and choice.apart == "nothing" and not sinks[choice.sink].answers and
        not sites[choice.site].named
end

-- The class of the calls of `choice` that leave "source", "index" or "flag" open. `mixed`: as it is where
-- rounds mix.
function program.truth(choice, open, mixed)
    local class = worse(behind_class(choice, mixed), inner_class(choice))
    if open ~= "source" and class == "send-deterministic" then
        return "deterministic"
    end
    return class
end

-- ---- Text ----

-- The places of $name in `text` filled from `values`; several lines keep the indentation of the place.
local function fill(text, values)
    return (text:gsub("%$(%l+)", function(name)
        return values[name] or error("no value for $" .. name .. " in: " .. text)
    end))
end

-- The state of a store: `@name` as C text, its declarations, and what clears it at the begin of a round.
local function fields_text(store)
    local lines = {}
    for _, field in ipairs(store.fields) do
        lines[#lines + 1] = ("%s %s%s;"):format(field[1], field[2], field[3])
    end
    return table.concat(lines, "\n")
end

local function fields_named(store, text, form)
    return (text:gsub("@(%l[%l_]*)", function(name)
        return (form:gsub("NAME", name))
    end))
end

local accesses = {
    ["local"] = {form = "pNAME", own = true},
    ["static"] = {form = "pNAME", own = true, words = "static "},
    ["global"] = {form = "pNAME", own = true, file = true},
    ["struct"] = {form = "pstate.NAME", state = "struct pstore pstate;", clear = "memset(&pstate, 0, sizeof pstate);",
        pointer = "&pstate"},
    ["shared"] = {form = "pstate.NAME", state = "struct pstore pstate;", clear = "memset(&pstate, 0, sizeof pstate);",
        pointer = "&pstate", file = true},
    ["heap"] = {form = "pstate->NAME", state = "struct pstore *pstate = calloc(1, sizeof *pstate);",
        clear = "", pointer = "pstate", free = "free(pstate);"},
}
program.accesses = {"local", "static", "global", "struct", "shared", "heap"}
program.calls = {"inline", "function", "pointer", "operations", "void"}

-- The parts of a program: units[1] is the file with main, the header is included by all.
local function parts_new()
    return {header = {}, units = {{}, {}, {}}}
end

local function add(list, text)
    if text and text ~= "" then
        list[#list + 1] = text
    end
end

-- Adds a function to a unit and its prototype to the header.
local function function_add(parts, unit, head, body)
    add(parts.header, head .. ";")
    add(parts.units[unit], head .. "\n{\n" .. body .. "\n}\n")
end

-- Everything about the store of one site, named with the prefix `p`.
local function store_emit(parts, choice, p)
    local store, access = stores[choice.store], accesses[choice.access]
    local call = access.pointer and choice.call or "inline"
    local function named(text)
        return (fields_named(store, text, (access.form:gsub("^p", p))):gsub("%$p", p))
    end
    local function inside(text)
        return (fields_named(store, text, "s->NAME"):gsub("%$p", p))
    end
    local out = {locals = {}, clear = {}, free = access.free and access.free:gsub("p(state)", p .. "%1"),
        finish = named(store.finish or ""), read = named(store.read)}
    if store.support then
        add(parts.units[1], (store.support:gsub("%$p", p)))
    end
    if access.own then
        for _, field in ipairs(store.fields) do
            local name = p .. field[2]
            local text = ("%s %s%s;"):format(field[1], name, field[3])
            if access.file then
                add(parts.header, "extern " .. text)
                add(parts.units[2], text)
            else
                add(out.locals, (access.words or "") .. text)
            end
            add(out.clear, ("memset(&%s, 0, sizeof %s);"):format(name, name))
        end
    else
        local state = access.state:gsub("p(store)", p .. "%1"):gsub("p(state)", p .. "%1")
        add(parts.header, ("struct %sstore {\n%s\n};"):format(p, fields_text(store)))
        if access.file then
            add(parts.header, "extern " .. state)
            add(parts.units[2], state)
        else
            add(out.locals, state)
        end
        add(out.clear, (access.clear:gsub("p(state)", p .. "%1")))
    end
    if call == "inline" then
        out.take = named(store.take)
        return out
    end
    local pointer = access.pointer:gsub("p(state)", p .. "%1")
    local kind = call == "void" and "void *given" or ("struct %sstore *s"):format(p)
    local first = call == "void" and ("struct %sstore *s = given;\n"):format(p) or ""
    local unit = store.support and 1 or 2
    function_add(parts, unit, ("void %stake(%s, const struct item *message, int from)"):format(p, kind),
        first .. "struct item item = *message;\n(void)from;\n(void)item;\n" .. inside(store.take))
    function_add(parts, unit, ("int %sread(%s)"):format(p, kind), first .. "return " .. inside(store.read) .. ";")
    local take = p .. "take"
    if call == "pointer" then
        add(out.locals, ("void (*%sfunction)(struct %sstore *, const struct item *, int) = %stake;"):format(p, p, p))
        take = p .. "function"
    elseif call == "operations" then
        add(parts.header, ("struct %soperations {\nvoid (*take)(struct %sstore *, const struct item *, int);\n" ..
            "int (*read)(struct %sstore *);\n};\nextern const struct %soperations %soperations;"):format(p, p, p, p, p))
        add(parts.units[2], ("const struct %soperations %soperations = {%stake, %sread};"):format(p, p, p, p))
        take = p .. "operations.take"
    end
    out.take = ("%s(%s, &item, from);"):format(take, pointer)
    out.read = ("%s(%s)"):format(call == "operations" and p .. "operations.read" or p .. "read", pointer)
    return out
end

-- The chain of carriers from `v` on: statements.
local function carriers_emit(parts, choice, p)
    local lines = {}
    for number, name in ipairs(choice.carriers) do
        local carrier = carriers[name]
        local q = p .. "c" .. number .. "_"
        local function named(text)
            return (text:gsub("%$p", q))
        end
        add(parts.header, carrier.header and named(carrier.header))
        add(parts.units[carrier.unit or 2], carrier.support and named(carrier.support))
        add(parts.units[3], carrier.other and named(carrier.other))
        if carrier.code ~= "" then
            add(lines, "{\n" .. named(carrier.code) .. "\n}")
        end
    end
    return table.concat(lines, "\n")
end

local head = [[
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = $rounds, TAG = 7, ANSWER = 8, SECOND = 9 };

struct item {
    int source, key, value, group;
    double real;
};
]]

local worker_head = [[
static const double reals[] = {0, 1e16, 1, -1e16};
struct item item = {rank, (rank + 1) % 3 + 1, 3 * rank + 1, rank & 1, reals[rank & 3]};
int answer[64] = {0};
]]

local function mark(open, class)
    return ("/* truth (%s): %s */"):format(open, class)
end

-- rank 0's part: statements.
local function collector_emit(parts, choice)
    local site, sink, inner = sites[choice.site], sinks[choice.sink], inners[choice.inner]
    local store = store_emit(parts, choice, "a_")
    local lines = {}
    local take = store.take
    if inner.collector ~= "" then
        take = take .. "\n{\n" .. fill(inner.collector, {read = store.read}) .. "\n}"
    end
    add(lines, "struct item item;\nMPI_Status status;\nint from, v;")
    add(lines, site.locals)
    for _, text in ipairs(store.locals) do
        add(lines, text)
    end
    for _, text in ipairs(store.clear) do
        add(lines, text)
    end
    local marks = {take = take}
    for _, open in ipairs({"source", "index", "flag"}) do
        marks[open] = mark(open, program.truth(choice, open, false))
    end
    add(lines, fill(site.code, marks))
    add(lines, store.finish)
    add(lines, "v = " .. store.read .. ";")
    add(lines, carriers_emit(parts, choice, "a_"))
    add(lines, sink.collector)
    add(lines, store.free)
    add(lines, "(void)from;\n(void)status;")
    return table.concat(lines, "\n")
end

local function worker_emit(choice)
    local site, sink, inner = sites[choice.site], sinks[choice.sink], inners[choice.inner]
    return worker_head .. (site.worker or "MPI_Send(&item, sizeof item, MPI_BYTE, 0, TAG, comm);") .. "\n" ..
        inner.worker .. "\n" .. sink.worker .. "\n(void)answer;"
end

local separations = {
    nothing = "",
    barrier = "MPI_Barrier(comm);",
    allreduce = "{\nint one = 1, all;\nMPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm);\n}",
}
program.separations = {"nothing", "barrier", "allreduce"}

local function main_emit(parts, choice)
    local collector, worker = collector_emit(parts, choice), worker_emit(choice)
    local both
    if choice.body == "function" then
        function_add(parts, 2, "void collect(MPI_Comm comm, int count, int workers)", collector .. "\n(void)count;\n(void)workers;")
        function_add(parts, 3, "void work(MPI_Comm comm, int rank)", worker)
        both = "if (rank == 0)\ncollect(comm, workers, workers);\nelse\nwork(comm, rank);"
    else
        both = "if (rank == 0) {\n" .. collector .. "\n} else {\n" .. worker .. "\n}"
    end
    add(parts.units[1], fill([[
int main(int argc, char **argv)
{
int rank, size;
MPI_Init(&argc, &argv);
MPI_Comm_rank(MPI_COMM_WORLD, &rank);
MPI_Comm_size(MPI_COMM_WORLD, &size);
MPI_Comm comm = MPI_COMM_WORLD;
int workers = size - 1, count = workers;
(void)count;
for (int round = 0; round < ROUNDS; round++) {
$both
$apart
}
MPI_Finalize();
return 0;
}
]], {both = both, apart = separations[choice.apart]}))
end

-- Indents by braces, and one level behind a condition that has none.
local function pretty(text)
    local lines, depth, extra = {}, 0, 0
    for line in text:gmatch("[^\n]*") do
        line = line:match("^%s*(.-)%s*$")
        local code = line:gsub("/%*.-%*/", ""):gsub('"[^"]*"', ""):gsub("'[^']*'", ""):gsub("%s+$", "")
        local opens, closes = select(2, code:gsub("{", "")), select(2, code:gsub("}", ""))
        local first = code:match("^}") and 1 or 0
        local level = depth - first + extra
        if line ~= "" then
            lines[#lines + 1] = ("    "):rep(math.max(level, 0)) .. line
        end
        depth = depth + opens - closes
        local bare = (code:match("^if .*%)$") or code:match("^for .*%)$") or code:match("^while .*%)$") or
            code:match("^else$") or code:match("^else if .*%)$") or code:match("^} else$"))
        extra = bare and extra + 1 or 0
        if depth == 0 and code == "}" then
            lines[#lines + 1] = ""
        end
    end
    return table.concat(lines, "\n") .. "\n"
end

-- The files of a program: name to text, in order, for one file or several.
function program.files(choice, name, split)
    local parts = parts_new()
    main_emit(parts, choice)
    local header = fill(head, {rounds = tostring(choice.rounds)}) .. table.concat(parts.header, "\n") .. "\n"
    local title = "/* " .. program.spell(choice) .. " */\n"
    local main, second, third = table.concat(parts.units[1], "\n"), table.concat(parts.units[2], "\n"),
        table.concat(parts.units[3], "\n")
    if not split then
        return {{"whole.c", title .. pretty(header .. second .. "\n" .. third .. "\n" .. main)}}
    end
    local include = ('#include "%s.parts.h"\n'):format(name)
    local files = {{"parts.h", title .. pretty(header)}, {"main.c", pretty(include .. main)}}
    for number, text in ipairs({second, third}) do
        if text ~= "" then
            files[#files + 1] = {("part%d.c"):format(number), pretty(include .. text)}
        end
    end
    return files
end

-- ---- Choices as words: "site=recv store=sum ..." ----

local keys = {"site", "store", "access", "call", "via", "sink", "inner", "rounds", "apart", "body"}
program.simplest = {site = "recv", store = "last", access = "local", call = "inline", carriers = {}, sink = "nothing",
    inner = "nothing", rounds = 1, apart = "barrier", body = "inline"}

function program.spell(choice)
    local words = {}
    for _, key in ipairs(keys) do
        local value = key == "via" and (#choice.carriers > 0 and table.concat(choice.carriers, ",") or "none") or
            choice[key]
        words[#words + 1] = key .. "=" .. tostring(value)
    end
    return table.concat(words, " ")
end

function program.parse(text)
    local choice = {}
    for key, value in pairs(program.simplest) do
        choice[key] = value
    end
    for key, value in text:gmatch("([%l]+)=(%S+)") do
        if key == "via" then
            choice.carriers = {}
            for name in value:gmatch("[^,]+") do
                if name ~= "none" then
                    table.insert(choice.carriers, name)
                end
            end
        else
            choice[key] = key == "rounds" and tonumber(value) or value
        end
    end
    return choice
end

-- Names of the entries of a table.
local function names(list)
    local result = {}
    for _, entry in ipairs(list) do
        result[#result + 1] = entry.name
    end
    return result
end

function program.draw(random)
    local choice = {carriers = {}}
    choice.site = random:one_of(names(sites))
    choice.store = random:one_of(names(stores))
    choice.access = random:one_of(program.accesses)
    choice.call = random:one_of(program.calls)
    for _ = 1, random:below(3) do
        table.insert(choice.carriers, random:one_of(names(carriers)))
    end
    choice.sink = random:one_of(names(sinks))
    choice.inner = random:below(3) > 0 and "nothing" or random:one_of(names(inners))
    choice.rounds = random:below(3) > 0 and 1 or 3
    choice.apart = random:one_of(program.separations)
    choice.body = random:one_of({"inline", "function"})
    return choice
end

return program
