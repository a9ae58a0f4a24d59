#!/usr/bin/env lua5.4
-- papers.lua FTSIM: numbers of published studies beside those of ftsim, as a table.
--
-- Riesen et al., "Alleviating scalability issues of checkpointing protocols" (SC'12): 168 hours of work, sockets of 5
-- years, 16 GB a node at 5 GB/s (3.2 s), 5 % spares, 1 % loggers. Daly (2006), equations 20 and 37.
local json = require "dkjson"
local ftsim = arg[1] or "build/bin/ftsim"

-- The results of ftsim for a job, given as the fields of its table, on each number of nodes: result[nodes][protection].
local function simulate(fields, nodes)
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write("return {" .. fields .. "}\n")
    file:close()
    local pipe = assert(io.popen(string.format("'%s' --json - --precision 2 --nodes %s %s", ftsim,
                                               table.concat(nodes, ","), path)))
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

local function hours(sample)
    return sample.seconds and sample.unfinished * 2 <= sample.runs and sample.seconds / 3600 or math.huge
end

local function row(what, paper, ours)
    local published, simulated = tonumber(paper), tonumber(ours)
    local difference = published and simulated and string.format("%+.1f %%", 100 * (simulated / published - 1)) or ""
    print(string.format("| %s | %s | %s | %s |", what, paper, ours, difference))
end

-- The number of nodes, on a grid with steps of 10 %, from which on `better` costs fewer socket hours than `worse`.
local function crossing(fields, better, worse, from, to)
    local nodes, at = {}, from
    while at <= to do
        nodes[#nodes + 1] = math.floor(at + 0.5)
        at = at * 1.1
    end
    local result = simulate(fields .. string.format(", protections = {%q, %q}", better, worse), nodes)
    for _, count in ipairs(nodes) do
        local one, two = result[count][better], result[count][worse]
        if hours(one) < math.huge and (hours(two) == math.huge or one.socket_hours < two.socket_hours) then
            return count
        end
    end
    return "none"
end

-- Daly's equation 20 with the interval of equation 37.
local function daly(work, write, restart, mtbf)
    local interval = write >= 2 * mtbf and mtbf or
        math.sqrt(2 * write * mtbf) * (1 + math.sqrt(write / (2 * mtbf)) / 3 + write / (18 * mtbf)) - write
    return mtbf * math.exp(restart / mtbf) * (math.exp((interval + write) / mtbf) - 1) * work / interval, interval
end

print("| what | published | ftsim | difference |")
print("| --- | --- | --- | --- |")
local nodes = {1000, 10000, 20000, 30000}
local result = simulate("file_system_bandwidth = 0.5e12", nodes)
for _, count in ipairs(nodes) do
    local mtbf, write = 5 * 8766 / count, math.max(3.2, count * 16e9 / 0.5e12) / 3600
    local form, interval = daly(168, write, write, mtbf)
    row(string.format("coordinated, %d nodes, 0.5 TB/s, hours (Daly, eq. 20)", count), string.format("%.1f", form),
        string.format("%.1f", hours(result[count].coordinated)))
    row(string.format("combined, %d nodes, 0.5 TB/s, hours (Riesen, E)", count),
        string.format("%.1f", 168 / (1 - interval / 1.5 / mtbf - 3.2 / 3600 / mtbf)),
        string.format("%.1f", hours(result[count].combined)))
end
row("replication cheaper than coordinated in socket hours from, nodes, 0.5 TB/s", "20000",
    tostring(crossing("file_system_bandwidth = 0.5e12", "replication", "coordinated", 5000, 100000)))
row("replication cheaper than coordinated in socket hours from, nodes, 30 TB/s", "more than 100000",
    tostring(crossing("file_system_bandwidth = 30e12", "replication", "coordinated", 50000, 1000000)))
row("combined cheaper than coordinated in socket hours from, nodes, 0.5 TB/s", "10000",
    tostring(crossing("file_system_bandwidth = 0.5e12", "combined", "coordinated", 500, 100000)))
local large = simulate("file_system_bandwidth = 30e12, mtbf_years = 1, protections = {'combined', 'replication'}", {270000})
row("combined, 270,000 nodes, 1 year, 30 TB/s, spares at most", "1309",
    string.format("%.0f", large[270000].combined.spares))
row("replication, likewise", "", string.format("%.0f", large[270000].replication.spares))
