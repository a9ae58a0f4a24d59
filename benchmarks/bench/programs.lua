-- programs: what is measured, and with which arguments: full, and quick.
--
-- A program has a name, a number of ranks, sources (as words of a shell), flags of its own (or nil),
-- arguments, options of ftrun (or nil), what ("application" or "micro-benchmark"), hooks (true when it has a main loop of ten turns,
-- so that a death can be placed; or arguments that give it one), app (true when it is of apps/), output (an option that names the file of its results; otherwise they are
-- printed), and parse(text, kind): seconds by key, or nil when the text is not that of a good run.
local machine = require("bench.machine")

local programs = {}

local here

local function source(name)
    return machine.quote(here .. "/" .. name)
end

-- A file of the benchmarks, as a word of a shell.
programs.source = source

local function app(name, ranks, full, quick, hooks)
    programs.list[#programs.list + 1] = {
        name = name, ranks = ranks, arguments = full, quick = quick, hooks = hooks, what = "application", app = true,
        sources = {source("apps/" .. name .. ".c"), source("apps/app.c")},
        parse = function(text)
            local seconds = tonumber(text:match("\nseconds (%S+)\n"))
            return text:match("\n" .. name .. ": verified\n") and seconds and {seconds = seconds}
        end,
    }
end

-- The demo of the test suite: its checksum must be there, and its time is the last argument it needs.
local function heat()
    programs.list[#programs.list + 1] = {
        name = "heat", ranks = 2, arguments = "1024 1500 500 time", quick = "512 3000 500 time", hooks = true,
        what = "application", sources = {source("../testsuite/programs/heat.c")}, timed = true,
        parse = function(text)
            local seconds = tonumber(text:match("\nseconds (%S+)\n"))
            return text:match("\nheat: rank 1: %x+\n") and seconds and {seconds = seconds}
        end,
    }
end

-- A parse of lines "NAME BYTES SECONDS", `least` of them at least.
function programs.points(least)
    return function(text)
        local values, count = {}, 0
        for key, bytes, seconds in text:gmatch("([%w_-]+) (%d+) (%S+)\n") do
            values[key .. "/" .. bytes], count = tonumber(seconds), count + 1
        end
        return count >= least and values
    end
end

local function micro(name, ranks, least, ...)
    programs.list[#programs.list + 1] = {
        name = name, ranks = ranks, arguments = "--ms 20", quick = "--ms 4", what = "micro-benchmark",
        sources = {source("latency/" .. name .. ".c"), source("latency/micro.c"), ...}, parse = programs.points(least),
    }
end

-- Effect: fills programs.list; `folder` is that of the benchmarks.
function programs.load(folder)
    here, programs.list = folder, {}
    heat()
    app("halo", 2, "--size 96 --steps 400", "--size 48 --steps 400", true)
    app("cg", 2, "--size 40 --repeat 6", "--size 24 --repeat 10", false)
    app("amg", 2, "--size 511 --steps 150", "--size 255 --steps 20", true)
    app("pic", 2, "--particles 200000 --steps 60", "--particles 60000 --steps 60", true)
    app("lattice", 2, "--size 16 --repeat 20", "--size 12 --repeat 5", false)
    app("hydro", 2, "--size 256 --steps 800", "--size 160 --steps 250", true)
    app("ep", 2, "A --steps 64", "S --steps 64", true)
    app("dt", 2, "W --graph 2 --steps 40", "S --graph 2 --steps 60", true)
    app("is", 2, "A", "W", "W --repeat 40")
    app("lu", 2, "--size 96 --steps 60", "--size 64 --steps 60", true)
    app("tasks", 2, "--size 512 --depth 1000 --steps 6", "--size 256 --depth 1000 --steps 6", "--size 256 --depth 1000 --steps 20")
    app("transpose", 2, "--size 128 --steps 6", "--size 64 --steps 8", "--size 64 --steps 40")
    micro("p2p", 2, 40, source("warm.c"))
    micro("collectives", 2, 122)
    micro("completion", 2, 42)
    micro("communicators", 2, 4)
    micro("malloc", 1, 5)
    micro("files", 2, 6)
    return programs.list
end

return programs
