-- program: composes a program from a choice of sites, stores, carriers and sinks, and says of each of its
-- sites which class it has, by construction.
--
-- In each round each worker sends its message to rank 0; rank 0 takes them (site), keeps something of them
-- (store), hands that on as an int v (carriers) and sends (sink, behind the loop; inner, inside of it). So
-- it is known in what a site's outcome can be seen:
--
--     what v tells behind the loop   the store's `keeps`; "order" where other messages can be taken in
--                                    place of these; "set" where a carrier makes v of nothing
--     what the sends tell            nothing of a "set"; of an "order" what the sink `reveals`
--     class                          the worst of sink and inner: "content" is non-deterministic,
--                                    "channels" channel-deterministic, "nothing" send-deterministic
--
-- There may be a second site, B, behind the first one, A, with a store and a sink of its own; each worker
-- sends a message for each of them before it waits for anything. By `second`:
--
--     competes     the same tag and communicator: A may take a message that is meant for B, so A is as bad
--                  as both sinks with an "order". B takes what A has left, all of it: once A's outcome is
--                  known, B is no worse than alone.
--     late, late_word   the same, with a barrier, or a broadcast by rank 0, between A and B, behind both sends
--     other_tag, other_comm   each takes its own messages only
--     barrier, word   likewise: a barrier, or a broadcast by rank 0, lies between A and B and between the sends
local program = {}
local folder = arg[0]:match("(.*)/") or "."

local function table_load(name)
    local list = dofile(folder .. "/" .. name .. ".lua")
    for _, entry in ipairs(list) do
        list[entry.name] = entry
    end
    return list
end

local sites, stores, carriers, sinks, inners = table_load("sites"), table_load("stores"), table_load("carriers"),
    table_load("sinks"), table_load("inners")
local libraries = dofile(folder .. "/libraries.lua")
program.left_out = dofile(folder .. "/left_out.lua")

-- ---- Truth ----

program.rank = {["deterministic"] = 1, ["send-deterministic"] = 2, ["channel-deterministic"] = 3,
    ["non-deterministic"] = 4, ["unknown"] = 4}
local class_of = {nothing = "send-deterministic", channels = "channel-deterministic",
    content = "non-deterministic"}

local function worse(a, b)
    return program.rank[a] >= program.rank[b] and a or b
end

-- The kinds of v after the loop. `mixed`: other messages may be taken in place of these.
local function kept_behind(store, through, mixed)
    local keeps = store.keeps
    if mixed and not store.counts then
        keeps = "order"
    end
    for _, name in ipairs(through) do
        if carriers[name].effect == "nothing" then
            keeps = "set"
        end
    end
    return keeps
end

local function behind_class(store, through, sink, mixed)
    return class_of[kept_behind(store, through, mixed) == "set" and "nothing" or sink.reveals]
end

local function inner_class(choice)
    local inner = inners[choice.inner]
    return class_of[stores[choice.store].counts and inner.counted or inner.reveals]
end

-- May a worker's message of the next round come before rank 0 is done with this one?
function program.rounds_mix(choice)
    local answers = sinks[choice.sink].answers or (choice.second ~= "none" and sinks[choice.sink2].answers)
    return choice.rounds > 1 and choice.apart == "nothing" and not answers
end

local competing = {competes = true, late = true, late_word = true}

local function competes(choice)
    return competing[choice.second] and not sites[choice.site].named
end

-- The class of the calls of site `letter` (A or B) that leave `open` ("source", "index", "flag") open.
-- `mixed`: as it is where rounds mix. Rounds mix, and sites compete, by their sources. Once the sources are
-- written down, an index or a flag is about the same messages.
function program.truth(choice, letter, open, mixed)
    if open == "waiting" then
        return "deterministic"
    end
    local class
    local shares = open == "source" and competes(choice)
    mixed = mixed and open == "source"
    if letter == "a" then
        local rounds = mixed and not sites[choice.site].named
        class = worse(behind_class(stores[choice.store], choice.carriers, sinks[choice.sink], rounds or shares),
            inner_class(choice))
        if shares then
            class = worse(class, behind_class(stores[choice.store2], {}, sinks[choice.sink2], true))
        end
    else
        class = behind_class(stores[choice.store2], {}, sinks[choice.sink2], mixed and not sites[choice.site2].named)
    end
    if open ~= "source" and class == "send-deterministic" then
        return "deterministic"
    end
    return class
