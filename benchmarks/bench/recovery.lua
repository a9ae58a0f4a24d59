-- recovery: kills a rank at a given share of the run, and says where the time went.
local machine = require("bench.machine")
local stats = require("bench.stats")
local events = require("bench.events")
local rounds = require("bench.pairs")

local recovery = {}

local victim = 1

local function hooks_run(program, kind, path, arguments, options)
    local file = os.tmpname()
    machine.run(kind.command(program.ranks, path, arguments,
                             "--hook-events --events " .. file .. " " .. options), rounds.limit)
    local list = events.read(file)
    os.remove(file)
    return list
end

-- The times at which the victim executed a hook: first and last time.
local function hook_times(list, number)
    local first, last
    for _, event in ipairs(list) do
        if event.event == "hook" and event.rank == victim and event.hook == number then
            first, last = first or event.t, event.t
        end
    end
    return first, last
end

-- One run with a death at `hook`: detection, restart (death to the last rank's resume), rework (from
-- there until the victim is where it died), and the time that the same steps took before the death.
local function death_run(program, kind, path, arguments, interval, hook)
    local list = hooks_run(program, kind, path, arguments,
                           string.format("--checkpoint-interval %.3f --kill %d@hook:%d", interval, victim, hook))
    local death, resumes = events.find(list, "death"), events.all(list, "resume")
    local own = events.find(list, "resume", function(event) return event.rank == victim end)
    if not death or not own then
        machine.fail("%s as %s: the kill at hook %d did not kill", program.name, kind.name, hook)
    end
    local resumed, back = events.largest(resumes, "t"), own.hook
    local before = hook_times(list, math.max(back, 1))
    local reached, again = hook_times(list, hook)
    return {
        checkpoint = own.checkpoint, detection = events.largest(resumes, "detection"),
        restart = resumed - death.t, rework = again - resumed, work = reached - before,
        total = events.find(list, "end").t,
    }
end

-- The hooks of the victim and the seconds of an undisturbed run.
local function plain_run(program, kind, path, arguments)
    local list = hooks_run(program, kind, path, arguments, "--checkpoint-interval 3600")
    local hooks = 0
    for _, event in ipairs(events.all(list, "hook")) do
        hooks = event.rank == victim and math.max(hooks, event.hook) or hooks
    end
    return hooks, events.find(list, "end").t
end

-- Rows for deaths at 10, 50 and 90 % of the hooks; medians over `count` runs. A program with fewer
-- than ten hooks fails.
function recovery.measure(program, kind, arguments, count, progress)
    local path, rows = kind.compile(program), {}
    progress(string.format("%s, %s, undisturbed", program.name, kind.name))
    local hooks, seconds = plain_run(program, kind, path, arguments)
    if hooks < 10 then
        machine.fail("%s as %s: only %d hooks, so a death cannot be placed", program.name, kind.name, hooks)
    end
    for _, share in ipairs({10, 50, 90}) do
        local runs = {}
        for i = 1, count do
            progress(string.format("%s, %s, death at %d %%, %d", program.name, kind.name, share, i))
            runs[i] = death_run(program, kind, path, arguments, seconds / 12, math.max(hooks * share // 100, 1))
        end
        local row = {program = program.name, kind = kind.name, share = share, undisturbed = seconds, runs = runs}
        for _, key in ipairs({"detection", "restart", "rework", "work", "total"}) do
            local list = {}
            for i, run in ipairs(runs) do
                list[i] = run[key]
            end
            row[key] = stats.median(list)
        end
        row.ratio = row.work > 0 and row.rework / row.work or nil
        rows[#rows + 1] = row
    end
    return rows
end

return recovery
