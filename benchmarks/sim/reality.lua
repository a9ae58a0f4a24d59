-- reality.lua FTSIM RANKS MTBF: compares the events of `reality` (plain.jsonl, costs.jsonl, faults.jsonl) with ftsim.
local json = require "dkjson"
local ftsim, ranks, mtbf = arg[1], tonumber(arg[2]), tonumber(arg[3])

-- Sums and lists over the events of all runs of a kind.
local function read(kind)
    local seen = {ends = {}, failures = {}, launch = {}, restart = {}, write = {}, spans = {}, checkpoints = 0}
    local begun = nil
    for line in io.lines(kind .. ".jsonl") do
        local event = json.decode(line)
        local name = event.event
        if name == "job" then begun = nil end
        if name == "end" then
            seen.ends[#seen.ends + 1] = event.t
            seen.failures[#seen.failures + 1] = event.failures
        elseif name == "epoch" then
            table.insert(event.epoch == 0 and seen.launch or seen.restart, event.seconds)
            begun = nil
        elseif name == "checkpoint-begin" then
            if begun then table.insert(seen.spans, event.t - begun) end
            begun = event.t
        elseif name == "checkpoint-commit" then
            seen.checkpoints = seen.checkpoints + 1
            if begun then table.insert(seen.write, event.gather + event.write) end -- not one ordered before the start
        end
    end
    return seen
end

-- Mean, and what its 95 % interval reaches to each side.
local function mean(list)
    local sum, squares = 0, 0
    for _, value in ipairs(list) do sum = sum + value end
    for _, value in ipairs(list) do squares = squares + (value - sum / #list) ^ 2 end
    return sum / #list, #list > 1 and 1.96 * math.sqrt(squares / (#list - 1) / #list) or 0
end

local plain, costs, faults = read "plain", read "costs", read "faults"
local work = mean(plain.ends) - mean(plain.launch)
local pause = math.max(0, (mean(costs.ends) - mean(plain.ends)) * #costs.ends / costs.checkpoints)
-- ftrun takes a checkpoint as soon as the ranks are in the program, also after a restart.
local write, restart = mean(costs.write), mean(faults.restart) + pause
local interval = mean(costs.spans) - pause
-- A fault in the launch begins it again: the mean time of something that must last L without a failure.
local launch = mtbf * (math.exp((mean(plain.launch) + pause) / mtbf) - 1)
local path = os.tmpname()
local file = assert(io.open(path, "w"))
file:write(string.format([[
return { work_hours = %.9g / 3600, nodes = %d, mtbf_years = %.9g / 31557600, bytes_per_node = 1e6,
    node_bandwidth = 1e6 / %.9g, file_system_bandwidth = 1e18, pause_seconds = %.9g, restart_seconds = %.9g,
    interval = %.9g, protections = {"coordinated"}, spares = 1, reboot_chance = 1, reboot_seconds = 0 }
]], work, ranks, mtbf * ranks, math.max(write, 1e-6), math.max(pause, 1e-6), restart, interval))
file:close()
local pipe = assert(io.popen(string.format("'%s' --json - --precision 0.5 --runs 20000 %s", ftsim, path)))
local sample = json.decode(pipe:read("a")).points[1].protections[1]
pipe:close()
os.remove(path)
local time, half = mean(faults.ends)
print(string.format("%d ranks, %d rounds, a fault in %g s", ranks, #faults.ends, mtbf))
print(string.format("launch %.3f s, work %.3f s, a checkpoint each %.3f s costs %.3f s and is complete after %.3f s, " ..
    "restart %.3f s", launch, work, interval + pause, pause, write, restart))
print("| | measured | simulated | difference |")
print("| --- | --- | --- | --- |")
local function row(what, measured, measured_half, simulated, simulated_half)
    print(string.format("| %s | %.3f +- %.3f | %.3f +- %.3f | %+.1f %% |", what, measured, measured_half, simulated,
                        simulated_half, 100 * (simulated / measured - 1)))
end
row("time to completion, s", time, half, sample.seconds + launch, sample.seconds_half)
local failures, failures_half = mean(faults.failures)
row("failures", failures, failures_half, sample.failures + launch / mtbf, sample.failures_half)
