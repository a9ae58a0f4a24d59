-- containment: what a death costs with clusters: eight ranks in four of them, and one dies at 90 % of an
-- interval between checkpoints. Rework: the two ranks that rolled back need it until they are where the
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

-- The survivors' events of being back.
local function survivors_of(list)
    local found = {}
    for _, event in ipairs(events.all(list, "resume")) do
        found[#found + 1] = event.survivor and event or nil
    end
    return found
end

-- One run with a death at `hook`; `plain` are the victim's times without one.
local function death_run(program, kind, path, arguments, every, hook, plain)
    local list = events_of(program, kind, path, arguments,
                           string.format("--checkpoint-every %d --kill %d@hook:%d", every, victim, hook))
    local contained, leave = events.find(list, "contained"), events.find(list, "leave")
    local survivors = survivors_of(list)
    local own = events.find(list, "resume", function(event) return event.rank == victim end)
    if not own or not leave then
        machine.fail("%s as %s: the kill at hook %d did not kill", program.name, kind.name, hook)
    elseif not contained or contained.clusters ~= 1 or #survivors == 0 then
        machine.fail("%s as %s: the death was not contained", program.name, kind.name)
    end
    local work = plain[hook] - plain[math.max(own.hook, 1)]
    local rework = events.hook_times(list, victim)[hook] - own.t
    return {
        checkpoint = own.checkpoint, work = work, rework = rework, ratio = rework / work, pause = events.largest(survivors, "t") - leave.t,
        gather = contained.gather, leave = contained.leave, start = contained.start, init = events.largest(survivors, "init"),
        image = events.largest(survivors, "image"), handles = events.largest(survivors, "handles"), bytes = events.largest(events.all(list, "left"), "bytes"),
    }
end

-- A row with the medians over `count` runs, each behind one without a death. A program with fewer than
-- twenty hooks fails.
function containment.measure(program, kind, arguments, count, progress)
    local path, runs = kind.compile(program), {}
    progress(string.format("containment of %s", program.name))
    local hooks = #events.hook_times(events_of(program, kind, path, arguments, "--checkpoint-interval 3600"), victim)
    local every = hooks // 2
    if every < 10 then
        machine.fail("%s as %s: only %d hooks, so a death cannot be placed", program.name, kind.name, hooks)
    end
    for i = 1, count do
        progress(string.format("containment of %s, %d", program.name, i))
        local plain = events.hook_times(events_of(program, kind, path, arguments, "--checkpoint-every " .. every), victim)
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
