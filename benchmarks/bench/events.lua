-- events: what ftrun wrote with --events.
local machine = require("bench.machine")

local events = {}

function events.read(path)
    local json, list = require("dkjson"), {}
    for line in io.lines(path) do
        list[#list + 1] = json.decode(line) or machine.fail("this line of events is no JSON: %s", line)
    end
    return list
end

-- The first event of that name for which `wanted` (may be nil) holds.
function events.find(list, name, wanted)
    for _, event in ipairs(list) do
        if event.event == name and (not wanted or wanted(event)) then
            return event
        end
    end
end

function events.all(list, name)
    local found = {}
    for _, event in ipairs(list) do
        if event.event == name then
            found[#found + 1] = event
        end
    end
    return found
end

-- When a rank executed each of its hooks, for the last time (--hook-events).
function events.hook_times(list, rank)
    local times = {}
    for _, event in ipairs(events.all(list, "hook")) do
        if event.rank == rank then
            times[event.hook] = event.t
        end
    end
    return times
end

-- The largest value of a member.
function events.largest(list, member)
    local most = 0
    for _, event in ipairs(list) do
        most = math.max(most, event[member] or 0)
    end
    return most
end

return events
