-- summary: what came of the runs of soak and matrix.
--
--     lua5.4 summary.lua [-l PERCENT] RESULTS.tsv...
--
-- Prints a table with a line for each program, and below it, for all runs: how many were right, wrong, hung
-- or missed (nobody died: the call or the moment did not come); of the single failures with several
-- clusters, how many took back one cluster, and for each reason how many took back more; the median
-- pause from a death until all ranks were back in the program. Exits with 1 when a run was wrong or
-- hung, when more rolled back and no reason was told, or, with -l, when less than PERCENT of at least 20
-- single failures were contained.
local enough = 20    -- single failures, for a share
local interval = 0.2 -- seconds between checkpoints in these runs
local recovery = 2   -- seconds that a run may take longer for each death, besides

local function rows_read(path, rows)
    local names
    for line in assert(io.open(path)):lines() do
        local row, at = {}, 0
        for field in (line .. "\t"):gmatch("([^\t]*)\t") do
            at = at + 1
            row[names and names[at] or at] = field
        end
        if names then
            rows[#rows + 1] = row
        else
            names = row
        end
    end
end

local function number(text)
    return tonumber(text) or 0
end

local function tally_new()
    return {right = 0, wrong = 0, hang = 0, missed = 0, runs = 0, deaths = 0, rollbacks = 0, real = 0,
            late = 0, single = 0, contained = 0, pauses = {}, reasons = {}}
end

local function single_add(tally, row)
    tally.single = tally.single + 1
    if row.back == "1" then
        tally.contained = tally.contained + 1
    else
        local why = row.why == "-" and "unexplained" or row.why
        tally.reasons[why] = (tally.reasons[why] or 0) + 1
    end
end

local function add(tally, row)
    tally.runs = tally.runs + 1
    tally[row.verdict] = tally[row.verdict] + 1
    for _, name in ipairs({"deaths", "rollbacks", "real"}) do
        tally[name] = tally[name] + number(row[name])
    end
    if number(row.seconds) > number(row.undisturbed) + number(row.deaths) * (interval + recovery) then
        tally.late = tally.late + 1
    end
    if row.deaths == "1" and number(row.clusters) > 1 and number(row.back) > 0 then
        single_add(tally, row)
    end
    tally.pauses[#tally.pauses + 1] = tonumber(row.pause)
end

local function median(values)
    table.sort(values)
    local middle = #values // 2
    if #values % 2 == 1 then
        return values[middle + 1]
    end
    return #values > 0 and (values[middle] + values[middle + 1]) / 2 or nil
end

local function share(part, whole, digits)
    return whole > 0 and string.format("%." .. digits .. "f", 100 * part / whole) or "-"
end

local function show(name, tally)
    local pause = median(tally.pauses)
    print(string.format("%-20s %5s %6s %6s %6s %5s %7s %11s %8s %5s", name, tally.runs, tally.deaths, tally.right,
        tally.wrong, tally.hang, tally.missed, share(tally.contained, tally.single, 0),
        pause and string.format("%.3f", pause) or "-", tally.late))
end

local function sorted_keys(map)
    local keys = {}
    for key in pairs(map) do
        keys[#keys + 1] = key
    end
    table.sort(keys)
    return keys
end

local function show_single(all)
    if all.single == 0 then
        return
    end
    print(string.format("single failures with several clusters %d: contained %d (%s %%), wider %d", all.single,
        all.contained, share(all.contained, all.single, 1), all.single - all.contained))
    for _, why in ipairs(sorted_keys(all.reasons)) do
        print(string.format("  wider %d: %s", all.reasons[why], why))
    end
end

local function show_all(all)
    print("late: longer than undisturbed + (interval + 2 s) per death; contained: % of single failures")
    print(string.format("runs %d: right %d, wrong %d, hangs %d, missed %d", all.runs, all.right, all.wrong, all.hang,
        all.missed))
    print(string.format("deaths %d, ranks that rolled back %d, %s %% of them to a checkpoint of at least 1", all.deaths,
        all.rollbacks, share(all.real, all.rollbacks, 0)))
    show_single(all)
    local pause = median(all.pauses)
    print("median pause " .. (pause and string.format("%.3f s", pause) or "-"))
end

local rows, all, programs, least, first = {}, tally_new(), {}, 0, 1
if arg[1] == "-l" then
    least, first = tonumber(arg[2]), 3
end
for i = first, #arg do
    rows_read(arg[i], rows)
end
for _, row in ipairs(rows) do
    programs[row.program] = programs[row.program] or tally_new()
    add(programs[row.program], row)
    add(all, row)
end
print(string.format("%-20s %5s %6s %6s %6s %5s %7s %11s %8s %5s", "program", "runs", "deaths", "right", "wrong",
    "hangs", "missed", "contained %", "pause s", "late"))
for _, name in ipairs(sorted_keys(programs)) do
    show(name, programs[name])
end
show("all", all)
show_all(all)
os.exit(all.wrong + all.hang == 0 and not all.reasons.unexplained and
    (all.single < enough or all.contained * 100 >= all.single * least))
