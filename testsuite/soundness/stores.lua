-- stores: what is kept of the messages that a site takes.
--
--     fields   the state: type, name, what stands behind the name in a declaration
--     take     keeps the message `item` from the rank `from`; @name is a field
--     read     an int made of the state when all messages have been taken
--     keeps    what `read` tells: "set": it is the same in whatever order the messages came;
--              "order": its lowest bit depends on that order
--     why      the argument for `keeps`, for a reader
--
-- The workers 1, 2, 3 send value 4, 7, 10; key 3, 1, 2; group 1, 0, 1; real 1e16, 1, -1e16.
return {
    {name = "sum", keeps = "set", why = "addition of integers commutes",
        fields = {{"unsigned", "sum", ""}}, take = "@sum += (unsigned)item.value;", read = "(int)@sum"},
    {name = "sum_double", keeps = "order", why = "1e16 + 1 is 1e16",
        fields = {{"double", "sum", ""}}, take = "@sum += item.real;", read = "(int)@sum"},
    {name = "by_source", keeps = "set", why = "each message has the place of its sender",
        fields = {{"int", "table", "[64]"}}, take = "@table[from] = item.value;",
        read = "@table[1] + 2 * @table[2] + 4 * @table[3]"},
    {name = "last", keeps = "order", why = "the last message replaces the others",
        fields = {{"int", "last", ""}}, take = "@last = item.value;", read = "@last"},
    {name = "append", keeps = "order", why = "the first place has the first message",
        fields = {{"struct item", "list", "[64]"}, {"int", "length", ""}},
        take = "@list[@length++] = item;", read = "@list[0].value"},
}