end

-- ---- Text ----

-- Fills in the places of $name from `values`.
local function fill(text, values)
    return (text:gsub("%$(%l+)", function(name)
        return values[name]
    end))
end

-- $p becomes the prefix that makes names the program's own.
local function prefixed(text, p)
    return text and (text:gsub("%$p", p))
end

-- @field becomes `form` with the field's name for NAME.
local function fields_named(text, form)
    return (text:gsub("@(%l[%l_]*)", function(name)
        return (form:gsub("NAME", name))
    end))
end

local function add(list, text)
    if text and text ~= "" then
        list[#list + 1] = text
    end
end

-- The parts of a program: units[1] is the file with main; all include the header.
local function parts_new()
    return {header = {}, units = {{}, {}, {}}, libraries = {}}
end

-- Adds a function to a unit, and its prototype to the header.
local function function_add(parts, unit, head, body)
    add(parts.header, head .. ";")
    add(parts.units[unit], head .. "\n{\n" .. body .. "\n}\n")
end

local function library_add(parts, name)
    if name and not parts.libraries[name] then
        parts.libraries[name] = true
        add(parts.header, libraries[name].header)
        add(parts.units[3], libraries[name].text)
    end
end

-- ---- Stores ----

-- Where the state of a store is. `own`: each field is a variable; else it is a struct.
local accesses = {
    ["local"] = {form = "$pNAME", own = true},
    ["static"] = {form = "$pNAME", own = true, words = "static "},
    ["global"] = {form = "$pNAME", own = true, file = true},
    ["struct"] = {form = "$pstate.NAME", state = "struct $pstore $pstate;", pointer = "&$pstate",
        clear = "memset(&$pstate, 0, sizeof $pstate);"},
    ["shared"] = {form = "$pstate.NAME", state = "struct $pstore $pstate;", pointer = "&$pstate", file = true,
        clear = "memset(&$pstate, 0, sizeof $pstate);"},
    ["heap"] = {form = "$pstate->NAME", state = "struct $pstore *$pstate = calloc(1, sizeof *$pstate);", pointer = "$pstate",
        free = "free($pstate);"},
}
program.accesses = {"local", "static", "global", "struct", "shared", "heap"}
program.calls = {"inline", "function", "pointer", "operations", "void"}

-- Declares a variable where the access says.
local function variable_add(parts, access, out, text)
    if access.file then
        add(parts.header, "extern " .. text)
        add(parts.units[2], text)
    else
        add(out.locals, (access.words or "") .. text)
    end
end

local function state_emit(parts, store, access, out, p)
    if access.own then
        for _, field in ipairs(store.fields) do
            local kind, name = prefixed(field[1], p), p .. field[2]
            variable_add(parts, access, out, ("%s %s%s;"):format(kind, name, field[3]))
            add(out.clear, ("memset(&%s, 0, sizeof %s);"):format(name, name))
        end
        return
    end
    local lines = {}
    for _, field in ipairs(store.fields) do
        add(lines, ("%s %s%s;"):format(prefixed(field[1], p), field[2], field[3]))
    end
    add(parts.header, ("struct %sstore {\n%s\n};"):format(p, table.concat(lines, "\n")))
    variable_add(parts, access, out, prefixed(access.state, p))
    add(out.clear, prefixed(access.clear, p))
end

-- The code that keeps a message and the code that reads the state become functions; `call` says how these are called.
local function functions_emit(parts, store, access, call, out, p)
    local kind = call == "void" and "void *given" or prefixed("struct $pstore *s", p)
    local first = call == "void" and prefixed("struct $pstore *s = given;\n", p) or ""
    local function inside(text)
        return prefixed(fields_named(text, "s->NAME"), p)
    end
    local pointer = prefixed(access.pointer, p)
    local take, read = p .. "take", p .. "read"
    function_add(parts, 2, ("void %s(%s, const struct item *message, int from)"):format(take, kind),
        first .. "struct item item = *message;\n(void)from;\n(void)item;\n" .. inside(store.take))
    function_add(parts, 2, ("int %s(%s)"):format(read, kind), first .. "return " .. inside(store.read) .. ";")
    if call == "pointer" then
        add(out.locals, prefixed("void (*$pfunction)(struct $pstore *, const struct item *, int) = $ptake;", p))
        take = p .. "function"
    elseif call == "operations" then
        add(parts.header, prefixed("struct $poperations {\nvoid (*take)(struct $pstore *, const struct item *, int);\n" ..
            "int (*read)(struct $pstore *);\n};\nextern const struct $poperations $poperations;", p))
        add(parts.units[2], prefixed("const struct $poperations $poperations = {$ptake, $pread};", p))
        take, read = p .. "operations.take", p .. "operations.read"
    end
    out.take = ("%s(%s, &item, from);"):format(take, pointer)
    out.read = ("%s(%s)"):format(read, pointer)
end

-- Everything about the store of one site: locals, clear, take, finish, read, free.
local function store_emit(parts, store, access, call, p)
    access = accesses[access]
    local function named(text)
        return prefixed(fields_named(text, access.form), p)
    end
    local take = named(store.take)
    if take:find("\n") then
        take = "{\n" .. take .. "\n}"
    end
    local out = {locals = {}, clear = {}, take = take, read = named(store.read), finish = named(store.finish or ""),
        free = prefixed(access.free, p)}
    library_add(parts, store.library)
    add(parts.header, prefixed(store.support_header, p))
    add(parts.units[3], prefixed(store.support, p))
    state_emit(parts, store, access, out, p)
    if access.pointer and call ~= "inline" then
        functions_emit(parts, store, access, call, out, p)
    end
    return out
end

-- ---- Carriers ----

local function support_add(parts, entry, p)
    add(parts.header, prefixed(entry.header, p))
    add(parts.units[2], prefixed(entry.support, p))
    add(parts.units[3], prefixed(entry.other, p))
end

local function carriers_emit(parts, names)
    local lines = {}
    for number, name in ipairs(names) do
        local p = ("via%d_"):format(number)
        support_add(parts, carriers[name], p)
        add(lines, "{\n" .. prefixed(carriers[name].code, p) .. "\n}")
    end
    return table.concat(lines, "\n")
end

-- ---- The ranks ----

local head = [[
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = $rounds, TAG = 7, ANSWER = 8, SECOND = 9, OTHER_TAG = 10 };

struct item {
    int source, key, value, group;
    double real;
};
]]

