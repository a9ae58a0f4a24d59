-- containment: what a death costs with clusters: eight ranks in four of them, and one dies at 90 % of an
-- interval between checkpoints. Rework: the two ranks that went back need it until they are where the
-- dead one was; the same steps took the `work` without a failure. Pause: the longest time that a
-- survivor was away from its program, from the order to leave on, and its parts.
local machine = require("bench.machine")
local stats = require("bench.stats")
local events = require("bench.events")
local rounds = require("bench.pairs")

local containment = {ranks = 8, clusters = 4}

local victim = 1

local function events_of(program, kind, path, arguments, options)
    local file = os.tmpname()
    machine.run(kind.command(containment.ranks, path, arguments, string.format(
        "--clusters %d --hook-events --events %s %s", containment.clusters, file, options)), rounds.limit)
    local list = events.read(file)
    os.remove(file)
    return list
end

-- When the victim executed each of its hooks, for the last time.
local function hook_times(list)
    local times = {}
    for _, event in ipairs(events.all(list, "hook")) do
        if event.rank == victim then
            times[event.hook] = event.t
        end
    end
    return times
end

local function is_survivor(event)
    return event.survivor
end

-- The longest of a part of the pause, of all survivors.
local function longest(list, part)
    local most = 0
    for _, event in ipairs(events.all(list, "resume")) do
        most = event.survivor and math.max(most, event[part]) or most
    end
    return most
end

-- One run with a death at `hook`; `plain` are the victim's times without one.
local function death_run(program, kind, path, arguments, every, hook, plain)
    local list = events_of(program, kind, path, arguments,
                           string.format("--checkpoint-every %d --kill %d@hook:%d", every, victim, hook))
    local contained, leave = events.find(list, "contained"), events.find(list, "leave")
    local own = events.find(list, "resume", function(event) return event.rank == victim end)
    if not own or not leave then
        machine.fail("%s as %s: the kill at hook %d did not kill", program.name, kind.name, hook)
    elseif not contained or contained.clusters ~= 1 or not events.find(list, "resume", is_survivor) then
        machine.fail("%s as %s: the death was not contained", program.name, kind.name)
    end
    local back = 0
    for _, event in ipairs(events.all(list, "resume")) do
        back = event.survivor and math.max(back, event.t) or back
    end
    local work = plain[hook] - plain[math.max(own.hook, 1)]
    local rework = hook_times(list)[hook] - own.t
    return {
        checkpoint = own.checkpoint, work = work, rework = rework, ratio = rework / work, pause = back - leave.t,
        gather = contained.gather, leave = contained.leave, start = contained.start, init = longest(list, "init"),
        image = longest(list, "image"), handles = longest(list, "handles"), bytes = events.largest(events.all(list, "left"), "bytes"),
    }
end

-- A row with the medians over `count` runs, each behind one without a death. A program with fewer than
-- thirty hooks fails.
function containment.measure(program, kind, arguments, count, progress)
    local path, runs = kind.compile(program), {}
    progress(string.format("containment of %s", program.name))
    local hooks = #hook_times(events_of(program, kind, path, arguments, "--checkpoint-interval 3600"))
    local every = hooks // 3
    if every < 10 then
        machine.fail("%s as %s: only %d hooks, so a death cannot be placed", program.name, kind.name, hooks)
    end
    for i = 1, count do
        progress(string.format("containment of %s, %d", program.name, i))
        local plain = hook_times(events_of(program, kind, path, arguments, "--checkpoint-every " .. every))
        runs[i] = death_run(program, kind, path, arguments, every, every + every * 9 // 10, plain)
    end
    local row = {program = program.name, kind = kind.name, ranks = containment.ranks, clusters = containment.clusters, runs = runs}
    for key in pairs(runs[1]) do
        local list = {}
        for j, run in ipairs(runs) do
            list[j] = run[key]
        end
        row[key] = stats.median(list)
    end
    return row
end

return containment
