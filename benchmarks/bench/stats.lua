-- stats: medians and their spread. Pure functions.
local stats = {}

local function sorted(list)
    local copy = table.move(list, 1, #list, 1, {})
    table.sort(copy)
    return copy
end

function stats.quantile(list, q)
    local order = sorted(list)
    local at = 1 + q * (#order - 1)
    local low = math.floor(at)
    return order[low] + (at - low) * ((order[low + 1] or order[low]) - order[low])
end

function stats.median(list)
    return stats.quantile(list, 0.5)
end

function stats.mean(list)
    local sum = 0
    for _, value in ipairs(list) do
        sum = sum + value
    end
    return sum / #list
end

-- The probability that at most k of n fair coins show heads.
local function binomial_below(k, n)
    local sum, term = 0, 0.5 ^ n
    for i = 0, k do
        sum = sum + term
        term = term * (n - i) / (i + 1)
    end
    return sum
end

-- The interval that holds the true median with at least 95 %, by order statistics (no assumption
-- about the distribution): low, high. With fewer than 6 values there is none: nothing.
function stats.interval(list)
    local order, cut = sorted(list), -1
    while binomial_below(cut + 1, #order) <= 0.025 do
        cut = cut + 1
    end
    if cut < 0 then
        return nil, nil
    end
    return order[cut + 1], order[#order - cut]
end

local wide = 0.05 -- the slowdown that the bench must not overlook

-- "slower" or "faster" for ratios of which 1 means equal: the whole interval lies beyond the smallest
-- difference that is called one. "same": it does not, and allows no large difference. Else "unclear".
function stats.verdict(ratios, smallest)
    local low, high = stats.interval(ratios)
    if low and low > 1 + smallest then
        return "slower"
    elseif high and high < 1 - smallest then
        return "faster"
    elseif low and low >= 1 - wide and high <= 1 + wide then
        return "same"
    end
    return "unclear"
end

return stats
