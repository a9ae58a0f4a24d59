-- page.lua PAGE.md FOLDER: the code that a page shows is the code of the programs in FOLDER, and has the
-- class or finding that the page says.
--
-- A comment "<!-- PROGRAM.c: WORDS -->" stands before each such block: its lines stand in PROGRAM.c, in
-- one piece, and one of the marks in it has the WORDS. The headings of the classes must be about them:
-- the first block below "### `CLASS`..." has that class. Every class of the report has its block.

local page, folder = arg[1], arg[2]
local bad, shown = false, {}

local function complain(line, ...)
    bad = true
    print(("FAILED: %s:%d: %s"):format(page, line, string.format(...)))
end

local function text_of(path)
    local file = io.open(path)
    local text = file and file:read("a")
    if file then
        file:close()
    end
    return text
end

-- A mark has the words as an item of its own: "send-deterministic" is not "deterministic".
local function marked(code, words)
    for mark in code:gmatch("/%* expect: (.-) %*/") do
        for item in (mark:gsub(" or ", ", "):gsub(" %b()", "") .. ", "):gmatch("(.-), ") do
            if item == words then
                return true
            end
        end
    end
    return false
end

local function block_check(line, program, words, code, heading)
    local text = text_of(folder .. "/" .. program)
    if not text then
        complain(line, "no program %s", program)
    elseif not text:find(code, 1, true) then
        complain(line, "this is not the code of %s", program)
    elseif not marked(code, words) then
        complain(line, "no mark in it says %s", words)
    end
    if heading and not words:find(heading, 1, true) then
        complain(line, "the heading is about %s, the block about %s", heading, words)
    end
    shown[words] = true
end

local number, heading, wanted, code = 0, nil, nil, nil
for line in io.lines(page) do
    number = number + 1
    if code and line == "```" then
        block_check(number, wanted.program, wanted.words, table.concat(code, "\n") .. "\n", heading)
        code, wanted, heading = nil, nil, nil
    elseif code then
        code[#code + 1] = line
    elseif wanted and line == "```c" then
        code = {}
    elseif line:match("^<!%-%- ") then
        wanted = {}
        wanted.program, wanted.words = line:match("^<!%-%- ([%w_]+%.c): ([%w%- ]-) %-%->$")
    elseif line:match("^### ") then
        heading = line:match("^### `([%w-]+)`")
    end
end
for _, class in ipairs({"deterministic", "send-deterministic", "channel-deterministic",
    "non-deterministic", "unknown"}) do
    if not shown[class] then
        complain(number, "no example of %s", class)
    end
end
os.exit(bad and 1 or 0)
