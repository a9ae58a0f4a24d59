-- page: the numbers as one HTML file without network: tables, and plots drawn by gnuplot as SVG.
local machine = require("bench.machine")

local page = {}

local style = [[
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 70rem; padding: 1rem; color: #1b1f24;
  background: #fff }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: right; padding: .2rem .6rem; border-bottom: 1px solid #d0d7de }
th:first-child, td:first-child { text-align: left }
.slower { color: #b42318; font-weight: 600 } .faster { color: #116329; font-weight: 600 }
figure { margin: 1.5rem 0; overflow-x: auto } figure svg { max-width: 100%; height: auto; background: #fff }
div.wide { overflow-x: auto }
@media (prefers-color-scheme: dark) { body { background: #15181c; color: #e6e8ea }
  th, td { border-color: #3a4046 } .slower { color: #ff8b7f } .faster { color: #6fdd8b } }
]]

local function escape(text)
    return (tostring(text):gsub("[&<>]", {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;"}))
end

local function seconds(value)
    if not value then
        return ""
    end
    for _, unit in ipairs({{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}) do
        if value >= unit[1] or unit[2] == "ns" then
            return string.format("%.3g %s", value / unit[1], unit[2])
        end
    end
end
page.seconds = seconds

-- An SVG of gnuplot commands; `data` is put into a file that they call DATA.
local function plot(title, commands, data)
    local name, out = os.tmpname(), os.tmpname()
    local file = assert(io.open(name, "w"))
    file:write(data)
    file:close()
    local script = string.format("set terminal svg size 900,420 font 'sans-serif,13' noenhanced\nset output '%s'\n%s\n",
                                 out, (commands:gsub("DATA", "'" .. name .. "'")))
    local pipe = assert(io.popen("gnuplot 2>&1", "w"))
    pipe:write(script)
    local good = pipe:close()
    local svg = io.open(out):read("a")
    os.remove(name)
    os.remove(out)
    if not good or svg == "" then
        machine.die("gnuplot cannot draw %s", title)
    end
    return string.format("<figure role=\"img\" aria-label=\"%s\">%s<figcaption>%s</figcaption></figure>\n", escape(title),
                         svg:gsub("^.-<svg", "<svg"), escape(title))
end

local function table_html(heads, rows)
    local lines = {"<div class=\"wide\"><table><thead><tr>"}
    for _, head in ipairs(heads) do
        lines[#lines + 1] = "<th scope=\"col\">" .. escape(head) .. "</th>"
    end
    lines[#lines + 1] = "</tr></thead><tbody>"
    for _, row in ipairs(rows) do
        local cells = {}
        for i, cell in ipairs(row) do
            local class = (cell == "slower" or cell == "faster") and " class=\"" .. cell .. "\"" or ""
            cells[i] = "<td" .. class .. ">" .. escape(cell) .. "</td>"
        end
        lines[#lines + 1] = "<tr>" .. table.concat(cells) .. "</tr>"
    end
    lines[#lines + 1] = "</tbody></table></div>\n"
    return table.concat(lines, "\n")
end

local function ratio_rows(rows)
    local list = {}
    for i, row in ipairs(rows) do
        list[i] = {row.program .. (row.key ~= "seconds" and " " .. row.key or ""), row.kind,
                   string.format("%.3f", row.median), row.low and string.format("%.3f to %.3f", row.low, row.high) or "too few rounds",
                   seconds(row.value), seconds(row.base_value), row.verdict}
    end
    return table_html({"program", "kind", "ratio", "95 % interval", "time", "time of the base", "verdict"}, list)
end

local function ratio_plot(rows)
    local lines, kinds, order, number = {}, {}, {}, 0
    for _, row in ipairs(rows) do
        if row.key == "seconds" then
            if not kinds[row.kind] then
                kinds[row.kind], order[#order + 1] = {}, row.kind
            end
            local block = kinds[row.kind]
            block[#block + 1] = string.format("%d \"%s\" %.5f %.5f %.5f", #block, row.program, row.median,
                                              row.low or row.median, row.high or row.median)
            number = math.max(number, #block)
        end
    end
    local parts = {}
    for i, kind in ipairs(order) do
        lines[#lines + 1] = table.concat(kinds[kind], "\n")
        parts[i] = string.format("DATA index %d using ($1+%.2f):3:4:5:xtic(2) with yerrorbars pt 7 title '%s'", i - 1,
                                 (i - 1) * 0.15, kind)
    end
    if number == 0 then
        return ""
    end
    return plot("Time of each application against the base (median of the paired ratios, 95 % interval)",
                "set ylabel 'ratio'\nset grid y\nset xrange [-0.5:" .. number ..
                "]\nset xtics rotate by -30\nplot 1 lc 'gray' notitle, " .. table.concat(parts, ", "),
                table.concat(lines, "\n\n\n") .. "\n")
end

-- Seconds by size for one key of the micro-benchmarks, a line for each kind.
local function curve_plot(samples, program, key, title, factor)
    local stats, parts, blocks, kinds = require("bench.stats"), {}, {}, {}
    for name, by_kind in pairs(samples[program] or {}) do
        local bytes = tonumber(name:match("^" .. key:gsub("%-", "%%-") .. "/(%d+)$"))
        for kind, list in pairs(bytes and by_kind or {}) do
            kinds[kind] = kinds[kind] or {}
            table.insert(kinds[kind], {bytes, stats.median(list)})
        end
    end
    for kind, points in pairs(kinds) do
        local lines = {}
        table.sort(points, function(a, b) return a[1] < b[1] end)
        for i, point in ipairs(points) do
            lines[i] = string.format("%g %g", math.max(point[1], 0.5), factor and point[1] / point[2] / 1e6 or point[2])
        end
        parts[#parts + 1] = string.format("DATA index %d with linespoints pt 7 title '%s'", #blocks, kind)
        blocks[#blocks + 1] = table.concat(lines, "\n")
    end
    if #blocks == 0 then
        return ""
    end
    return plot(title, "set logscale xy\nset grid\nset key left\nset xlabel 'bytes'\nset ylabel '" ..
                (factor and "MB/s" or "seconds") .. "'\nplot " .. table.concat(parts, ", "),
                table.concat(blocks, "\n\n\n") .. "\n")
end

local function recovery_html(rows)
    local lines, cells = {}, {}
    for i, row in ipairs(rows) do
        lines[i] = string.format("\"%s %d%%\" %g %g %g", row.program, row.share, row.detection,
                                 math.max(row.restart - row.detection, 0), row.rework)
        cells[i] = {row.program, row.kind, row.share .. " %", seconds(row.detection), seconds(row.restart),
                    seconds(row.rework), row.ratio and string.format("%.2f", row.ratio) or "", seconds(row.total),
                    seconds(row.undisturbed), row.runs[1].checkpoint}
    end
    if #rows == 0 then
        return ""
    end
    return plot("Where the time of a recovery goes",
                "set style data histograms\nset style histogram rowstacked\nset style fill solid 0.8\nset boxwidth 0.7\n" ..
                "set ylabel 'seconds'\nset grid y\nset xtics rotate by -30\n" ..
                "plot DATA using 2:xtic(1) title 'detection', '' using 3 title 'restart', '' using 4 title 'rework'",
                table.concat(lines, "\n") .. "\n") ..
        table_html({"program", "kind", "death at", "detection", "death to all back", "rework", "rework / same work",
                    "total", "undisturbed", "from checkpoint"}, cells)
end

local function checkpoint_html(rows)
    local lines, cells = {}, {}
    for i, row in ipairs(rows) do
        lines[i] = string.format("%d %g %g", row.megabytes, row.pause, row.cost)
        cells[i] = {row.megabytes .. " MB a rank", row.kind, seconds(row.pause), seconds(row.cost), seconds(row.span)}
    end
    if #rows == 0 then
        return ""
    end
    return plot("Cost of a checkpoint by the size of the image",
                "set xlabel 'MB a rank'\nset ylabel 'seconds'\nset grid\nset key left\n" ..
                "plot DATA using 1:2 with linespoints pt 7 title 'pause', '' using 1:3 with linespoints pt 5 title " ..
                "'pause and slowdown until the commit'", table.concat(lines, "\n") .. "\n") ..
        table_html({"image", "kind", "pause", "lost until the commit", "order to commit"}, cells)
end

-- Effect: writes the page for a result (as in the JSON) to `path`.
function page.write(result, path)
    local about = {}
    for key, value in pairs(result.machine) do
        about[#about + 1] = escape(key) .. ": " .. escape(value)
    end
    table.sort(about)
    local parts = {
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">",
        "<title>Benchmarks</title><style>", style, "</style><main><h1>Benchmarks</h1><p>", table.concat(about, "; "),
        ".</p><p>", result.rounds, " rounds; base: ", escape(result.base),
        result.busy and "; <strong>the machine was busy: the numbers mean little</strong>" or "", ".</p>",
        "<h2>Applications and micro-benchmarks</h2>", ratio_plot(result.rows),
        curve_plot(result.samples, "p2p", "roundtrip", "Round trip (seconds)"),
        curve_plot(result.samples, "p2p", "window", "Bandwidth", true),
        curve_plot(result.samples, "p2p", "window-both", "Bandwidth in both directions, one rank's share", true),
        ratio_rows(result.rows), "<h2>Recovery</h2>", recovery_html(result.recovery), "<h2>Checkpoints</h2>",
        checkpoint_html(result.checkpoints), "<h2>Log growth</h2><p>", escape(result.log.note), "</p></main></html>\n",
    }
    local file = assert(io.open(path, "w"))
    file:write(table.concat(parts))
    file:close()
end

return page
