-- protocols: what the papers say of their protocols, and what was measured here. A statement answers a text with the
-- numbers, and whether it holds; nil: what it needs was not measured.
local protocols = {}

-- What `--only protocols` measures: latency, performance by the number of deaths, recovery by the position of the death
-- in the run, and instructions of calls.
protocols.only = {"p2p", "faults", "recovery", "instructions"}

-- The member of the first row with these values.
local function value(rows, wanted, member)
    for _, row in ipairs(rows) do
        local fits = true
        for name, text in pairs(wanted) do
            fits = fits and row[name] == text
        end
        if fits then
            return row[member]
        end
    end
end

-- The programs that were run with deaths, each with the ratio of one kind's seconds to another one's.
local function death_ratios(result, kind, other, deaths)
    local list = {}
    for _, row in ipairs(result.faults) do
        local seconds = row.kind == other and row.deaths == deaths and
            value(result.faults, {program = row.program, kind = kind, deaths = deaths}, "seconds")
        if seconds then
            list[#list + 1] = {name = row.program, ratio = seconds / row.seconds}
        end
    end
    return list
end

local function listed(list)
    local parts, least, most = {}, math.huge, 0
    for i, entry in ipairs(list) do
        parts[i] = string.format("%s %.2f", entry.name, entry.ratio)
        least, most = math.min(least, entry.ratio), math.max(most, entry.ratio)
    end
    return table.concat(parts, ", "), least, most
end

-- Seconds of one kind over those of another with so many deaths; holds(least, most) judges them.
local function compared(kind, other, deaths, holds)
    return function(result)
        local list = death_ratios(result, kind, other, deaths)
        if #list > 0 then
            local text, least, most = listed(list)
            return string.format("%s / %s with %d deaths: %s", kind, other, deaths, text), holds(least, most)
        end
    end
end

local function latency(result)
    local ratio = value(result.rows, {program = "p2p", key = "latency/8", kind = "pessimistic"}, "median")
    if ratio then
        return string.format("half a round trip of 8 B, pessimistic / %s: %.2f", result.base, ratio), ratio >= 2
    end
end

-- Death to the end of the rework, hydee over spbc, at each share of the run.
local function replay(result)
    local list = {}
    for _, row in ipairs(result.recovery) do
        local other = row.kind == "hydee" and {program = row.program, kind = "spbc", share = row.share}
        local restart, rework = other and value(result.recovery, other, "restart"), other and value(result.recovery, other, "rework")
        if rework and restart + rework > 0 then
            list[#list + 1] = {name = row.program .. " at " .. row.share .. " %", ratio = (row.restart + row.rework) / (restart + rework)}
        end
    end
    if #list > 0 then
        local text, _, most = listed(list)
        return "death to the end of the rework, hydee / spbc: " .. text, most > 1.1
    end
end

local function instructions(result)
    local own = value(result.instructions, {what = "8-byte send", kind = "hydee"}, "count")
    local other = value(result.instructions, {what = "8-byte send", kind = "spbc"}, "count")
    if own and other then
        return string.format("instructions of an 8-byte send: hydee %d, spbc %d", own, other), own <= 1.01 * other
    end
end

protocols.statements = {
    {"Bouteiller et al., SC'03 (MPICH-V2)", "pessimistic logging doubles or triples the latency", latency},
    {"Bouteiller et al., 2010 (Open MPI-V)", "sender-based logging with filtered events is near native",
     compared("pessimistic", "none", 0, function(_, most) return most <= 1.05 end)},
    {"Lemarinier et al., Cluster'04", "coordination costs less than logging while faults are rare",
     compared("coordinated", "pessimistic", 0, function(_, most) return most <= 1.02 end)},
    {"Lemarinier et al., Cluster'04", "and more when they are frequent",
     compared("coordinated", "pessimistic", 8, function(least) return least > 1 end)},
    {"Buntinas et al., 2008", "non-blocking coordination costs about what blocking one does",
     compared("coordinated:nonblocking", "coordinated", 0, function(least, most) return least > 0.9 and most < 1.1 end)},
    {"Guermouche et al., IPDPS'12 (HydEE)", "phases cost nothing without a failure", instructions},
    {"Ropars et al., SC'13 (SPBC), figure 6", "recovery is up to twice as fast as HydEE's", replay},
}

-- Rows of paper, statement, what was measured, and whether it holds.
function protocols.judged(result)
    local rows = {}
    for _, statement in ipairs(protocols.statements) do
        local text, holds = statement[3](result)
        rows[#rows + 1] = text and {statement[1], statement[2], text, holds and "holds" or "does not hold"}
    end
    return rows
end

return protocols
