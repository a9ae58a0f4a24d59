-- page: the numbers as one HTML file without network: tables, and plots drawn by gnuplot as SVG.
local machine = require("bench.machine")
local stats = require("bench.stats")
local seconds = require("bench.terminal").seconds

local page = {}

local style = [[
:root { color-scheme: light dark; --text: #1b1f24; --ground: #fff; --line: #d0d7de; --slow: #b42318; --fast: #116329 }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e8ea; --ground: #15181c; --line: #3a4046; --slow: #ff8b7f; --fast: #6fdd8b } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 64rem; padding: 1rem; color: var(--text);
  background: var(--ground) }
h2 { margin-top: 2.5rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem } dt { font-weight: 600 } dd { margin: 0 }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: right; padding: .25rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left }
table.verdicts :is(th, td):last-child, table.statements :is(th, td) { text-align: left; white-space: normal }
td.slower { color: var(--slow); font-weight: 600 } td.faster { color: var(--fast); font-weight: 600 }
.wide { overflow-x: auto } figure { margin: 2rem 0 } figure img { display: block; width: 100%; min-width: 40rem;
  background: #fff; border-radius: 4px } figcaption { margin-bottom: .4rem; font-weight: 600 }
.problem { border-left: 4px solid var(--slow); padding-left: .8rem; overflow-wrap: anywhere }
summary { cursor: pointer; padding: .4rem 0 }
]]

-- Colours that tell the kinds apart on white, for colour-blind readers, too (Okabe and Ito).
local colours = "set linetype 1 lc rgb '#0072b2'\nset linetype 2 lc rgb '#d55e00'\nset linetype 3 lc rgb '#009e73'\n" ..
    "set linetype 4 lc rgb '#cc79a7'\nset linetype 5 lc rgb '#56b4e9'\nset linetype 6 lc rgb '#e69f00'\n"

local function escape(text)
    return (tostring(text):gsub("[&<>\"]", {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ["\""] = "&quot;"}))
end

-- A text between single quotes of gnuplot.
local function quoted(text)
    return "'" .. text:gsub("'", "''") .. "'"
end

local function drawn(script)
    local out = os.tmpname()
    local pipe = assert(io.popen("gnuplot 2>&1 >" .. out, "w"))
    pipe:write("set terminal svg size 900,420 font 'sans-serif,14' noenhanced background 'white'\n", colours, script, "\n")
    local good = pipe:close()
    local file = io.open(out)
    local svg = file:read("a")
    file:close()
    os.remove(out)
    return good and svg ~= "" and svg
end

-- A figure made by gnuplot commands; `data` is put into a file that they call DATA. The drawing is an
-- image of its own, because gnuplot gives the same ids to the parts of each.
local function plot(title, commands, data)
    local name = os.tmpname()
    local file = assert(io.open(name, "w"))
    file:write(data)
    file:close()
    local svg = drawn((commands:gsub("DATA", "'" .. name .. "'")))
    os.remove(name)
    if not svg then
        machine.die("gnuplot cannot draw %s", title)
    end
    svg = svg:gsub("[%%#\"<>\n\r?&]", function(c) return string.format("%%%02X", c:byte()) end)
    return string.format("<figure><figcaption>%s</figcaption><div class=\"wide\"><img alt=\"%s\" src=\"data:image/svg+xml;" ..
                         "charset=utf-8,%s\"></div></figure>\n", escape(title), escape(title), svg)
end

