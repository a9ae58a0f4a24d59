-- loggrowth: how fast the logs of messages grow, by number of clusters (the papers' table): each
-- application once on eight ranks in 2, 4 and 8 clusters of neighbouring ranks, without checkpoints, so
-- that nothing is dropped.
local machine = require("bench.machine")
local events = require("bench.events")
local rounds = require("bench.pairs")

local loggrowth = {ranks = 8, clusters = {2, 4, 8}}

-- Bytes that the ranks logged, in all and the most by one, and the seconds of the main loop.
local function log_run(program, kind, path, arguments, clusters)
    local file = os.tmpname()
    local text = machine.run(kind.command(loggrowth.ranks, path, rounds.timed(program, arguments),
                                          "--checkpoint-interval 3600 --clusters " .. clusters .. " --events " .. file),
                             rounds.limit)
    local list = events.all(events.read(file), "log")
    os.remove(file)
    local values = program.parse(text)
    if not values or #list ~= loggrowth.ranks then
        machine.fail("%s in %d clusters: %s", program.name, clusters,
                     values and "no account of every rank's log" or "it does not verify")
    end
    local sum = 0
    for _, event in ipairs(list) do
        sum = sum + event.logged
    end
    return sum, events.largest(list, "logged"), values.seconds
end

-- A row for each number of clusters: bytes per process and second, average and maximum, and the bytes
-- of one run, average.
function loggrowth.measure(program, kind, arguments, progress)
    local path, rows = kind.compile(program), {}
    for _, clusters in ipairs(loggrowth.clusters) do
        progress(string.format("log of %s, %d clusters", program.name, clusters))
        local sum, most, seconds = log_run(program, kind, path, arguments, clusters)
        rows[#rows + 1] = {
            program = program.name, kind = kind.name, ranks = loggrowth.ranks, clusters = clusters, seconds = seconds,
            bytes = sum / loggrowth.ranks, average = sum / loggrowth.ranks / seconds, maximum = most / seconds,
        }
    end
    return rows
end

return loggrowth
