-- warm: p2p and the applications with a log of messages that checkpoints have emptied and that is filled
-- again, as in a long run; without them the log only grows, and a message meets memory that was never used.
-- The program fills the log and has it dropped before it measures (warm.h).
local machine = require("bench.machine")
local events = require("bench.events")
local programs = require("bench.programs")

local warm = {}

local hooks = 100000 -- WARM_HOOKS of warm.h

-- Does the kind keep a log of messages between two ranks?
function warm.suits(kind)
    return kind.protocol == "spbc" and kind.name ~= "spbc:1"
end

-- Why the log of a run with these events was not warm while it was measured; or nothing: of each rank
-- at least as much was dropped as was logged since.
function warm.problem(list)
    local logs = events.all(list, "log")
    for _, log in ipairs(logs) do
        if log.dropped == 0 then
            return string.format("no checkpoint has shortened the log of rank %d", log.rank)
        elseif log.logged - log.dropped > log.dropped then
            return string.format("rank %d logged %d bytes after %d had been dropped", log.rank, log.logged - log.dropped,
                                 log.dropped)
        end
    end
    return #logs == 0 and "there is no account of the logs" or nil
end

-- The program with a warm log, as one of its own; nothing for one that cannot have it.
function warm.program(program, folder)
    local file = folder .. "/warm.events"
    local made = setmetatable({
        name = program.name .. "-warm",
        options = "--keep 1 --checkpoint-every " .. hooks .. " --events " .. machine.quote(file),
    }, {__index = program})
    local parse = program.parse
    if program.name == "p2p" then
        made.arguments, parse = "--ms 4 --warm " .. machine.quote(file), programs.points(9)
        made.quick = made.arguments
    elseif program.app then
        made.flags = "-DAPP_WARM=" .. machine.quote('"' .. file .. '"')
        made.sources = table.move(program.sources, 1, #program.sources, 2, {programs.source("warm.c")})
    else
        return nil
    end
    function made.parse(text, kind)
        local problem = warm.suits(kind) and warm.problem(events.read(file))
        if problem then
            machine.fail("%s as %s: the log is not warm: %s", program.name, kind.name, problem)
        end
        return parse(text)
    end
    return made
end

return warm
