-- pairs: runs the kinds of a program in turn and collects what they print. A ratio belongs to one
-- round, so it holds when the machine's speed drifts; times of different rounds are never compared.
local machine = require("bench.machine")
local stats = require("bench.stats")

local rounds = {}

local limit = 600 -- seconds of one run

local function run_once(program, kind, path, arguments)
    local extra = program.what == "application" and " --time" or ""
    local text = machine.run(kind.command(program.ranks, path, arguments .. extra), limit)
    local values = program.parse(text)
    if not values then
        machine.die("%s as %s: verification failed:\n%s", program.name, kind.name, text)
    end
    return values
end

-- Rotates the order of the kinds from round to round: A B C, B C A, ...; with two, A B, B A.
local function order_of(list, round)
    local order = {}
    for i = 1, #list do
        order[i] = list[(i + round - 2) % #list + 1]
    end
    return order
end

-- samples[key][kind name] is a list with one value a round.
function rounds.measure(program, list, count, arguments, progress)
    local paths, samples = {}, {}
    for _, kind in ipairs(list) do
        paths[kind] = kind.compile(program)
    end
    for round = 1, count do
        for _, kind in ipairs(order_of(list, round)) do
            progress(program.name .. ", " .. kind.name .. ", round " .. round)
            for key, value in pairs(run_once(program, kind, paths[kind], arguments)) do
                samples[key] = samples[key] or {}
                samples[key][kind.name] = samples[key][kind.name] or {}
                samples[key][kind.name][round] = value
            end
        end
    end
    return samples, paths
end

function rounds.ratios(a, b)
    local list = {}
    for i = 1, math.min(#a, #b) do
        list[i] = a[i] / b[i]
    end
    return list
end

-- One row for each key and kind but the base.
function rounds.rows(program, samples, list, base, smallest)
    local rows = {}
    for key, by_kind in pairs(samples) do
        for _, kind in ipairs(list) do
            if kind ~= base then
                local ratios = rounds.ratios(by_kind[kind.name], by_kind[base.name])
                local low, high = stats.interval(ratios)
                rows[#rows + 1] = {
                    program = program.name, key = key, kind = kind.name, base = base.name,
                    median = stats.median(ratios), low = low, high = high,
                    quartiles = {stats.quantile(ratios, 0.25), stats.quantile(ratios, 0.75)},
                    value = stats.median(by_kind[kind.name]), base_value = stats.median(by_kind[base.name]),
                    verdict = stats.verdict(ratios, smallest),
                }
            end
        end
    end
    table.sort(rows, function(a, b)
        local x, y = a.key:match("^(.-)/?%d*$"), b.key:match("^(.-)/?%d*$")
        if x ~= y then
            return x < y
        end
        local m, n = tonumber(a.key:match("%d+$")) or 0, tonumber(b.key:match("%d+$")) or 0
        if m ~= n then
            return m < n
        end
        return a.kind < b.kind
    end)
    return rows
end

return rounds
