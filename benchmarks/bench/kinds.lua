-- kinds: the ways in which a program is built and started.
--
--     native          mpicc, mpiexec
--     none            ftcc, ftrun --protocol none: every call is native, ftrun starts the ranks
--     coordinated     ftcc, ftrun --protocol coordinated; likewise every protocol that ftrun lists
--     spbc            ... with each rank a cluster, so that every message is logged
--     spbc:K          ... with K clusters; of one cluster nothing is logged; likewise hydee and hydee:K
--     build:FOLDER    ftcc and ftrun of another build folder, ftrun --protocol coordinated
--     mana:FOLDER     mpicc, mana_launch of a MANA installation
local machine = require("bench.machine")

local kinds = {}

local flags = "-std=gnu11 -D_GNU_SOURCE -O2 -Wno-stringop-overflow -falign-functions=64 -falign-loops=64"

-- Both programs get aligned loops: where the compiler happens to put an inner loop is worth 1.5 % of
-- a stencil's time, and a hook in the file moves it.
local function compile(kind, compiler, program)
    local path = kinds.folder .. "/" .. kind.label .. "-" .. program.name
    machine.run(string.format("%s %s %s -o %s %s -lm 2>&1", compiler, flags, program.flags or "", machine.quote(path),
                              table.concat(program.sources, " ")), 300)
    return path
end

local function native(kind)
    kind.compile = function(program)
        return compile(kind, "mpicc", program)
    end
    kind.command = function(ranks, path, arguments)
        return string.format("cd %s && mpiexec -n %d %s %s 2>&1", machine.quote(kinds.folder), ranks, machine.quote(path),
                             arguments)
    end
end

local function runtime(kind, build, protocol, clusters)
    for _, name in ipairs({"ftcc", "ftrun"}) do
        if not io.open(build .. "/bin/" .. name) then
            machine.die("%s: there is no bin/%s in %s; ./bootstrap build makes it", kind.name, name, build)
        end
    end
    kind.protocol = protocol
    kind.compile = function(program)
        return compile(kind, machine.quote(build .. "/bin/ftcc"), program)
    end
    kind.command = function(ranks, path, arguments, options)
        local split = (protocol == "spbc" or protocol == "hydee") and "--clusters " .. math.min(clusters or ranks, ranks) or ""
        return string.format("cd %s && %s -n %d --protocol %s %s %s %s %s 2>ftrun.err || { cat ftrun.err; false; }",
                             machine.quote(kinds.folder), machine.quote(build .. "/bin/ftrun"), ranks, protocol, split,
                             options or "", machine.quote(path), arguments)
    end
end

local function mana(kind, folder)
    local launcher = folder .. "/bin/mana_launch"
    if not io.open(launcher) then
        machine.die("%s: there is no MANA in %s", kind.name, folder)
    end
    native(kind)
    kind.command = function(ranks, path, arguments)
        return string.format("cd %s && mpiexec -n %d %s %s %s 2>&1", machine.quote(kinds.folder), ranks,
                             machine.quote(launcher), machine.quote(path), arguments)
    end
end

-- The protocols of ftrun, from its own words about one that it does not know; `auto` is one of the others.
function kinds.protocols(build)
    local list = {}
    local text = machine.capture(machine.quote(build .. "/bin/ftrun") .. " --protocol ? 2>&1")
    for word in (text:match("it is none of ([^(\n]+)") or ""):gmatch("[%w_:]+") do
        if word ~= "auto" then
            list[#list + 1] = word
        end
    end
    return list
end

-- Effect: the kind of that name; an unknown one ends the run with a list of all.
function kinds.create(name, build, number)
    local kind = {name = name, label = "k" .. number}
    local prefix, folder = name:match("^(%w+):(.+)$")
    local clusters = (prefix == "spbc" or prefix == "hydee") and math.tointeger(tonumber(folder))
    if name == "native" then
        native(kind)
    elseif prefix == "build" then
        runtime(kind, machine.folder(folder), "coordinated")
    elseif clusters and clusters >= 1 then
        runtime(kind, build, prefix, clusters)
    elseif prefix == "mana" then
        mana(kind, machine.folder(folder))
    else
        local known = kinds.protocols(build)
        for _, protocol in ipairs(known) do
            if protocol == name then
                runtime(kind, build, name)
                return kind
            end
        end
        machine.die("unknown kind %s; there are native, %s, spbc:CLUSTERS, build:FOLDER, mana:FOLDER", name,
                    table.concat(known, ", "))
    end
    return kind
end

return kinds
