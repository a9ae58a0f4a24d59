-- Prints the rows of benchmarks/nodes: for each key and kind the median, and the median of the ratios to the first kind
-- of that key, round by round.
local rows, order, seen = {}, {}, {}
for line in io.lines(arg[1]) do
    local round, kind, key, value = line:match("^(%S+) (%S+) (%S+) (%S+)$")
    if value then
        local name = key .. " " .. kind
        rows[name] = rows[name] or {key = key, kind = kind}
        rows[name][tonumber(round)] = tonumber(value)
        if not seen[name] then
            seen[name] = true
            order[#order + 1] = rows[name]
        end
    end
end

local function median(values)
    table.sort(values)
    return values[(#values + 1) // 2]
end

local first = {}
for _, row in ipairs(order) do first[row.key] = first[row.key] or row end
table.sort(order, function(a, b) return a.key < b.key end)
for _, row in ipairs(order) do
    local values, ratios = {}, {}
    for round, value in pairs(row) do
        if type(round) == "number" then
            values[#values + 1] = value
            local base = first[row.key][round]
            if base then ratios[#ratios + 1] = value / base end
        end
    end
    print(string.format("%-10s %-12s %10.3f   x %.2f of %s", row.key, row.kind, median(values), median(ratios),
        first[row.key].kind))
end
