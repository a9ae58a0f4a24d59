-- The standard campaign's part on several nodes (testsuite/campaign): nodes, connections and ranks are lost, as a first and
-- second failure, at points of the runtime and of the program. Runs inside of testsuite/cluster/nodes, with 4 nodes of which
-- two are spares; `nodes` is found by PATH.
local plans = {}

local function plan(name, ...)
    plans[#plans + 1] = { name = name, plan = table.concat({ ... }, " ") }
end

local first = 'fault.at("END_OF_STEP", { rank = seed % ranks, tag1 = 20 + seed % 40, kind = "node" })'
local killed = 'fault.at("END_OF_STEP", { rank = seed % ranks, tag1 = 20 + seed % 40 })'

for _, kind in ipairs { "node", "kill" } do
    plan("step " .. kind, ('fault.at("END_OF_STEP", { rank = seed %% ranks, tag1 = 15 + seed * 11 %% 80, kind = "%s" })'):format(kind))
    for _, call in ipairs { "Sendrecv", "Allreduce", "Finalize" } do
        plan(call .. " " .. kind, ('fault.at("mpi:%s", { rank = (seed * 7) %% ranks, call = %s, kind = "%s" })'):format(call,
            call == "Finalize" and "1" or "10 + seed * 13 % 70", kind))
    end
    for _, point in ipairs { "begin", "drain", "save", "taken" } do
        plan(("checkpoint:%s %s"):format(point, kind),
            ('fault.at("checkpoint:%s", { rank = (seed * 7) %% ranks, call = 2 + seed %% 4, kind = "%s" })'):format(point, kind))
    end
    plan("node, then " .. kind, first,
        ('fault.at("END_OF_STEP", { rank = (seed + 2) %% ranks, tag1 = 65 + seed %% 30, kind = "%s" })'):format(kind))
    plan("death, then recovery " .. kind, killed,
        ('fault.at("recovery:resume", { rank = (seed * 7) %% ranks, kind = "%s" })'):format(kind))
end
for _, point in ipairs { "commit", "committed" } do
    plan("checkpoint:" .. point .. " link",
        ('fault.at("checkpoint:%s", { rank = (seed * 7) %% ranks, number = 3 + seed, kind = "link" })'):format(point))
end
plan("link at a moment", 'fault.after(0.8 + seed % 7 * 0.1, { node = "n" .. seed % 2, kind = "link" })')

local nodes = { "--launcher", "nodes enter {node}", "--hosts", "n0:2,n1:2,n2:2,n3:2", "--spares", "2", "--heartbeat", "1" }

local function on_nodes(...)
    local words = { table.unpack(nodes) }
    for _, word in ipairs { ... } do words[#words + 1] = word end
    return words
end

return {
    programs = { { name = "sort", command = "./sort 100", ranks = 4 } },
    protocols = { { "coordinated", name = "nodes", options = on_nodes() },
        { "spbc", name = "nodes, a cluster each", options = on_nodes("--clusters", "node") } },
    plans = plans,
    seeds = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 },
    options = "--checkpoint-interval 0.1",
    limit = 60,
}
