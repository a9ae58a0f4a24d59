-- groundtruth.lua TRUTH SITES TREES: the table of testsuite/real/groundtruth.
--
-- TRUTH has the tab-separated fields program, source, file, function, call, class, argument. SITES has
-- program, file, line, last line, function, call, wildcards, those that are only perhaps open, class,
-- reason. TREES has program, folder.
--
-- Which sites a row speaks of: those of its file and function (a name in parentheses is only a
-- description; "and siblings" means functions of similar names; versions spell names in several ways),
-- whose function of MPI its call names, with the wildcards that it names. Names among its arguments,
-- and the word "send", choose among them, and so do wildcards that are open for certain, as
-- far as they choose anything. "#2" behind the call chooses the second of these in the file. Rows that
-- differ in nothing but a description share the sites in their order.
--
-- At the end, for each program: rows found, right, better than the truth, worse than it, and `unknown`
-- without need.

local rank = {["deterministic"] = 1, ["send-deterministic"] = 2, ["channel-deterministic"] = 3,
    ["unknown"] = 4, ["non-deterministic"] = 5}

local function lines_read(name, fields)
    local list = {}
    for line in io.lines(name) do
        local record, number = {}, 0
        for word in (line .. "\t"):gmatch("(.-)\t") do
            number = number + 1
            if fields[number] then
                record[fields[number]] = word
            end
        end
        list[#list + 1] = record
    end
    return list
end

local rows = lines_read(arg[1], {"program", "source", "file", "func", "call", "class", "argument"})

-- "as above" stands for the argument of the row before.
for i = 2, #rows do
    rows[i].argument = rows[i].argument:gsub("^as above", function()
        return rows[i - 1].argument
    end)
end
local sites = lines_read(arg[2],
    {"program", "file", "line", "last", "func", "call", "wildcards", "maybe", "class", "reason"})
local trees = {}
for _, tree in ipairs(lines_read(arg[3], {"program", "folder"})) do
    trees[tree.program] = tree.folder
end
if rows[1] and rows[1].program == "program" then
    table.remove(rows, 1)
end

-- A site's call in the source.
local function site_words(site)
    local words, number = "", 0
    local file = io.open(trees[site.program] .. "/" .. site.file)
    for line in file and file:lines() or function() end do
        number = number + 1
        if number >= tonumber(site.line) and number <= tonumber(site.last) then
            words = words .. " " .. line
        end
    end
    if file then
        file:close()
    end
    return words
end

local mpi_words = {Test = 1, Testall = 1, Testany = 1, Testsome = 1, Waitany = 1, Waitsome = 1,
    Probe = 1, Iprobe = 1, Mprobe = 1, Improbe = 1, Recv = 1, Irecv = 1, Recv_init = 1, Sendrecv = 1}

-- The functions of MPI that a row names, each with what it says about its arguments.
local function row_calls(row)
    local calls = {}
    local rest = row.call:gsub("(MPI_[%w_]+)(%b())", function(name, arguments)
        local call = {source = arguments:find("ANY_SOURCE") ~= nil,
            tag = arguments:find("ANY_TAG") ~= nil, words = {}}
        for word in arguments:gsub("MPI_", ""):gmatch("[%a_][%w_]*") do
            if word ~= "ANY_SOURCE" and word ~= "ANY_TAG" and word ~= "source" then
                call.words[#call.words + 1] = word
            end
        end
        calls[name] = call
        return ""
    end)
    for word in rest:gmatch("[%a_][%w_]*") do
        local name = word:gsub("^MPI_", "")
        if mpi_words[name] and not calls["MPI_" .. name] then
            calls["MPI_" .. name] = {words = {}}
        end
    end
    for word in rest:gmatch("[%a_][%w_]*") do
        for _, call in pairs(word:match("^send$") and calls or {}) do
            call.words[#call.words + 1] = word
        end
    end
    return calls
end

-- The number of letters to insert, delete or replace.
local function distance(a, b)
    local row = {}
    for j = 0, #b do
        row[j] = j
    end
    for i = 1, #a do
        local corner = row[0]
        row[0] = i
        for j = 1, #b do
            local above = row[j]
            row[j] = math.min(above + 1, row[j - 1] + 1, corner + (a:byte(i) == b:byte(j) and 0 or 1))
            corner = above
        end
    end
    return row[#b]
end

local function function_fits(row, site)
    if row.func:match("^%(") then
        return true
    end
    local name = row.func:match("^[%w_]+")
    return distance(site.func, name) <= 1 or row.func:find("and siblings", 1, true) and #name > 12 and
        site.func:sub(-12) == name:sub(-12)
end

local function call_fits(calls, site)
    local call = calls[site.call:gsub("^P", "")]
    return call and (not call.source or site.wildcards:find("source")) and
        (not call.tag or site.wildcards:find("tag"))
end

-- Those of `found` whose call has one of the row's words, or all when none has.
local function choose(calls, found)
    local chosen = {}
    for _, site in ipairs(found) do
        local words = site_words(site)
        for _, word in ipairs(calls[site.call:gsub("^P", "")].words) do
            if words:find(word, 1, true) then
                chosen[#chosen + 1] = site
                break
            end
        end
    end
    return #chosen > 0 and chosen or found
end

-- Those of `found` that are open for certain, or all when none is.
local function choose_certain(calls, found)
    local chosen = {}
    for _, site in ipairs(found) do
        if not (calls[site.call:gsub("^P", "")].source and site.maybe:find("source")) then
            chosen[#chosen + 1] = site
        end
    end
    return #chosen > 0 and chosen or found
end

-- Those of `found` in a function with the very name of the row, or all when there is none.
local function choose_exact(row, found)
    local name, chosen = row.func:match("^[%w_]+"), {}
    for _, site in ipairs(found) do
        if site.func == name then
            chosen[#chosen + 1] = site
        end
    end
    return #chosen > 0 and not row.func:find("and siblings", 1, true) and chosen or found
end

-- The n-th place among `found` for a row whose call ends with "#n". A place has several sites when its
-- file is compiled more than once.
local function choose_numbered(row, found)
    local number = tonumber(row.call:match("#(%d+)$"))
    if not number then
        return found
    end
    local chosen, place, line = {}, 0, nil
    for _, site in ipairs(found) do
        if site.line ~= line then
            place, line = place + 1, site.line
        end
        if place == number then
            chosen[#chosen + 1] = site
        end
    end
    return chosen
end

local function ends_with(text, tail)
    return text == tail or text:sub(-#tail - 1) == "/" .. tail
end

local function row_sites(row)
    local calls, found = row_calls(row), {}
    for _, site in ipairs(sites) do
        if site.program == row.program and ends_with(site.file, row.file) and
            function_fits(row, site) and call_fits(calls, site) then
            found[#found + 1] = site
        end
    end
    table.sort(found, function(a, b) return tonumber(a.line) < tonumber(b.line) end)
    return choose_numbered(row, choose(calls, choose_certain(calls, choose_exact(row, found))))
end

-- Rows that differ in their description alone: the n-th gets the n-th site, the last the rest.
local function share(row, found)
    local before, after = 0, 0
    for _, other in ipairs(rows) do
        if other.program == row.program and other.file == row.file and other.call == row.call and
            other.func:match("^%(") and row.func:match("^%(") then
            if other == row then
                after = -before
            end
            before = before + 1
        end
    end
    local number, count = -after + 1, before
    if count < 2 then
        return found
    end
    return {table.unpack(found, number, number < count and number or #found)}
end

local function worst(found)
    local class
    for _, site in ipairs(found) do
        if not class or rank[site.class] > rank[class] then
            class = site.class
        end
    end
    return class
end

-- Where the truth is "unknown": each site is that, worse, or a class that the argument names.
local function compare_unknown(row, found)
    local result = "differs"
    for _, site in ipairs(found) do
        local named = (" " .. row.argument .. " "):find("[^%a%-]" .. site.class:gsub("%-", "%%-") .. "[^%a%-]")
        if site.class == "unknown" or named then
            result = "agrees"
        elseif site.class ~= "non-deterministic" then
            return "BETTER"
        end
    end
    return result
end

local function compare(row, found)
    local class = worst(found)
    if row.class == "unknown" then
        return compare_unknown(row, found)
    elseif class == row.class then
        return "agrees"
    end
    return rank[class] < rank[row.class] and class ~= "unknown" and "BETTER" or "differs"
end

-- "MISSING" also where fewer sites are found than the row counts: "(14 receives)".
local function judge(row)
    if not trees[row.program] then
        return "left out", {}
    end
    local found = share(row, row_sites(row))
    local wanted = tonumber(row.func:match("^%((%d+) ")) or 1
    if #found < wanted then
        return "MISSING", found
    end
    return compare(row, found), found
end

-- How the rows of each program came out, in the order of the programs.
local programs, tally = {}, {}

local function tally_add(row, result, found)
    local line = tally[row.program]
    if not line then
        line = {rows = 0, agrees = 0, BETTER = 0, MISSING = 0, worse = 0, unknown = 0, ["left out"] = 0}
        tally[row.program] = line
        programs[#programs + 1] = row.program
    end
    line.rows = line.rows + 1
    local kind = result ~= "differs" and result or worst(found) == "unknown" and "unknown" or "worse"
    line[kind] = line[kind] + 1
end

local function tally_print()
    local total = {rows = 0, agrees = 0, BETTER = 0, MISSING = 0, worse = 0, unknown = 0, ["left out"] = 0}
    print(("\n%-14s %5s %6s %6s %7s %6s %8s"):format("program", "rows", "found", "right", "better", "worse", "unknown"))
    local function out(name, line)
        print(("%-14s %5d %6d %6d %7d %6d %8d"):format(name, line.rows,
            line.rows - line.MISSING - line["left out"], line.agrees, line.BETTER, line.worse, line.unknown))
    end
    for _, name in ipairs(programs) do
        out(name, tally[name])
        for kind, number in pairs(tally[name]) do
            total[kind] = total[kind] + number
        end
    end
    out("all", total)
end

local count = {agrees = 0, differs = 0, BETTER = 0, MISSING = 0, ["left out"] = 0}
local wrong = 0
for _, row in ipairs(rows) do
    local result, found = judge(row)
    count[result] = count[result] + 1
    tally_add(row, result, found)
    wrong = wrong + (result == "differs" and row.class ~= "unknown" and 1 or 0)
    print(("\n%-8s  %s, %s, %s: %s\n          truth: %s"):format(result, row.program, row.file,
        row.func, row.call, row.class))
    for _, site in ipairs(found) do
        print(("          %s:%s %s (%s): %s\n              %s"):format(site.func, site.line, site.call,
            site.wildcards, site.class, site.reason))
    end
end
tally_print()
print(("\n%d rows: %d agree, %d differ (%d of them where the truth is not unknown), %d better, %d missing, %d left out")
    :format(#rows, count.agrees, count.differs, wrong, count.BETTER, count.MISSING, count["left out"]))
os.exit((count.BETTER > 0 or count.MISSING > 0 or wrong > 1) and 1 or 0)