local function table_html(heads, rows, class)
    local lines = {"<div class=\"wide\"><table class=\"" .. (class or "plain") .. "\"><thead><tr>"}
    for _, head in ipairs(heads) do
        lines[#lines + 1] = "<th scope=\"col\">" .. escape(head) .. "</th>"
    end
    lines[#lines + 1] = "</tr></thead><tbody>"
    for _, row in ipairs(rows) do
        local cells = {}
        for i, cell in ipairs(row) do
            local colour = (cell == "slower" or cell == "faster") and " class=\"" .. cell .. "\"" or ""
            cells[i] = "<td" .. colour .. ">" .. escape(cell) .. "</td>"
        end
        lines[#lines + 1] = "<tr>" .. table.concat(cells) .. "</tr>"
    end
    lines[#lines + 1] = "</tbody></table></div>\n"
    return table.concat(lines, "\n")
end

local function ratio_text(value)
    return value and string.format("%.3f", value) or ""
end

local function interval_text(row)
    return row.low and ratio_text(row.low) .. " to " .. ratio_text(row.high) or ""
end

local function verdict_table(rows)
    local list = {}
    for i, row in ipairs(rows) do
        list[i] = {row.program .. (row.part ~= "" and ", " .. row.part or ""), row.kind, ratio_text(row.median),
                   interval_text(row), row.rounds, row.verdict}
    end
    return table_html({"program", "kind", "ratio", "95 % interval", "rounds", "verdict"}, list, "verdicts")
end

-- All points of a program, folded away.
local function point_tables(rows)
    local names, lists = {}, {}
    for _, row in ipairs(rows) do
        if not lists[row.program] then
            names[#names + 1], lists[row.program] = row.program, {}
        end
        table.insert(lists[row.program], {row.key, row.kind, ratio_text(row.median), interval_text(row),
                                          seconds(row.value), seconds(row.base_value)})
    end
    local parts = {}
    for i, name in ipairs(names) do
        parts[i] = "<details><summary>" .. escape(name) .. "</summary>" ..
            table_html({"point", "kind", "ratio", "95 % interval", "time", "time of the base"}, lists[name]) .. "</details>\n"
    end
    return table.concat(parts)
end

local function ratio_plot(rows)
    local blocks, order, number = {}, {}, 0
    for _, row in ipairs(rows) do
        if not blocks[row.kind] then
            blocks[row.kind], order[#order + 1] = {}, row.kind
        end
        local block = blocks[row.kind]
        block[#block + 1] = string.format("%d \"%s%s\" %.5f %.5f %.5f", #block, row.program,
                                          row.part ~= "" and ", " .. row.part or "", row.median,
                                          row.low or row.median, row.high or row.median)
        number = math.max(number, #block)
    end
    local parts, lines = {}, {}
    for i, kind in ipairs(order) do
        lines[i] = table.concat(blocks[kind], "\n")
        parts[i] = string.format("DATA index %d using ($1+%.2f):3:4:5%s with yerrorbars pt 7 lw 1.5 title %s", i - 1,
                                 (i - (#order + 1) / 2) * 0.2, i == 1 and ":xtic(2)" or "", quoted(kind))
    end
    if number == 0 then
        return ""
    end
    return plot("Time of each program against the base: median of the paired ratios with its 95 % interval; " ..
                "1 is the base, and less is faster", "set ylabel 'ratio'\nset grid y\nset key outside top left horizontal\n" ..
                "set xrange [-0.6:" .. number - 0.4 .. "]\nset xtics rotate by -40\n" ..
                "plot 1 lc 'gray' lw 1.5 notitle, " .. table.concat(parts, ", "), table.concat(lines, "\n\n\n") .. "\n")
end

-- The points {bytes, median seconds} of one key, by kind.
local function curves_of(samples, key)
    local curves = {}
    for name, by_kind in pairs(samples or {}) do
        local bytes = tonumber(name:match("^(.*)/%d+$") == key and name:match("%d+$"))
        for kind, list in pairs(bytes and by_kind or {}) do
            curves[kind] = curves[kind] or {}
            table.insert(curves[kind], {bytes, stats.median(list)})
        end
    end
    for _, points in pairs(curves) do
        table.sort(points, function(a, b) return a[1] < b[1] end)
    end
    return curves
end

-- Seconds, or MB/s, by size: a line for each kind, the base first.
local function curve_plot(result, program, key, title, is_bandwidth)
    local curves, parts, blocks, has_zero = curves_of(result.samples[program], key), {}, {}, false
    for _, kind in ipairs({result.base, table.unpack(result.kinds)}) do
        local lines = {}
        for _, point in ipairs(curves[kind] or {}) do
            if not is_bandwidth or point[1] > 0 then
                has_zero = has_zero or point[1] == 0
                lines[#lines + 1] = string.format("%g %g", math.max(point[1], 0.5),
                                                  is_bandwidth and point[1] / point[2] / 1e6 or point[2] * 1e6)
            end
        end
        if #lines > 0 then
            parts[#parts + 1] = string.format("DATA index %d with linespoints pt 7 ps 0.5 lw 1.5 title %s", #blocks, quoted(kind))
            blocks[#blocks + 1] = table.concat(lines, "\n")
        end
    end
    if #blocks == 0 then
        return ""
    end
    return plot(title, "set logscale xy\nset format xy '%g'\nset grid\nset key outside top left horizontal\n" ..
                "set xlabel '" .. (has_zero and "bytes (0 is drawn at 0.5)" or "bytes") ..
                "'\nset ylabel '" .. (is_bandwidth and "MB/s" or "microseconds") .. "'\nplot " .. table.concat(parts, ", "),
                table.concat(blocks, "\n\n\n") .. "\n")
end

local function curves_html(result)
    return table.concat({
        curve_plot(result, "p2p", "latency", "Half a round trip, blocking: time by size"),
        curve_plot(result, "p2p", "latency-nonblocking", "Half a round trip, non-blocking: time by size"),
        curve_plot(result, "p2p", "window", "Bandwidth, windows of 64 messages", true),
        curve_plot(result, "p2p", "window-both", "Bandwidth in both directions, one rank's share", true),
        curve_plot(result, "netpipe", "pingpong", "NetPIPE: half a round trip, time by size"),
        curve_plot(result, "netpipe", "pingpong", "NetPIPE: bandwidth", true),
        curve_plot(result, "collectives", "allreduce", "MPI_Allreduce: time by size"),
        curve_plot(result, "collectives", "alltoall", "MPI_Alltoall: time by size"),
    })
end

local function recovery_html(rows)
    local lines, cells = {}, {}
    for i, row in ipairs(rows) do
        lines[i] = string.format("\"%s %d %%\" %g %g %g", row.program, row.share, row.detection,
                                 math.max(row.restart - row.detection, 0), row.rework)
        cells[i] = {row.program .. " at " .. row.share .. " %", row.kind, seconds(row.detection), seconds(row.restart),
                    seconds(row.rework), row.ratio and string.format("%.2f", row.ratio) or "", seconds(row.total),
                    seconds(row.undisturbed), row.runs[1].checkpoint}
    end
    if #rows == 0 then
        return ""
    end
    return "<h2>Recovery</h2>" .. plot("Where the time of a recovery goes, by program and share of the run at which a rank died",
                "set style data histograms\nset style histogram rowstacked\nset style fill solid 0.8 noborder\n" ..
                "set boxwidth 0.7\nset ylabel 'seconds'\nset grid y\nset key outside top left horizontal\n" ..
                "set xtics rotate by -40\nset yrange [0:*]\n" ..
                "plot DATA using 2:xtic(1) title 'detection', '' using 3 title 'restart', '' using 4 title 'rework'",
                table.concat(lines, "\n") .. "\n") ..
        table_html({"death", "kind", "detection", "death to all back", "rework", "rework / same work", "total",
                    "undisturbed", "from checkpoint"}, cells)
end

local function checkpoint_html(rows)
    local lines, cells = {}, {}
    for i, row in ipairs(rows) do
        lines[i] = string.format("%d %g %g %g", row.megabytes, row.pause, row.cost, row.restart)
        cells[i] = {row.megabytes .. " MB a rank", row.kind, seconds(row.pause), seconds(row.cost), seconds(row.span),
                    seconds(row.restart)}
    end
    if #rows == 0 then
        return ""
    end
    return "<h2>Checkpoints</h2>" .. plot("Cost of a checkpoint by the size of the image",
                "set xlabel 'MB a rank'\nset ylabel 'seconds'\nset grid\nset key outside top left horizontal\nset yrange [0:*]\n" ..
                "plot DATA using 1:2 with linespoints pt 7 lw 1.5 title 'pause', '' using 1:3 with linespoints pt 5 lw 1.5 " ..
                "title 'lost until the commit (pause and slowdown)', '' using 1:4 with linespoints pt 9 lw 1.5 title " ..
                "'death to all back'", table.concat(lines, "\n") .. "\n") ..
        table_html({"image", "kind", "pause", "lost until the commit", "order to commit", "death to all back"}, cells)
end

local function containment_html(rows)
    local cells = {}
    for i, row in ipairs(rows) do
        cells[i] = {row.program, row.ranks .. " in " .. row.clusters, seconds(row.rework), seconds(row.work), ratio_text(row.ratio),
                    seconds(row.pause), seconds(row.gather), seconds(row.leave), seconds(row.start), seconds(row.init),
                    seconds(row.image), seconds(row.handles), string.format("%.1f", row.bytes / 1e6)}
    end
    if #rows == 0 then
        return ""
    end
    return "<h2>Containment</h2><p>A rank dies at 90&nbsp;% of an interval between checkpoints, and its cluster rolls back. " ..
        "Pause: the longest time that a survivor was away from its program; gather, leave and start follow each other, and " ..
        "init, image and handles are the longest of any survivor inside start.</p>" ..
        table_html({"program", "ranks in clusters", "rework", "the same work", "ratio", "pause", "gather", "leave", "start",
                    "init", "image", "handles", "MB a survivor"}, cells)
end

local function loggrowth_html(rows)
    local lines, cells, by_program, order = {}, {}, {}, {}
    for i, row in ipairs(rows) do
        if not by_program[row.program] then
            by_program[row.program], order[#order + 1] = {}, row.program
        end
        by_program[row.program][row.clusters] = row.average / 1e6
        cells[i] = {row.program, row.kind, row.ranks .. " in " .. row.clusters, string.format("%.3f", row.average / 1e6),
                    string.format("%.3f", row.maximum / 1e6), string.format("%.2f", row.bytes / 1e6), seconds(row.seconds)}
    end
    if #rows == 0 then
        return ""
    end
    for i, name in ipairs(order) do
        lines[i] = string.format("\"%s\" %g %g %g", name, by_program[name][2], by_program[name][4], by_program[name][8])
    end
    return "<h2>Growth of the logs</h2>" .. plot("Bytes logged by a process in a second, average, by number of clusters (8 ranks)",
                "set style data histograms\nset style fill solid 0.8 noborder\nset ylabel 'MB/s a process'\nset grid y\n" ..
                "set key outside top left horizontal\nset xtics rotate by -40\nset yrange [0:*]\n" ..
                "plot DATA using 2:xtic(1) title '2 clusters', '' using 3 title '4', '' using 4 title '8'",
                table.concat(lines, "\n") .. "\n") ..
        table_html({"program", "kind", "ranks in clusters", "MB/s a process", "maximum", "MB a process", "time"}, cells)
end

-- One plot a program: seconds by the number of deaths, a line for each kind.
local function faults_plot(program, rows)
    local blocks, parts, order, lists = {}, {}, {}, {}
    for _, row in ipairs(rows) do
        if not lists[row.kind] then
            lists[row.kind], order[#order + 1] = {}, row.kind
        end
        table.insert(lists[row.kind], row.deaths .. " " .. row.seconds)
    end
    for i, kind in ipairs(order) do
        blocks[i] = table.concat(lists[kind], "\n")
        parts[i] = string.format("DATA index %d with linespoints pt 7 lw 1.5 title %s", i - 1, quoted(kind))
    end
    return plot("Time of " .. program .. " by the number of deaths in it", "set xlabel 'deaths'\nset ylabel 'seconds'\nset grid\n" ..
                "set key outside top left horizontal\nset yrange [0:*]\nplot " .. table.concat(parts, ", "),
                table.concat(blocks, "\n\n\n") .. "\n")
end

local function faults_html(rows)
    local cells, programs, lists, plots = {}, {}, {}, {}
    for i, row in ipairs(rows) do
        if not lists[row.program] then
            lists[row.program], programs[#programs + 1] = {}, row.program
        end
        table.insert(lists[row.program], row)
        cells[i] = {row.program, row.kind, row.deaths, seconds(row.seconds), ratio_text(row.ratio)}
    end
    for i, program in ipairs(programs) do
        plots[i] = faults_plot(program, lists[program])
    end
    return #rows == 0 and "" or "<h2>Protocols and deaths</h2><p>Four ranks, ten checkpoints; the deaths are spread evenly and " ..
        "hit the ranks in turn.</p>" .. table.concat(plots) .. table_html({"program", "kind", "deaths", "time", "of the base"}, cells)
end

local function statements_html(rows)
    return #rows == 0 and "" or "<h2>Protocols and papers</h2><p>What the papers say of their protocols, and whether it holds on this " ..
        "machine.</p>" .. table_html({"paper", "statement", "measured", ""}, rows, "statements")
end

local function instructions_html(result)
    local cells = {}
    for i, row in ipairs(result.instructions) do
        cells[i] = {row.what, row.kind, row.count, row.base_count, ratio_text(row.ratio)}
    end
    if #cells == 0 and not result.instructions_note then
        return ""
    end
    return "<h2>Instructions</h2>" .. (#cells > 0 and table_html({"of", "kind", "instructions", "of the base", "ratio"}, cells) or "") ..
        (result.instructions_note and "<p>" .. escape(result.instructions_note) .. ".</p>" or "")
end

local function failures_html(result)
    local parts = {}
    for i, failure in ipairs(result.failures) do
        parts[i] = "<p class=\"problem\"><strong>" .. escape(failure.what) .. "</strong> failed: " ..
            escape(failure.problem:sub(1, 400)) .. "</p>"
    end
    if result.netpipe_note then
        parts[#parts + 1] = "<p>" .. escape(result.netpipe_note) .. ".</p>"
    end
    return table.concat(parts)
end

local function about_html(result)
    local names, parts = {}, {"<dl>"}
    for name in pairs(result.machine) do
        names[#names + 1] = name
    end
    table.sort(names)
    for _, name in ipairs(names) do
        parts[#parts + 1] = "<dt>" .. escape((name:gsub("_gib", " (GiB)"))) .. "</dt><dd>" .. escape(result.machine[name]) .. "</dd>"
    end
    parts[#parts + 1] = "<dt>base</dt><dd>" .. escape(result.base) .. "</dd><dt>rounds</dt><dd>" .. result.rounds ..
        (result.quick and ", quick sizes" or "") .. "</dd></dl>"
    return table.concat(parts)
end

local verdict_text = "<p>A ratio is the time of a kind over that of the base in the same round; of the points of a " ..
    "micro-benchmark the geometric mean, messages up to 1 KiB (short) and longer ones (long) apart. &ldquo;slower&rdquo; " ..
    "and &ldquo;faster&rdquo; are said when the whole 95&nbsp;% interval of the median is more than 1&nbsp;% away from " ..
    "1, in two measurements one after the other; &ldquo;same&rdquo; when it lies within 5&nbsp;% of 1. Else it is &ldquo;unclear&rdquo;.</p>"

local function programs_html(result)
    if #result.verdicts == 0 then
        return ""
    end
    return "<h2>Programs</h2>" .. verdict_text .. ratio_plot(result.verdicts) .. verdict_table(result.verdicts) ..
        "<h3>Points</h3>" .. point_tables(result.rows) .. curves_html(result)
end

-- Effect: writes the page for a result (as in the JSON) to `path`.
function page.write(result, path)
    local parts = {
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><link rel=\"icon\" href=\"data:,\">",
        "<title>Benchmarks</title><style>", style, "</style></head><body><main><h1>Benchmarks</h1>",
        result.busy and "<p class=\"problem\"><strong>The machine was busy: these numbers mean little.</strong></p>" or "",
        failures_html(result), about_html(result), programs_html(result), recovery_html(result.recovery),
        checkpoint_html(result.checkpoints), containment_html(result.containment), loggrowth_html(result.loggrowth),
        faults_html(result.faults), statements_html(result.statements), instructions_html(result),
        "</main></body></html>\n",
    }
    local file = io.open(path, "w") or machine.die("cannot write %s", path)
    file:write(table.concat(parts))
    file:close()
end

return page
