-- draw: a generator of random numbers whose sequence for a seed never changes (xorshift64*, seeded by
-- splitmix64), whatever version of Lua runs it.
local draw = {}
draw.__index = draw

function draw.new(seed)
    local z = seed * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019
    z = (z ~ (z >> 30)) * 0xBF58476D1CE4E5B9
    z = (z ~ (z >> 27)) * 0x94D049BB133111EB
    z = z ~ (z >> 31)
    return setmetatable({state = z ~= 0 and z or 1}, draw)
end

-- A number from 0 to `count` - 1.
function draw:below(count)
    local x = self.state
    x = x ~ (x >> 12)
    x = x ~ (x << 25)
    x = x ~ (x >> 27)
    self.state = x
    return ((x * 0x2545F4914F6CDD1D) >> 33) % count
end

function draw:one_of(list)
    return list[self:below(#list) + 1]
end

return draw