local worker_head = [[
static const double reals[] = {0, 1e16, 1, -1e16};
struct item item = {rank, (rank + 1) % 3 + 1, 3 * rank + 1 + round, rank & 1, reals[rank & 3]};
int answer[64] = {0};
]]

local post = "MPI_Send(&item, sizeof item, MPI_BYTE, 0, TAG, comm);"
local separations = {
    nothing = "",
    barrier = "MPI_Barrier(comm);",
    allreduce = "{\nint one = 1, all;\nMPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm);\n}",
}
program.separations = {"nothing", "barrier", "allreduce"}
program.seconds = {"competes", "late", "late_word", "other_tag", "other_comm", "barrier", "word"}

-- What lies between A and B.
local barrier, word = "MPI_Barrier(comm);", "{\nint word = 1;\nMPI_Bcast(&word, 1, MPI_INT, 0, comm);\n}"
local between = {barrier = barrier, late = barrier, word = word, late_word = word}

-- The text of what B does, on its own tag or communicator.
local function second_named(choice, text)
    if choice.second == "other_tag" then
        return (text:gsub("%f[%w_]TAG%f[^%w_]", "OTHER_TAG"))
    elseif choice.second == "other_comm" then
        return (text:gsub("%f[%w_]comm%f[^%w_]", "other_comm"))
    end
    return text
