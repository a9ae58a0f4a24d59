-- netpipe: NetPIPE (Snell, Mikler, Gustafson), the ping-pong that the papers show, from Debian's
-- source package. A program like the others, but for its source and its results, which are a file.
local machine = require("bench.machine")

local netpipe = {}

-- "BYTES MBIT/S SECONDS" a line. All sizes must be there: NetPIPE ends with 0 whatever happens.
local function parse(text, least)
    local values, count = {}, 0
    for bytes, seconds in text:gmatch("(%d+) +[%d.]+ +([%d.]+)\n") do
        values["pingpong/" .. bytes], count = tonumber(seconds), count + 1
    end
    return count >= least and values
end

-- The program, or nothing and the reason why it cannot be had. Its source is kept in `folder`.
function netpipe.program(here, folder)
    local text, good = machine.capture(machine.quote(here .. "/netpipe-source") .. " " .. machine.quote(folder) .. " 2>&1")
    local source = text:match("([^\n]+)\n$")
    if not good then
        return nil, source or "netpipe-source failed"
    end
    return {
        name = "netpipe", ranks = 2, what = "micro-benchmark", output = "-o",
        arguments = "-p 0 -u 1048576 -n 100", quick = "-p 0 -u 65536 -n 500", -- seven trials each: spbc logs 3 GB of 1 MB
        flags = "-DMPI -w -I " .. machine.quote(source),
        sources = {machine.quote(source .. "/netpipe.c"), machine.quote(source .. "/mpi.c")},
        parse = function(content) return parse(content, 20) end,
    }
end

return netpipe
