-- left_out: what is known to be judged better than it is, and being mended: no program is drawn with it.
-- Each run says so.
return {
    via = {thread = true, signal = true, assembler_memory = true},
    second = {competes = true},
    store = {},
}
