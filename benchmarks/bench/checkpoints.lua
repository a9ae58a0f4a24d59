-- checkpoints: what a checkpoint costs, by the size of the image: the pause of the program, and what
-- its writers cost the steps that run meanwhile.
local machine = require("bench.machine")
local stats = require("bench.stats")
local events = require("bench.events")

local checkpoints = {}

local function uptime()
    return tonumber(machine.capture("cat /proc/uptime"):match("^%S+"))
end

-- Rank 0's steps as {seconds since the launch, duration}, and the events.
local function steps_run(kind, path, megabytes)
    local file, launched, list = os.tmpname(), uptime(), {}
    local text = machine.run(kind.command(2, path, megabytes .. " 450 1000",
                                          "--checkpoint-every 150 --events " .. file), 300)
    for t, duration in text:gmatch("([%d.]+) ([%d.]+)\n") do
        list[#list + 1] = {tonumber(t) - launched, tonumber(duration)}
    end
    local found = events.read(file)
    os.remove(file)
    return list, found
end

-- Pause: the longest step around the checkpoint, less the usual one. Background: what the steps until
-- its commit took longer than usual, the pause included.
local function pause_of(steps, list, number)
    local function is(event)
        return event.checkpoint == number
    end
    local begin, commit = events.find(list, "checkpoint-begin", is), events.find(list, "checkpoint-commit", is)
    local quiet, longest, slowed = {}, 0, {}
    if not begin or not commit then
        return
    end
    for _, step in ipairs(steps) do
        if step[1] + step[2] >= begin.t - 0.02 and step[1] <= begin.t + 0.5 then
            longest = math.max(longest, step[2])
        end
        if step[1] >= begin.t and step[1] <= commit.t then
            slowed[#slowed + 1] = step[2]
        elseif step[1] < begin.t - 0.05 or step[1] > commit.t + 0.05 then
            quiet[#quiet + 1] = step[2]
        end
    end
    local usual, sum = stats.median(quiet), 0
    for _, duration in ipairs(slowed) do
        sum = sum + duration - usual
    end
    return longest - usual, sum, commit.t - begin.t, commit.bytes
end

function checkpoints.measure(program, kind, count, sizes, progress)
    local path, rows = kind.compile(program), {}
    for _, megabytes in ipairs(sizes) do
        local pauses, costs, spans, bytes = {}, {}, {}, 0
        for i = 1, count do
            progress(string.format("checkpoints of %d MB a rank, %s, %d", megabytes, kind.name, i))
            local steps, list = steps_run(kind, path, megabytes)
            local pause, cost, span, size = pause_of(steps, list, 2)
            if pause then
                pauses[#pauses + 1], costs[#costs + 1], spans[#spans + 1], bytes = pause, cost, span, size
            end
        end
        if #pauses > 0 then
            rows[#rows + 1] = {kind = kind.name, megabytes = megabytes, bytes = bytes, samples = pauses,
                               pause = stats.median(pauses), cost = stats.median(costs), span = stats.median(spans)}
        end
    end
    return rows
end

return checkpoints
