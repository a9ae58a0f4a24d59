-- faults: how long a run takes by the number of deaths in it: the question of the MPICH-V studies (Herault et al.,
-- "performance against fault frequency"), with every protocol of ftrun on one runtime. The deaths are spread evenly
-- over the main loop and hit the ranks in turn; checkpoints are taken at the same hooks in all protocols.
local machine = require("bench.machine")
local stats = require("bench.stats")
local events = require("bench.events")
local rounds = require("bench.pairs")

local faults = {ranks = 4, deaths = {0, 1, 2, 4, 8}, checkpoints = 10}

-- Options that kill `count` times, in front of hooks of a loop of `hooks` turns.
local function orders(count, hooks)
    local list = {}
    for i = 1, count do
        list[i] = string.format("--kill %d@hook:%d", i % faults.ranks, math.max(hooks * (2 * i - 1) // (2 * count), 1))
    end
    return table.concat(list, " ")
end

-- Seconds of a run, and how many turns its main loop has.
local function run(program, kind, path, arguments, options)
    local file = os.tmpname()
    machine.run(kind.command(faults.ranks, path, arguments, "--hook-events --events " .. file .. " " .. options),
                rounds.limit)
    local list = events.read(file)
    os.remove(file)
    local died = #events.all(list, "death")
    return events.find(list, "end").t, #events.hook_times(list, 0), died
end

-- A row for each kind and number of deaths: the median over `count` runs, the kinds by turns. Kinds without recovery
-- have the row without a death alone.
function faults.measure(program, kinds, arguments, count, progress)
    local paths, samples, hooks = {}, {}, nil
    for i, kind in ipairs(kinds) do
        paths[i], samples[i] = kind.compile(program), {}
    end
    progress("deaths in " .. program.name)
    _, hooks = run(program, kinds[1], paths[1], arguments, kinds[1].protocol == "none" and "" or "--checkpoint-interval 3600")
    if hooks < 2 * faults.checkpoints then
        machine.fail("%s: only %d hooks, so deaths cannot be placed", program.name, hooks)
    end
    for _, deaths in ipairs(faults.deaths) do
        for _ = 1, count do
            for i, kind in ipairs(kinds) do
                local options = kind.protocol == "none" and "" or
                    string.format("--checkpoint-every %d %s", hooks // faults.checkpoints, orders(deaths, hooks))
                if kind.protocol ~= "none" or deaths == 0 then
                    local seconds, _, died = run(program, kind, paths[i], arguments, options)
                    if died ~= deaths then
                        machine.fail("%s as %s: %d deaths in place of %d", program.name, kind.name, died, deaths)
                    end
                    samples[i][deaths] = samples[i][deaths] or {}
                    table.insert(samples[i][deaths], seconds)
                end
            end
        end
    end
    local rows = {}
    for i, kind in ipairs(kinds) do
        for _, deaths in ipairs(faults.deaths) do
            local list = samples[i][deaths]
            rows[#rows + 1] = list and {program = program.name, kind = kind.name, deaths = deaths, seconds = stats.median(list),
                                        ratio = stats.median(list) / stats.median(samples[1][0]), samples = list}
        end
    end
    return rows
end

return faults
