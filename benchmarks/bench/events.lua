-- events: what ftrun wrote with --events.
local events = {}

function events.read(path)
    local json, list = require("dkjson"), {}
    for line in io.lines(path) do
        list[#list + 1] = json.decode(line)
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

return events
