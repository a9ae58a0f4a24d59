-- terminal: the table that grows while the bench runs, and below it how far it is.
local terminal = {}

local done, all, started = 0, 0, os.time()
local shown = os.execute("test -t 2")

local function line_clear()
    if shown then
        io.stderr:write("\r\27[K")
    end
end

-- Effect: so many more runs are to be expected.
function terminal.expect(count)
    all = all + count
end

-- Effect: one more run begins.
function terminal.progress(what)
    done, all = done + 1, math.max(all, done + 1)
    if shown then
        local left = (os.time() - started) / done * (all - done)
        io.stderr:write(string.format("\r\27[K[%d/%d] %s, about %d min left", done, all, what, math.ceil(left / 60)))
    end
end

function terminal.say(...)
    line_clear()
    print(string.format(...))
    io.flush()
end

function terminal.complain(...)
    line_clear()
    io.stderr:write("benchmarks: ", string.format(...), "\n")
end

-- 0.00123 as "1.23 ms".
function terminal.seconds(value)
    if not value then
        return ""
    end
    if value == 0 then
        return "0 s"
    end
    for _, unit in ipairs({{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}) do
        if math.abs(value) >= unit[1] or unit[2] == "ns" then
            return string.format("%.3g %s", value / unit[1], unit[2])
        end
    end
end

return terminal
