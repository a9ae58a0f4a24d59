-- The standard campaign: each point of the runtime, MPI calls of the programs at each moment, and all kinds of faults,
-- as a first, second and third failure. testsuite/campaign runs it.
local plans = {}

local function plan(name, ...)
    plans[#plans + 1] = { name = name, plan = table.concat({ ... }, " ") }
end

-- A first failure, so that there is a recovery.
local first = 'fault.at("END_OF_STEP", { rank = seed % ranks, tag1 = 20 + seed % 40 })'
-- A victim, which the seed draws, and a pass of the point.
local victim = "rank = (seed * 7) % ranks, call = 1 + seed % 5"
local late = "rank = (seed * 7) % ranks"

for _, point in ipairs { "begin", "drain", "save", "taken", "commit", "committed" } do
    local name = "checkpoint:" .. point

    plan(name, ('fault.at("%s", { %s })'):format(name, victim))
    plan(name .. " after a failure", first, ('fault.at("%s", { rank = (seed * 7) %% ranks, call = 4 + seed %% 4 })'):format(name))
    plan(name .. " three times", ('fault.at("%s", { %s, times = 3 })'):format(name, victim))
end
for _, point in ipairs { "write", "sync", "written" } do
    for _, kind in ipairs { "kill", "_exit" } do
        plan("checkpoint:" .. point .. " " .. kind,
            ('fault.at("checkpoint:%s", { %s, kind = "%s" })'):format(point, victim, kind), first)
    end
end
plan("checkpoint:write disk-full", ('fault.at("checkpoint:write", { %s, kind = "disk-full" })'):format(victim), first)
plan("corrupt-checkpoint", ('fault.at("checkpoint:sync", { %s, kind = "corrupt-checkpoint" })'):format(victim),
    'fault.at("checkpoint:committed", { rank = 0, call = 6 })')
for _, point in ipairs { "epoch:start", "epoch:library", "leave:begin", "leave:image", "leave:exec", "recovery:image",
    "recovery:handles", "recovery:exchange", "recovery:replay", "recovery:resume" } do
    plan(point, first, ('fault.at("%s", { %s })'):format(point, late))
    plan(point .. " twice", first, ('fault.at("%s", { %s, times = 2 })'):format(point, late))
    plan(point .. " and another rank", first, ('fault.at("%s", { %s })'):format(point, late),
        ('fault.at("%s", { rank = (seed * 7 + 1) %% ranks, call = 2 })'):format(point))
end
plan("finalize:wait", 'fault.at("finalize:wait", { rank = seed % ranks })')
plan("finalize:end", 'fault.at("finalize:end", { rank = seed % ranks })')
for _, call in ipairs { "Init", "Sendrecv", "Allreduce", "Finalize", "any" } do
    for _, moment in ipairs { "before", "inside", "after" } do
        local number = (call == "Init" or call == "Finalize") and "1" or "10 + seed * 13 % 70"

        plan("mpi:" .. call .. " " .. moment,
            ('fault.at("mpi:%s", { rank = (seed * 7) %% ranks, call = %s, moment = "%s" })'):format(call, number, moment))
    end
end
for _, kind in ipairs { "exit", "_exit", "segv", "abort" } do
    plan(kind, ('fault.at("END_OF_STEP", { rank = seed %% ranks, tag1 = 15 + seed * 11 %% 80, kind = "%s" })'):format(kind))
end
plan("hang", 'fault.at("END_OF_STEP", { rank = seed % ranks, tag1 = 15 + seed * 11 % 80, kind = "hang" })')
plan("recovery:resume hang", first, ('fault.at("recovery:resume", { %s, kind = "hang" })'):format(late))
plan("slow", 'fault.at("END_OF_STEP", { rank = seed % ranks, tag1 = 30, kind = "slow", seconds = 0.3 })', first)
plan("microseconds", 'fault.at("mpi:Sendrecv", { rank = seed % ranks, call = 30, after_us = 10 + seed * 3 })')
plan("instructions", 'fault.at("mpi:Sendrecv", { rank = seed % ranks, call = 30, instruction = 100 + seed * 37 })')
plan("random", 'fault.random { mtbf = 0.5, seed = seed, most = 3 }')

return {
    programs = { { name = "sort", command = "./sort 100", ranks = 4 } },
    protocols = { "coordinated", { "spbc", clusters = 2 }, { "spbc", clusters = 4 },
        { "auto", name = "replicas", options = "--replicas all" } },
    plans = plans,
    seeds = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 },
    options = "--checkpoint-interval 0.1",
    limit = 60,
}