end

-- The marks of a site: "truth (A source): CLASS" in a comment.
local function marks_of(choice, letter)
    local marks = {waiting = "/* truth (" .. letter:upper() .. " waiting): deterministic */"}
    for _, open in ipairs({"source", "index", "flag"}) do
        marks[open] = ("/* truth (%s %s): %s */"):format(letter:upper(), open, program.truth(choice, letter, open, false))
    end
    return marks
end

-- Rank 0's statements for one site: it takes all messages, and leaves what it keeps in `result`.
local function site_emit(parts, choice, letter, result)
    local second, p = letter == "b", letter .. "_"
    local site = sites[second and choice.site2 or choice.site]
    local store = second and store_emit(parts, stores[choice.store2], "local", "inline", p) or
        store_emit(parts, stores[choice.store], choice.access, choice.call, p)
    local inner = inners[second and "nothing" or choice.inner]
    local marks, lines = marks_of(choice, letter), {}
    local function named(text)
        text = text and fill(prefixed(text, p), marks)
        return text and second and second_named(choice, text) or text
    end
    marks.take = store.take
    if inner.collector ~= "" then
        marks.take = marks.take .. "\n{\n" .. fill(inner.collector, {read = store.read}) .. "\n}"
    end
    add(parts.header, prefixed(site.header, p))
    local helper = site.helper and fill(prefixed(site.helper, p), marks)
    if second and choice.second == "other_tag" then
        helper = helper and second_named(choice, helper)
    end
    add(parts.units[3], helper)
    add(lines, "struct item item;\nMPI_Status status;\nint from = 0;")
    add(lines, site.locals)
    add(lines, inner.locals)
    add(lines, table.concat(store.locals, "\n"))
    add(lines, table.concat(store.clear, "\n"))
    add(lines, named(site.code))
    add(lines, store.finish)
    add(lines, result .. " = " .. store.read .. ";")
    add(lines, store.free)
    add(lines, "(void)from;\n(void)status;")
    return table.concat(lines, "\n")
end

local function sink_emit(parts, sink, p)
    support_add(parts, sink, p)
    return prefixed(sink.collector, p)
end

local function collector_emit(parts, choice)
    if choice.second == "none" then
        return table.concat({"int v;", site_emit(parts, choice, "a", "v"), carriers_emit(parts, choice.carriers), "{",
            sink_emit(parts, sinks[choice.sink], "to_"), "}"}, "\n")
    end
    return table.concat({"int v, second_v;", "{", site_emit(parts, choice, "a", "v"), "}",
        between[choice.second] or "", "{", site_emit(parts, choice, "b", "second_v"), "}",
        carriers_emit(parts, choice.carriers), "{", sink_emit(parts, sinks[choice.sink], "to_"), "}", "v = second_v;", "{",
        sink_emit(parts, sinks[choice.sink2], "then_"), "}"}, "\n")
end

local function worker_emit(choice)
    local lines = {worker_head .. post}
    if choice.second ~= "none" then
        add(lines, not competing[choice.second] and between[choice.second])
        add(lines, "item.value++;")
        add(lines, second_named(choice, post))
        add(lines, competing[choice.second] and between[choice.second])
    end
    add(lines, "{\n" .. inners[choice.inner].worker .. "\n}")
    add(lines, "{\n" .. sinks[choice.sink].worker .. "\n}")
    add(lines, choice.second ~= "none" and "{\n" .. sinks[choice.sink2].worker .. "\n}")
    return table.concat(lines, "\n"):gsub("{\n\n}\n?", "") .. "\n(void)answer;"
end

local communicators = {
    world = {"MPI_Comm comm = MPI_COMM_WORLD;", ""},
    dup = {"MPI_Comm comm;\nMPI_Comm_dup(MPI_COMM_WORLD, &comm);", "MPI_Comm_free(&comm);"},
    split = {"MPI_Comm comm;\nMPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);", "MPI_Comm_free(&comm);"},
}
program.communicators = {"world", "dup", "split"}

