-- expect.lua [--not-better] FILE... <FACTS: holds what a report says about FILEs against the marks in their comments.
--
-- A mark is a comment of its own, "/* expect: ITEM, ITEM */", and speaks of the line it stands in, or,
-- where nothing but comments stands before it, of the next line with code. An item is
--
--     CLASS (WILDCARD, ...)   the next call in this line that is a site; "CLASS or CLASS" allows both
--     override                that site's class is the user's word
--     pattern WORD            that site belongs to a pattern which is separated by WORD
--     finding RULE            a finding is reported in this line, or about the site in it; "RULE?"
--                             allows it
--
-- An unmarked call must not be reported. A line of FACTS has the tab-separated fields
--     site FILE LINE COLUMN CLASS WILDCARDS WORDS REASON
--     finding FILE LINE RULE MESSAGE
-- Prints a line for each difference, and exits with 1 when there is one. With --not-better only a class
-- that is better than all that are allowed is a difference; it prints how many sites are as marked.

local marks, facts = {}, {}
local only_better = arg[1] == "--not-better" and table.remove(arg, 1) ~= nil
local order_of = {deterministic = 1, ["send-deterministic"] = 2, ["channel-deterministic"] = 3,
    ["non-deterministic"] = 4, unknown = 4}
local sites, as_marked = 0, 0

local function place(list, file, line)
    local key = file .. ":" .. line
    list[key] = list[key] or {file = file, line = line, sites = {}, findings = {}}
    return list[key]
end

-- The items of a mark: commas inside of parentheses do not separate.
local function items(text)
    local list, depth, item = {}, 0, ""
    for character in (text .. ","):gmatch(".") do
        depth = depth + (character == "(" and 1 or character == ")" and -1 or 0)
        if character == "," and depth == 0 then
            list[#list + 1] = item:match("^%s*(.-)%s*$")
            item = ""
        else
            item = item .. character
        end
    end
    return list
end

local function mark_read(spot, text)
    for _, item in ipairs(items(text)) do
        local site = spot.sites[#spot.sites]
        if item:match("^finding ") then
            spot.findings[#spot.findings + 1] = item:sub(9)
        elseif item == "override" or item:match("^pattern ") then
            site.words[#site.words + 1] = item
        else
            local classes, wildcards = item:match("^([a-z%- ]-) %(([a-z, ]*)%)$")
            assert(classes, spot.file .. ":" .. spot.line .. ": no mark: " .. item)
            spot.sites[#spot.sites + 1] = {classes = classes, wildcards = wildcards, words = {}}
        end
    end
end

local function marks_read(name)
    local number, waiting = 0, nil
    for line in io.lines(name) do
        number = number + 1
        local text = line:match("/%* expect: (.-) %*/")
        local code = line:gsub("/%*.-%*/", ""):match("%S")
        if code and (text or waiting) then
            mark_read(place(marks, name, number), text or waiting)
        end
        waiting = not code and (text or waiting) or nil
    end
end

local function facts_read()
    for line in io.lines() do
        local field = {}
        for word in (line .. "\t"):gmatch("(.-)\t") do
            field[#field + 1] = word
        end
        local spot = place(facts, field[2], tonumber(field[3]))
        if field[1] == "site" then
            spot.sites[#spot.sites + 1] = {column = tonumber(field[4]), class = field[5],
                wildcards = field[6], words = field[7], text = field[8]}
        else
            spot.findings[#spot.findings + 1] = {rule = field[4], text = field[5]}
        end
    end
end

local bad = false

local function complain(spot, ...)
    bad = true
    print(("%s:%d: %s"):format(spot.file, spot.line, string.format(...)))
end

local function site_check(spot, mark, fact)
    local allowed = (" or " .. mark.classes .. " or "):find(" or " .. fact.class .. " or ", 1, true)
    if not allowed or mark.wildcards ~= fact.wildcards then
        complain(spot, "expected %s (%s), found %s (%s): %s", mark.classes, mark.wildcards,
            fact.class, fact.wildcards, fact.text)
    end
    local told = {}
    for _, word in ipairs(mark.words) do
        told[word] = true
        if not (", " .. fact.words .. ","):find(", " .. word .. ",", 1, true) then
            complain(spot, "expected %s, found \"%s\"", word, fact.words)
        end
    end
    if fact.words:find("override", 1, true) and not told.override then
        complain(spot, "the class is the user's word")
    end
end

local function better_check(spot, expected, found)
    table.sort(found, function(a, b) return a.column < b.column end)
    for i, fact in ipairs(found) do
        local best = expected[i] and 9 or 1
        for class in ((expected[i] or {classes = ""}).classes .. " or "):gmatch("(.-) or ") do
            best = math.min(best, order_of[class] or best)
        end
        sites = sites + 1
        as_marked = as_marked + (order_of[fact.class] == best and 1 or 0)
        if order_of[fact.class] < best then
            complain(spot, "expected %s, found %s: %s", expected[i].classes, fact.class, fact.text)
        end
    end
end

local function sites_check(spot, expected, found)
    table.sort(found, function(a, b) return a.column < b.column end)
    for i = 1, math.max(#expected, #found) do
        if not found[i] then
            complain(spot, "expected a site, %s, found none", expected[i].classes)
        elseif not expected[i] then
            complain(spot, "a site that is not expected: %s (%s): %s", found[i].class,
                found[i].wildcards, found[i].text)
        else
            site_check(spot, expected[i], found[i])
        end
    end
end

local function findings_check(spot, expected, found)
    local left = {}
    for _, finding in ipairs(found) do
        left[#left + 1] = finding
    end
    for _, rule in ipairs(expected) do
        local name, seen = rule:gsub("%?$", ""), false
        for i, finding in ipairs(left) do
            if finding.rule == name then
                table.remove(left, i)
                seen = true
                break
            end
        end
        if not seen and name == rule then
            complain(spot, "expected the finding %s, found none", rule)
        end
    end
    for _, finding in ipairs(left) do
        complain(spot, "a finding that is not expected: %s: %s", finding.rule, finding.text)
    end
end

for _, name in ipairs(arg) do
    marks_read(name)
end
facts_read()
local keys = {}
for key, spot in pairs(marks) do
    keys[key] = spot
end
for key, spot in pairs(facts) do
    keys[key] = spot
end
local order = {}
for key in pairs(keys) do
    order[#order + 1] = key
end
table.sort(order, function(a, b)
    a, b = keys[a], keys[b]
    return a.file < b.file or a.file == b.file and a.line < b.line
end)
for _, key in ipairs(order) do
    local nothing = {sites = {}, findings = {}}
    local mark, fact = marks[key] or nothing, facts[key] or nothing
    if only_better then
        better_check(keys[key], mark.sites, fact.sites)
    else
        sites_check(keys[key], mark.sites, fact.sites)
        findings_check(keys[key], mark.findings, fact.findings)
    end
end
if only_better then
    print(("%d sites, %d as marked"):format(sites, as_marked))
end
os.exit(bad and 1 or 0)
