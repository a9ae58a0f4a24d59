-- Tests of what warm.lua calls a warm log: run from the folder above.
local warm = require("bench.warm")

local function log(rank, logged, dropped)
    return {event = "log", rank = rank, logged = logged, dropped = dropped}
end

assert(not warm.problem({{event = "end"}, log(0, 800, 500), log(1, 500, 500)}))
assert(warm.problem({log(0, 800, 500), log(1, 300, 0)}):match("no checkpoint has shortened the log of rank 1"))
assert(warm.problem({log(0, 800, 300), log(1, 800, 500)}):match("rank 0 logged 500 bytes after 300"))
assert(warm.problem({{event = "end"}}):match("no account"))
assert(warm.suits({name = "spbc", protocol = "spbc"}) and not warm.suits({name = "spbc:1", protocol = "spbc"}))
assert(not warm.suits({name = "native"}) and not warm.suits({name = "coordinated", protocol = "coordinated"}))
print("warm: good")
