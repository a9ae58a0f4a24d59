-- Tests of stats.lua: run from the folder above.
local stats = require("bench.stats")

local function near(a, b)
    assert(math.abs(a - b) < 1e-12, a .. " is not " .. b)
end

near(stats.median({3, 1, 2}), 2)
near(stats.median({4, 1, 2, 3}), 2.5)
near(stats.quantile({1, 2, 3, 4, 5}, 0.25), 2)
-- The second and the eighth of nine values bound the median with 96 %.
local low, high = stats.interval({9, 8, 7, 6, 5, 4, 3, 2, 1})
assert(low == 2 and high == 8)
-- Only the ends of six values do, and five are too few.
low, high = stats.interval({1, 2, 3, 4, 5, 6})
assert(low == 1 and high == 6)
assert(stats.interval({1, 2, 3, 4, 5}) == nil)

-- Equal programs with noise of 3 % are not told apart; one that is 5 % slower is.
local equal, slow = {}, {}
for i = 1, 9 do
    equal[i] = 1 + 0.03 * math.sin(i * 2.4)
    slow[i] = 1.05 + 0.03 * math.sin(i * 2.4)
end
assert(stats.verdict(equal, 0.01) == "same")
assert(stats.verdict(slow, 0.01) == "slower")
assert(stats.verdict({0.9, 0.91, 0.92, 0.9, 0.91, 0.92, 0.9, 0.91, 0.92}, 0.01) == "faster")
assert(stats.verdict({2, 2, 2}, 0.01) == "unclear", "three rounds say nothing")
local noisy = {}
for i = 1, 9 do
    noisy[i] = 1.05 + 0.2 * math.sin(i * 2.4)
end
assert(stats.verdict(noisy, 0.01) == "unclear", "so much noise hides 5 %")
print("stats: good")