local main_text = [[
int main(int argc, char **argv)
{
int rank, ranks;
MPI_Init(&argc, &argv);
MPI_Comm_rank(MPI_COMM_WORLD, &rank);
MPI_Comm_size(MPI_COMM_WORLD, &ranks);
int workers = ranks - 1, count = workers;
$comm
$other
(void)count;
for (int round = 0; round < ROUNDS; round++) {
$both
$apart
}
$free
MPI_Finalize();
return 0;
}
]]

local function main_emit(parts, choice)
    local collector, worker = collector_emit(parts, choice), worker_emit(choice)
    local other = choice.second == "other_comm"
    local given, gives = other and ", MPI_Comm other_comm" or "", other and ", other_comm" or ""
    local both
    if choice.body == "function" then
        function_add(parts, 2, "void collect(MPI_Comm comm" .. given .. ", int count, int workers)",
            collector .. "\n(void)count;\n(void)workers;\n(void)comm;")
        function_add(parts, 3, "void work(MPI_Comm comm" .. given .. ", int rank, int ranks, int round)", worker .. "\n(void)ranks;")
        both = ("if (rank == 0)\ncollect(comm%s, workers, workers);\nelse\nwork(comm%s, rank, ranks, round);"):format(gives, gives)
    else
        both = "if (rank == 0) {\n" .. collector .. "\n} else {\n" .. worker .. "\n}"
    end
    local comm = communicators[choice.comm]
    add(parts.units[1], fill(main_text, {both = both, apart = separations[choice.apart], comm = comm[1],
        other = other and "MPI_Comm other_comm;\nMPI_Comm_dup(comm, &other_comm);" or "",
        free = (other and "MPI_Comm_free(&other_comm);\n" or "") .. comm[2]}))
end

