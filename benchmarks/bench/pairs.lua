-- pairs: runs the kinds of a program in turn and collects what they print. A ratio belongs to one
-- round, so it holds when the machine's speed drifts; times of different rounds are never compared.
--
-- A program gets one verdict for each part of it, not one for each of its points: with 95 % for each
-- of some hundred points, a few would be called different in two equal programs. An application is one
-- part; a micro-benchmark has two, its messages up to 1 KiB and the longer ones, and the ratio of a
-- part in a round is the geometric mean of its points' ratios. For the same reason a part that looks
-- different is measured again with as many rounds, and is called different only when both say so.
local machine = require("bench.machine")
local stats = require("bench.stats")

local rounds = {
    limit = 600, -- seconds that one run may take
    tries = 4, -- at most, for one run
    repeated = 0, -- runs that were made again, because the machine was busy elsewhere
}

local small = 1024 -- bytes; up to here a call costs more than its message

local function file_take(path)
    local file = io.open(path)
    local text = file and file:read("a") or ""
    if file then
        file:close()
    end
    os.remove(path)
    return text
end

-- An application's arguments, with the one that makes it print its time.
function rounds.timed(program, arguments)
    return program.timed and arguments or arguments .. " --time"
end

local function run_once(program, kind, path, arguments)
    local file = program.output and os.tmpname()
    if program.what == "application" then
        arguments = rounds.timed(program, arguments)
    elseif file then
        arguments = arguments .. " " .. program.output .. " " .. machine.quote(file)
    end
    local text = machine.run(kind.command(program.ranks, path, arguments, program.options), rounds.limit)
    local values = program.parse(file and file_take(file) or text, kind)
    if not values then
        machine.fail("verification failed: %s as %s: %s", program.name, kind.name, text)
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

function rounds.compile(program, list)
    local paths = {}
    for _, kind in ipairs(list) do
        paths[kind] = kind.compile(program)
    end
    return paths
end

-- samples[key][kind name] is a list with one value a round; rounds `first` to `last` are added.
local function measure(program, list, paths, samples, first, last, arguments, progress)
    for round = first, last do
        for _, kind in ipairs(order_of(list, round)) do
            progress(program.name .. ", " .. kind.name .. ", round " .. round)
            local values, calls = machine.undisturbed(rounds.tries, run_once, program, kind, paths[kind], arguments)
            rounds.repeated = rounds.repeated + calls - 1
            for key, value in pairs(values) do
                samples[key] = samples[key] or {}
                samples[key][kind.name] = samples[key][kind.name] or {}
                samples[key][kind.name][round] = value
            end
        end
    end
end

-- Keys are "NAME/BYTES", or only a name. By name, then by bytes.
local function keys_of(samples)
    local keys = {}
    for key in pairs(samples) do
        keys[#keys + 1] = key
    end
    table.sort(keys, function(a, b)
        local x, y = a:match("^[^/]*"), b:match("^[^/]*")
        if x ~= y then
            return x < y
        end
        return (tonumber(a:match("/(%d+)$")) or 0) < (tonumber(b:match("/(%d+)$")) or 0)
    end)
    return keys
end

-- The parts of a program: a name ("" for an application) and keys.
local function parts_of(program, samples)
    local parts = {{name = "", keys = {}}, {name = "long", keys = {}}}
    for _, key in ipairs(keys_of(samples)) do
        local bytes = tonumber(key:match("/(%d+)$")) or 0
        table.insert(parts[bytes <= small and 1 or 2].keys, key)
    end
    if #parts[2].keys == 0 then
        parts[2] = nil
    elseif program.what ~= "application" then
        parts[1].name = "short"
    end
    return parts
end

function rounds.ratios(a, b, first)
    local list = {}
    for i = first or 1, math.min(#a, #b) do
        list[#list + 1] = a[i] / b[i]
    end
    return list
end

-- The ratios of a part from round `first` on.
local function part_ratios(part, samples, kind, base, first)
    local sums, all = {}, 0
    for _, key in ipairs(part.keys) do
        for i, ratio in ipairs(rounds.ratios(samples[key][kind.name], samples[key][base.name], first)) do
            sums[i] = (sums[i] or 0) + math.log(ratio)
        end
        all = all + 1
    end
    for i, sum in ipairs(sums) do
        sums[i] = math.exp(sum / all)
    end
    return sums
end

-- The kinds of which a part looks different in the rounds from `first` on.
local function suspects(program, samples, list, base, smallest, first)
    local found = {}
    for _, kind in ipairs(list) do
        for _, part in ipairs(kind ~= base and parts_of(program, samples) or {}) do
            local verdict = stats.verdict(part_ratios(part, samples, kind, base, first), smallest)
            if verdict == "slower" or verdict == "faster" then
                found[#found + 1] = kind
                break
            end
        end
    end
    return found
end

-- Effect: measures `count` rounds of all kinds, and as many again of those that look different.
function rounds.measure(program, list, base, count, arguments, smallest, progress)
    local paths, samples = rounds.compile(program, list), {}
    measure(program, list, paths, samples, 1, count, arguments, progress)
    local again = suspects(program, samples, list, base, smallest, 1)
    if #again > 0 then
        measure(program, {base, table.unpack(again)}, paths, samples, count + 1, 2 * count, arguments, progress)
    end
    return samples
end

local function described(row, ratios)
    row.median, row.rounds = stats.median(ratios), #ratios
    row.low, row.high = stats.interval(ratios)
    row.quartiles = {stats.quantile(ratios, 0.25), stats.quantile(ratios, 0.75)}
    return row
end

-- The difference that both halves of the ratios show; without one, that of all ratios.
local function verdict_of(ratios, count, smallest)
    local first = stats.verdict(table.move(ratios, 1, count, 1, {}), smallest)
    local second = stats.verdict(table.move(ratios, count + 1, #ratios, 1, {}), smallest)
    if first == second then
        return first
    end
    return stats.verdict(ratios, smallest) == "same" and "same" or "unclear"
end

-- One row for each part and kind, with its verdict.
function rounds.verdicts(program, samples, list, base, count, smallest)
    local rows = {}
    for _, part in ipairs(parts_of(program, samples)) do
        for _, kind in ipairs(list) do
            if kind ~= base then
                local all = part_ratios(part, samples, kind, base, 1)
                local row = described({program = program.name, part = part.name, kind = kind.name, base = base.name}, all)
                row.verdict = row.low and verdict_of(all, count, smallest) or "too few rounds"
                rows[#rows + 1] = row
            end
        end
    end
    return rows
end

-- One row for each key and kind, with no verdict.
function rounds.rows(program, samples, list, base)
    local rows = {}
    for _, key in ipairs(keys_of(samples)) do
        local by_kind = samples[key]
        for _, kind in ipairs(list) do
            if kind ~= base then
                rows[#rows + 1] = described({
                    program = program.name, key = key, kind = kind.name, base = base.name,
                    value = stats.median(by_kind[kind.name]), base_value = stats.median(by_kind[base.name]),
                }, rounds.ratios(by_kind[kind.name], by_kind[base.name]))
            end
        end
    end
    return rows
end

return rounds
