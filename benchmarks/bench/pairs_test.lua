-- Tests of the verdicts in pairs.lua: run from the folder above.
local rounds = require("bench.pairs")

local base, slow = {name = "base"}, {name = "slow"}

-- `count` rounds: the base takes about 1, the other one `first` in the first half and `second` then.
local function times(first, second, count)
    local list = {base = {}, slow = {}}
    for i = 1, count do
        list.base[i] = 1 + 0.1 * math.sin(i)
        list.slow[i] = list.base[i] * (i <= count // 2 and first or second) * (1 + 0.01 * math.sin(i * 2.4))
    end
    return list
end

local function verdicts(program, samples, count)
    local list = {}
    for i, row in ipairs(rounds.verdicts(program, samples, {base, slow}, base, count, 0.01)) do
        list[i] = row.part .. ":" .. row.verdict
    end
    return table.concat(list, " ")
end

local app = {name = "halo", what = "application"}
assert(verdicts(app, {seconds = times(1.05, 1.05, 18)}, 9) == ":slower")
assert(verdicts(app, {seconds = times(0.95, 0.95, 18)}, 9) == ":faster")
assert(verdicts(app, {seconds = times(1.05, 1.00, 18)}, 9) == ":unclear", "the second half does not agree")
assert(verdicts(app, {seconds = times(1.05, 0.95, 18)}, 9) == ":unclear", "the halves contradict each other")
assert(verdicts(app, {seconds = times(1.05, 1.05, 9)}, 9) == ":unclear", "it was not measured again")
assert(verdicts(app, {seconds = times(1.00, 1.00, 9)}, 9) == ":same", "nothing to be measured again")
assert(verdicts(app, {seconds = times(1.05, 1.05, 4)}, 2) == ":too few rounds")

-- A slowdown of a call is seen in the short messages, and not watered down by the long ones.
local micro = {name = "p2p", what = "micro-benchmark"}
local samples = {["latency/8"] = times(1.06, 1.06, 18), ["latency/512"] = times(1.04, 1.04, 18),
                 ["latency/65536"] = times(1, 1, 18), ["window/1048576"] = times(1, 1, 18)}
assert(verdicts(micro, samples, 9) == "short:slower long:same")
local rows = rounds.rows(micro, samples, {base, slow}, base)
assert(#rows == 4 and rows[1].key == "latency/8" and rows[2].key == "latency/512" and rows[4].key == "window/1048576")
assert(not rows[1].verdict and math.abs(rows[1].median - 1.06) < 0.01)
print("pairs: good")