-- Indents by braces, and one level behind a condition that has none.
local function pretty(text)
    local lines, depth, extra = {}, 0, 0
    for line in text:gmatch("[^\n]*") do
        line = line:match("^%s*(.-)%s*$")
        local code = line:gsub("/%*.-%*/", ""):gsub('"[^"]*"', ""):gsub("'[^']*'", ""):gsub("%s+$", "")
        local opens, closes = select(2, code:gsub("{", "")), select(2, code:gsub("}", ""))
        if line ~= "" then
            lines[#lines + 1] = ("    "):rep(math.max(depth - (code:match("^}") and 1 or 0) + extra, 0)) .. line
        end
        depth = depth + opens - closes
        local bare = code:match("^if .*%)$") or code:match("^for .*%)$") or code:match("^while .*%)$") or
            code:match("^else$") or code:match("^else if .*%)$") or code:match("^} else$") or code:match("^do$")
        extra = bare and extra + 1 or 0
        if depth == 0 and (code == "}" or code:match("^#include <string")) then
            lines[#lines + 1] = ""
        end
    end
    return table.concat(lines, "\n") .. "\n"
end

-- The files of a program, pairs of a name and a text, in one file or several. `name` begins their names.
function program.files(choice, name, split)
    local parts = parts_new()
    main_emit(parts, choice)
    local header = fill(head, {rounds = tostring(choice.rounds)}) .. table.concat(parts.header, "\n") .. "\n"
    local title = "/* " .. program.spell(choice) .. " */\n"
    local texts = {}
    for number, unit in ipairs(parts.units) do
        texts[number] = table.concat(unit, "\n")
    end
    if not split then
        return {{"whole.c", title .. pretty(header .. texts[2] .. "\n" .. texts[3] .. "\n" .. texts[1])}}
    end
    local include = ('#include "%s.parts.h"\n'):format(name)
    local files = {{"parts.h", title .. pretty(header)}, {"main.c", pretty(include .. texts[1])}}
    for number = 2, 3 do
        if texts[number] ~= "" then
            files[#files + 1] = {("part%d.c"):format(number), pretty(include .. texts[number])}
        end
    end
    return files
end

-- ---- Choices, and their words: "site=recv store=sum ..." ----

local keys = {"site", "store", "access", "call", "via", "sink", "inner", "second", "site2", "store2", "sink2", "rounds",
    "apart", "comm", "body"}
program.simplest = {site = "recv", store = "last", access = "local", call = "inline", carriers = {}, sink = "nothing",
    inner = "nothing", second = "none", site2 = "recv", store2 = "last", sink2 = "nothing", rounds = 1, apart = "barrier",
    comm = "world", body = "inline"}

function program.spell(choice)
    local words = {}
    for _, key in ipairs(keys) do
        local value = key == "via" and table.concat(choice.carriers, ",") or tostring(choice[key])
        local plain = key == "via" and "" or tostring(program.simplest[key])
        if value ~= plain or key == "site" or key == "store" or key == "sink" then
            words[#words + 1] = key .. "=" .. value
        end
    end
    return table.concat(words, " ")
end

function program.parse(text)
    local choice = {}
    for key, value in pairs(program.simplest) do
        choice[key] = value
    end
    choice.carriers = {}
    for key, value in text:gmatch("(%l+%d?)=(%S+)") do
        if key == "via" then
            for name in value:gmatch("[^,]+") do
                table.insert(choice.carriers, name)
            end
        else
            choice[key] = key == "rounds" and tonumber(value) or value
        end
    end
    return choice
end

local function is_left_out(choice)
    for _, name in ipairs(choice.carriers) do
        if program.left_out.via[name] then
            return true
        end
    end
    return program.left_out.second[choice.second] or program.left_out.store[choice.store] or
        (choice.second ~= "none" and program.left_out.store[choice.store2])
end

-- Does the choice make a program that ends, and whose truth is known?
function program.valid(choice)
    local site, store, inner = sites[choice.site], stores[choice.store], inners[choice.inner]
    if is_left_out(choice) or (inner.reads and not store.running) then
        return false
    end
    if choice.second == "none" then
        return true
    end
    local site2 = sites[choice.site2]
    if choice.inner ~= "nothing" or (competing[choice.second] and site2.named and not site.named) then
        return false
    end
    return not (choice.second == "other_tag" and (site.any_tag or site2.any_tag))
end

local function choice_draw(random)
    local choice = program.parse("")
    choice.site, choice.store = random:one_of(sites).name, random:one_of(stores).name
    choice.access, choice.call = random:one_of(program.accesses), random:one_of(program.calls)
    for _ = 1, random:below(3) do
        table.insert(choice.carriers, random:one_of(carriers).name)
    end
    choice.sink = random:one_of(sinks).name
    if random:below(3) == 0 then
        choice.inner = random:one_of(inners).name
    end
    if random:below(4) == 0 then
        choice.second = random:one_of(program.seconds)
        choice.site2, choice.store2, choice.sink2 = random:one_of(sites).name, random:one_of(stores).name,
            random:one_of(sinks).name
    end
    choice.rounds = random:below(3) > 0 and 1 or 3
    choice.apart = random:one_of(program.separations)
    choice.comm = random:one_of(program.communicators)
    choice.body = random:one_of({"inline", "function"})
    return choice
end

function program.draw(random)
    local choice
    repeat
        choice = choice_draw(random)
    until program.valid(choice)
    return choice
end

-- A program for each entry of each table, and otherwise as simple as can be told.
function program.all_entries()
    local list = {}
    local function entry_add(text)
        local choice = program.parse(text)
        if program.valid(choice) then
            list[#list + 1] = choice
        end
    end
    for _, site in ipairs(sites) do
        entry_add("sink=send site=" .. site.name)
    end
    for _, store in ipairs(stores) do
        entry_add("sink=send store=" .. store.name)
    end
    for _, carrier in ipairs(carriers) do
        entry_add("sink=send via=" .. carrier.name)
    end
    for _, sink in ipairs(sinks) do
        entry_add("sink=" .. sink.name)
    end
    for _, inner in ipairs(inners) do
        entry_add("store=sum inner=" .. inner.name)
    end
    for _, second in ipairs(program.seconds) do
        entry_add("second=" .. second .. " store=sum store2=sum sink=send sink2=send")
    end
    return list
end

return program
