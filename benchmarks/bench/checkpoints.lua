-- checkpoints: what a checkpoint costs, by the size of the image: the pause of the program, what its
-- writers cost the steps that run meanwhile, and how long a death takes until all ranks are back.
local machine = require("bench.machine")
local stats = require("bench.stats")
local events = require("bench.events")
local rounds = require("bench.pairs")

local checkpoints = {}

local function uptime()
    return tonumber(machine.capture("cat /proc/uptime"):match("^%S+"))
end

-- Enough steps for three checkpoints, with the clusters writing one after the other.
local function steps_for(megabytes)
    return 450 + 12 * megabytes
end

-- Rank 0's steps as {seconds since the launch, duration}, and the events.
local function steps_run(kind, path, megabytes, options)
    local file, launched, list = os.tmpname(), uptime(), {}
    local arguments = string.format("%d %d 1000", megabytes, steps_for(megabytes))
    local every = string.format("--checkpoint-every %d ", steps_for(megabytes) // 3)
    local text = machine.run(kind.command(2, path, arguments, every .. "--events " .. file .. " " .. options),
                             rounds.limit)
    for t, duration in text:gmatch("([%d.]+) ([%d.]+)\n") do
        list[#list + 1] = {tonumber(t) - launched, tonumber(duration)}
    end
    local found = events.read(file)
    os.remove(file)
    return list, found
end

-- When the second checkpoint after the one of the launch began and was committed. The steps are those of
-- rank 0, so it is one of cluster 0, whatever number it has: clusters take turns in no fixed order.
local function second_checkpoint(list)
    local begins = {}
    for _, event in ipairs(events.all(list, "checkpoint-begin")) do
        if event.cluster == 0 then
            begins[#begins + 1] = event
        end
    end
    local begin = begins[3]
    return begin, begin and events.find(list, "checkpoint-commit", function(event)
        return event.checkpoint == begin.checkpoint
    end)
end

-- Pause: the longest step around the checkpoint, less the usual one. Background: what the steps until
-- its commit took longer than usual, the pause included.
local function pause_of(steps, list)
    local begin, commit = second_checkpoint(list)
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

-- From a death at two thirds of the run until the last rank is back in its program.
local function restart_run(kind, path, megabytes)
    local _, list = steps_run(kind, path, megabytes, "--kill 1@hook:" .. steps_for(megabytes) * 2 // 3)
    local death, resumes = events.find(list, "death"), events.all(list, "resume")
    if not death or #resumes == 0 then
        machine.fail("steps as %s: the kill did not kill", kind.name)
    end
    return events.largest(resumes, "t") - death.t
end

-- A row for each size: medians over `count` runs. A checkpoint that was not taken (the event says why
-- only to the user) has no sample.
function checkpoints.measure(program, kind, count, sizes, progress)
    local path, rows = kind.compile(program), {}
    for _, megabytes in ipairs(sizes) do
        local all = {pause = {}, cost = {}, span = {}, restart = {}}
        local row = {kind = kind.name, megabytes = megabytes, samples = all}
        for i = 1, count do
            progress(string.format("checkpoints of %d MB a rank, %s, %d", megabytes, kind.name, i))
            local steps, list = steps_run(kind, path, megabytes, "")
            local pause, cost, span, size = pause_of(steps, list)
            table.insert(all.pause, pause)
            table.insert(all.cost, cost)
            table.insert(all.span, span)
            table.insert(all.restart, restart_run(kind, path, megabytes))
            row.bytes = size or row.bytes
        end
        if #all.pause == 0 then
            machine.fail("steps as %s: no checkpoint of %d MB a rank was committed", kind.name, megabytes)
        end
        for key, values in pairs(all) do
            row[key] = stats.median(values)
        end
        rows[#rows + 1] = row
    end
    return rows
end

return checkpoints
