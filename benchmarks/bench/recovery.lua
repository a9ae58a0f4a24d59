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

-- One run with a death at `hook`: detection, restart (death to the last rank's resume), rework (from
-- there until the victim is where it died), and the time that the same steps take in `plain`, the
-- undisturbed run before it.
local function death_run(program, kind, path, arguments, interval, hook, plain)
    local list = hooks_run(program, kind, path, arguments,
                           string.format("--checkpoint-interval %.3f --kill %d@hook:%d", interval, victim, hook))
    local death, resumes = events.find(list, "death"), events.all(list, "resume")
    local own = events.find(list, "resume", function(event) return event.rank == victim end)
    if not death or not own then
        machine.fail("%s as %s: the kill at hook %d did not kill", program.name, kind.name, hook)
    end
    local resumed = events.largest(resumes, "t")
    local rework, work = events.hook_times(list, victim)[hook] - resumed, plain[hook] - plain[math.max(own.hook, 1)]
    return {
        checkpoint = own.checkpoint, detection = death.detection, restart = resumed - death.t, rework = rework, work = work,
        ratio = work > 0 and rework / work or nil, total = events.find(list, "end").t,
    }
end

-- The victim's hooks and the seconds of an undisturbed run.
local function plain_run(program, kind, path, arguments)
    local list = hooks_run(program, kind, path, arguments, "--checkpoint-interval 3600")
    return events.hook_times(list, victim), events.find(list, "end").t
end

-- Runs with a death at `hook`, each behind an undisturbed one.
local function death_runs(program, kind, path, arguments, share, count, progress)
    local runs, undisturbed = {}, {}
    for i = 1, count do
        progress(string.format("%s, %s, death at %d %%, %d", program.name, kind.name, share, i))
        local plain, seconds = plain_run(program, kind, path, arguments)
        if #plain < 10 then
            machine.fail("%s as %s: only %d hooks, so a death cannot be placed", program.name, kind.name, #plain)
        end
        undisturbed[i] = seconds
        runs[i] = death_run(program, kind, path, arguments, seconds / 12, math.max(#plain * share // 100, 1), plain)
    end
    return runs, stats.median(undisturbed)
end

-- Rows for deaths at 10, 50 and 90 % of the hooks; medians over `count` runs. A program with fewer
-- than ten hooks fails.
function recovery.measure(program, kind, arguments, count, progress)
    local path, rows = kind.compile(program), {}
    for _, share in ipairs({10, 50, 90}) do
        local runs, seconds = death_runs(program, kind, path, arguments, share, count, progress)
        local row = {program = program.name, kind = kind.name, share = share, undisturbed = seconds, runs = runs}
        for _, key in ipairs({"detection", "restart", "rework", "work", "ratio", "total"}) do
            local list = {}
            for _, run in ipairs(runs) do
                list[#list + 1] = run[key]
            end
            row[key] = #list > 0 and stats.median(list) or nil
        end
        rows[#rows + 1] = row
    end
    return rows
end

return recovery
