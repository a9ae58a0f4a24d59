#!/usr/bin/env lua5.4
-- papers.lua [FTSIM]: numbers of published studies beside those of ftsim, as tables, with reasons where they differ.
--
-- Riesen et al., "Alleviating scalability issues of checkpointing protocols" (SC'12): 168 hours of work, sockets of 5
-- years, 16 GB a node at 5 GB/s (3.2 s), 5 % spares, 1 % loggers. Daly (2006), equations 20 and 37. Ferreira et al.
-- (SC'11), equation 1. FTHP-MPI (Joshi and Vadhiyar, 2025), HPCG.
local json = require "dkjson"
local ftsim = arg[1] or "build/bin/ftsim"

-- The results of ftsim for a job, given as the fields of its table, on each number of nodes: result[nodes][protection].
local function simulate(fields, nodes, precision)
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write("return {" .. fields .. "}\n")
    file:close()
    local pipe = assert(io.popen(string.format("'%s' --json - --runs 2000 --precision %g --nodes %s %s", ftsim,
                                               precision, table.concat(nodes, ","), path)))
    local answer = assert(json.decode(pipe:read("a")), "ftsim gives no JSON")
    pipe:close()
    os.remove(path)
    local result = {}
    for _, point in ipairs(answer.points) do
        local row = {}
        for _, sample in ipairs(point.protections) do row[sample.protection] = sample end
        result[math.tointeger(point.nodes)] = row
    end
    return result
end

local function finishes(sample)
    return sample.seconds and sample.unfinished * 2 <= sample.runs
end

local function hours(sample)
    return finishes(sample) and sample.seconds / 3600 or math.huge
end

local function head(title)
    print("\n" .. title .. "\n\n| what | published | ftsim | difference | |\n| --- | --- | --- | --- | --- |")
end

local function row(what, paper, ours, reason)
    local published, simulated = tonumber(paper), tonumber(ours)
    local difference = published and simulated and string.format("%+.1f %%", 100 * (simulated / published - 1)) or ""
    print(string.format("| %s | %s | %s | %s | %s |", what, paper, ours, difference, reason or ""))
end

-- The number of nodes from which on `better` costs fewer socket hours than coordinated checkpoints, within 1 %.
local function crossing(fields, better, from, to)
    fields = fields .. string.format(", protections = {%q, 'coordinated'}", better)
    while to > 1.01 * from do
        local middle = math.floor(math.sqrt(from * to))
        local result = simulate(fields, {middle}, 0.5)[middle]
        local one, two = result[better], result.coordinated
        if finishes(one) and (not finishes(two) or one.socket_hours < two.socket_hours) then
            to = middle
        else
            from = middle
        end
    end
    return string.format("%.0f", to)
end

-- Daly's equation 37, and 20.
local function daly_interval(write, mtbf)
    return write >= 2 * mtbf and mtbf or
        math.sqrt(2 * write * mtbf) * (1 + math.sqrt(write / (2 * mtbf)) / 3 + write / (18 * mtbf)) - write
end

local function daly(work, interval, write, restart, mtbf)
    return mtbf * math.exp(restart / mtbf) * (math.exp((interval + write) / mtbf) - 1) * work / interval
end

-- Failures until both copies of one of `pairs` ranks are dead (Ferreira, equation 1).
local function ferreira(pairs)
    local term, sum = 1, 1
    for k = 1, pairs do
        term = term * (pairs - k + 1) / pairs
        sum = sum + term
        if term < 1e-12 then break end
    end
    return sum
end

local function show_formulas()
    head("Closed forms: hours of a job of 168 h at 0.5 TB/s, sockets of 5 years")
    local nodes = {1000, 10000, 20000, 30000, 50000, 100000}
    local result = simulate("file_system_bandwidth = 0.5e12, loggers = 0", nodes, 1)
    for _, count in ipairs(nodes) do
        local mtbf, write = 5 * 8766 / count, math.max(3.2, count * 16e9 / 0.5e12) / 3600
        local interval = daly_interval(write, mtbf)
        if count <= 30000 then
            row(string.format("coordinated, %d nodes (Daly, eq. 20)", count),
                string.format("%.1f", daly(168, interval, write, write, mtbf)),
                string.format("%.1f", hours(result[count].coordinated)))
        end
        row(string.format("combined, %d nodes (Riesen, E)", count),
            string.format("%.1f", 168 / (1 - interval / 1.5 / mtbf - 3.2 / 3600 / mtbf)),
            string.format("%.1f", hours(result[count].combined)))
        if count <= 50000 then
            local mtti = ferreira(count) * mtbf / 2
            row(string.format("replication, %d pairs (Ferreira, eq. 1, in Daly's)", count),
                string.format("%.1f", daly(168, daly_interval(write, mtti), write, write, mtti)),
                string.format("%.1f", hours(result[count].replication)),
                count > 20000 and "equation 1 lets dead copies die again, and at the start all copies live" or "")
        end
    end
end

local function show_riesen()
    local slow, fast = "file_system_bandwidth = 0.5e12", "file_system_bandwidth = 30e12"
    head("Riesen et al.: from how many nodes on it costs fewer socket hours than coordinated checkpoints")
    row("replication, 0.5 TB/s", "20000", crossing(slow, "replication", 5000, 100000),
        "Daly's and Ferreira's equations cross at 26,000, too; a restart costs us nothing but reading")
    row("the same, a restart takes 25 minutes more", "20000",
        crossing(slow .. ", restart_seconds = 1500", "replication", 5000, 100000))
    row("replication, 30 TB/s", "more than 100000", crossing(fast, "replication", 50000, 1000000))
    row("combined, 0.5 TB/s", "10000", crossing(slow, "combined", 300, 100000),
        "logging costs us nothing unless the job says so")
    row("the same, logging takes 7 % of the time", "10000",
        crossing(slow .. ", overhead = {combined = 0.07}", "combined", 300, 100000))
    head("Riesen et al.: spares in use at most, 270,000 nodes, 1 year, 30 TB/s")
    local years = ", mtbf_years = 1, protections = {'combined', 'replication'}"
    local never = simulate(fast .. years, {270000}, 2)[270000]
    local later = simulate(fast .. years .. ", repair_hours = 78", {270000}, 2)[270000]
    row("combined", "1309", string.format("%.0f", never.combined.spares),
        string.format("half of %.0f failed nodes never come back", never.combined.failures))
    row("combined, what a reboot does not help is repaired after 78 h", "1309",
        string.format("%.0f", later.combined.spares), "78 h is what gives the published number; it is not known")
    row("replication, 270,000 pairs", "", string.format("%.0f", never.replication.spares))
end

-- A process is a node. Published: 3 hours of work, a failure of the job in 16,000 s at 1,024 processes and
-- proportionally more often beyond, 77 s to 331 s from a failure to the ranks' return, 34 s until replicas have taken
-- over. A process's checkpoint is not known: 1 GB at 30 GB/s is what explains the published share at 2,048 processes.
-- Its failures come at the job's rate however many processes there are, so each of twice as many fails half as often.
local function show_fthp()
    local published = {{1024, 0.959, 0.999}, {2048, 0.861, 0.994}, {4096, 0.714, 0.990}, {8192, 0.395, 0.973}}
    local job = "work_hours = 3, distribution = 'weibull', shape = 0.7, bytes_per_node = 1e9, spares = 1, " ..
        "file_system_bandwidth = 30e9, restart_seconds = 41, takeover_seconds = 34, cluster_nodes = 1, mtbf_years = "
    local years = 1024 * 16000 / (365.25 * 24 * 3600)
    local function share(protection, factor, count)
        local fields = string.format("%s%.9g, protections = {%q}", job, factor * years, protection)
        return simulate(fields, {count}, 0.5)[count][protection].efficiency
    end
    head("FTHP-MPI, HPCG: useful share of the time")
    for _, line in ipairs(published) do
        row(string.format("checkpoints, %d processes", line[1]), line[2],
            string.format("%.3f", share("coordinated", 1, line[1])),
            line[1] == 1024 and "five runs with 0.7 failures each" or
                line[1] == 8192 and "a restart of 331 s and the lost work explain 0.49 to 0.55; what else was lost is not said" or "")
        row(string.format("replicas, %d processes", line[1]), line[3],
            string.format("%.3f", share("replication", 2, line[1])))
    end
    local from, to = 2048, 65536
    while to > 1.01 * from do
        local middle = math.floor(math.sqrt(from * to))
        if share("replication", 2, middle) / 2 > share("coordinated", 1, middle) then to = middle else from = middle end
    end
    row("replicas on twice the processes do more work per process from, processes", "8000", string.format("%.0f", to))
end

show_formulas()
show_riesen()
show_fthp()
