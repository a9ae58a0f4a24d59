-- warm: p2p with a log of messages that checkpoints have emptied and that is filled again, as in a long
-- run; without them (p2p as it is) the log only grows, and a message meets memory that was never used.
-- The program fills the log and has it dropped before it measures (latency/p2p.c, --warm).
local machine = require("bench.machine")
local events = require("bench.events")
local programs = require("bench.programs")

local warm = {}

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

-- p2p, as a program of its own.
function warm.program(p2p, folder)
    local file = folder .. "/warm.events"
    local arguments, points = "--ms 4 --warm " .. machine.quote(file), programs.points(9)
    local program = setmetatable({
        name = "p2p-warm", arguments = arguments, quick = arguments,
        options = "--keep 1 --checkpoint-every 1 --events " .. machine.quote(file),
    }, {__index = p2p})
    function program.parse(text, kind)
        local problem = warm.suits(kind) and warm.problem(events.read(file))
        if problem then
            machine.fail("p2p as %s: the log is not warm: %s", kind.name, problem)
        end
        return points(text)
    end
    return program
end

return warm
