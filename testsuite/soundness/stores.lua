-- stores: what is kept of the messages that a site takes.
--
--     fields   the state: type, name, what stands behind the name in a declaration
--     take     keeps the message `item` from the rank `from`; @name is a field
--     finish   statements behind the loop
--     read     an int made of the state when all messages have been taken
--     keeps    what `read` tells: "set": it is the same in whatever order the messages came;
--              "order": its lowest bit depends on that order
--     counts   it only tells how many came, wherever they came from
--     running  `read` may be asked inside of the loop, too, and depends on the order then ("order"), or
--              counts 1, 2, 3 ("count")
--     support  functions and types; $p makes their names this program's own
--     why      the argument for `keeps`, for a reader
--
-- The state is zero at the beginning of each round. The workers 1, 2, 3 send value 4, 7, 10; key 3, 1, 2;
-- group 1, 0, 1; real 1e16, 1, -1e16. So keys differ, and the group of two of them is the same.
local list = {{"struct item", "list", "[64]"}, {"int", "length", ""}}
local append = "@list[@length++] = item;"
local compare = "int $pcompare(const void *a, const void *b);"
local by_key = [[
int $pcompare(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}]]
local by_group = [[
int $pcompare(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return x->group < y->group ? -1 : x->group > y->group;
}]]
local node = [[
struct $pnode {
    struct item item;
    struct $pnode *next;
};]]
local free_nodes = [[
while (@head) {
    struct $pnode *next = @head->next;
    free(@head);
    @head = next;
}]]

return {
    -- Numbers.
    {name = "sum", running = "order", keeps = "set", why = "addition of integers commutes",
        fields = {{"unsigned", "sum", ""}}, take = "@sum += (unsigned)item.value;", read = "(int)@sum"},
    {name = "product", keeps = "set", why = "multiplication of unsigned numbers commutes",
        fields = {{"unsigned", "product", ""}},
        take = "@product = (@product ? @product : 1) * (unsigned)(item.value | 1);", read = "(int)(@product % 9)"},
    {name = "xor", running = "order", keeps = "set", why = "exclusive or commutes",
        fields = {{"int", "bits", ""}}, take = "@bits ^= item.value;", read = "@bits"},
    {name = "mask", keeps = "set", why = "which bits are set in the end is no matter of order",
        fields = {{"int", "bits", ""}}, take = "@bits |= 1 << from;", read = "@bits >> 1"},
    {name = "count", running = "count", keeps = "set", counts = true, why = "as many come in each run",
        fields = {{"int", "count", ""}}, take = "@count++;", read = "@count"},
    {name = "maximum", running = "order", keeps = "set", why = "a maximum commutes",
        fields = {{"int", "most", ""}}, take = "if (item.value > @most)\n    @most = item.value;", read = "@most"},
    {name = "maximum_double", keeps = "set", why = "a maximum commutes",
        fields = {{"double", "most", ""}}, take = "if (item.real > @most)\n    @most = item.real;",
        read = "(int)(@most / 1e16)"},
    {name = "best_of_key", keeps = "set", why = "no two keys are the same",
        fields = {{"int", "most", ""}, {"int", "who", ""}},
        take = "if (item.key > @most) {\n    @most = item.key;\n    @who = item.value;\n}", read = "@who / 2"},
    {name = "best_of_group", keeps = "order", why = "of two with the same group, 4 or 10, the first is kept; halved",
        fields = {{"int", "most", ""}, {"int", "who", ""}},
        take = "if (item.group > @most) {\n    @most = item.group;\n    @who = item.value / 2 + item.key;\n}",
        read = "@who / 2"},
    {name = "sum_double", running = "order", keeps = "order", why = "1e16 + 1 is 1e16",
        fields = {{"double", "sum", ""}}, take = "@sum += item.real;", read = "@sum > 0.5"},
    {name = "fold", running = "order", keeps = "order", why = "the last one has the lowest bit",
        fields = {{"int", "fold", ""}}, take = "@fold = 2 * @fold + item.value;", read = "@fold"},
    {name = "difference", keeps = "order", why = "the sign of each depends on its place",
        fields = {{"int", "rest", ""}}, take = "@rest = item.value / 3 - @rest;", read = "@rest / 2"},
    {name = "last", keeps = "order", why = "the last message replaces the others",
        fields = {{"int", "last", ""}}, take = "@last = item.value;", read = "@last"},
    {name = "first", running = "order", keeps = "order", why = "only the first message is kept",
        fields = {{"int", "first", ""}, {"int", "seen", ""}},
        take = "if (!@seen) {\n    @first = item.value;\n    @seen = 1;\n}", read = "@first"},
    {name = "last_source", keeps = "order", why = "the last message's sender",
        fields = {{"int", "last", ""}}, take = "@last = from;", read = "@last"},
    {name = "ascents", keeps = "order", why = "how often a larger value follows a smaller one",
        fields = {{"int", "before", ""}, {"int", "ascents", ""}},
        take = "if (@before && item.value > @before)\n    @ascents++;\n@before = item.value;", read = "@ascents"},
    {name = "snapshot", keeps = "order", why = "the mask when one is missing",
        fields = {{"int", "bits", ""}, {"int", "count", ""}, {"int", "kept", ""}},
        take = "@bits |= 1 << from;\nif (++@count == 2)\n    @kept = @bits;", read = "@kept >> 2"},
    {name = "ticket", keeps = "order", why = "the number of the message of worker 1",
        fields = {{"int", "next", ""}, {"int", "ticket", "[64]"}}, take = "@ticket[from] = @next++;",
        read = "@ticket[1]"},
    -- Arrays.
    {name = "by_source", keeps = "set", why = "each message has the place of its sender",
        fields = {{"int", "table", "[64]"}}, take = "@table[from] = item.value;",
        read = "@table[1] + 2 * @table[2] + 4 * @table[3]"},
    {name = "by_source_record", keeps = "set", why = "each message has the place of its sender",
        fields = {{"struct item", "table", "[64]"}}, take = "@table[from] = item;",
        read = "@table[1].value + 2 * @table[2].value + 4 * @table[3].value"},
    {name = "by_payload_source", keeps = "set", why = "each message names its own place",
        fields = {{"int", "table", "[64]"}}, take = "@table[item.source] = item.value;", read = "@table[2]"},
    {name = "by_key", keeps = "set", why = "no two keys are the same",
        fields = {{"int", "table", "[64]"}}, take = "@table[item.key] = item.value;", read = "@table[2] + @table[1]"},
    {name = "by_group", keeps = "order", why = "the second of a group, 4 or 10, replaces the first; halved and with the key",
        fields = {{"int", "table", "[64]"}}, take = "@table[item.group] = item.key;", read = "@table[1]"},
    {name = "count_by_group", keeps = "set", why = "how many are in each group",
        fields = {{"int", "table", "[64]"}}, take = "@table[item.group]++;", read = "@table[0]"},
    {name = "append", running = "order", keeps = "order", why = "the first place has the first message",
        fields = list, take = append, read = "@list[0].value"},
    {name = "append_copy", keeps = "order", why = "the first place has the first message",
        fields = {{"char", "bytes", "[2048]"}, {"size_t", "used", ""}},
        take = "memcpy(@bytes + @used, &item.value, sizeof item.value);\n@used += sizeof item.value;", read = "@bytes[0]"},
    {name = "copy_by_source", keeps = "set", why = "each message has the place of its sender",
        fields = {{"char", "bytes", "[2048]"}},
        take = "memcpy(@bytes + (size_t)from * sizeof item.value, &item.value, sizeof item.value);",
        read = "@bytes[sizeof(int)] + 2 * @bytes[2 * sizeof(int)]"},
    {name = "append_values", keeps = "order", why = "the last place has the last message",
        fields = {{"int", "values", "[64]"}, {"int", "length", ""}},
        take = "@values[@length] = item.value;\n@length += 1;", read = "@values[@length - 1]"},
    {name = "append_sources", keeps = "order", why = "the first sender",
        fields = {{"int", "sources", "[64]"}, {"int", "length", ""}},
        take = "@sources[@length++] = from;", read = "@sources[0]"},
    {name = "sort_key", keeps = "set", why = "a total order: no two keys are the same",
        fields = list, take = append, support_header = compare, support = by_key,
        finish = "qsort(@list, (size_t)@length, sizeof *@list, $pcompare);", read = "@list[0].value + 2 * @list[1].value"},
    {name = "sort_group", keeps = "order", why = "what is equal stays in the order of arrival",
        fields = list, take = append, support_header = compare, support = by_group,
        finish = "qsort(@list, (size_t)@length, sizeof *@list, $pcompare);", read = "@list[1].key"},
    {name = "sort_part", keeps = "order", why = "the last message stays behind, whichever it is",
        fields = list, take = append, support_header = compare, support = by_key,
        finish = "qsort(@list, (size_t)@length - 1, sizeof *@list, $pcompare);", read = "@list[@length - 1].value"},
    {name = "sort_by_hand", keeps = "set", why = "a total order: no two keys are the same",
        fields = list, take = append, finish = [[
for (int x = 0; x < @length; x++)
    for (int y = 0; y + 1 < @length; y++)
        if (@list[y].key > @list[y + 1].key) {
            struct item swap = @list[y];
            @list[y] = @list[y + 1];
            @list[y + 1] = swap;
        }]], read = "@list[0].value"},
    {name = "insert_key", keeps = "set", why = "each is put where its key belongs",
        fields = list, take = [[
int place = @length++;
while (place > 0 && @list[place - 1].key > item.key) {
    @list[place] = @list[place - 1];
    place--;
}
@list[place] = item;]], read = "@list[0].value"},
    {name = "insert_group", keeps = "order", why = "those with the same group stand in the order of arrival",
        fields = list, take = [[
int place = @length++;
while (place > 0 && @list[place - 1].group > item.group) {
    @list[place] = @list[place - 1];
    place--;
}
@list[place] = item;]], read = "@list[1].key"},
    {name = "search_key", keeps = "set", why = "no two keys are the same",
        fields = {list[1], list[2], {"int", "found", ""}}, take = append, finish = [[
for (int x = 0; x < @length; x++)
    if (@list[x].key == 2)
        @found = @list[x].value;]], read = "@found"},
    {name = "search_group", keeps = "order", why = "the first of two with the same group",
        fields = {list[1], list[2], {"int", "found", ""}}, take = append, finish = [[
for (int x = 0; x < @length && !@found; x++)
    if (@list[x].group == 1)
        @found = @list[x].key;]], read = "@found"},
    {name = "sum_list", keeps = "set", why = "addition of integers commutes",
        fields = {list[1], list[2], {"int", "sum", ""}}, take = append, finish = [[
for (int x = 0; x < @length; x++)
    @sum += @list[x].value;]], read = "@sum"},
    {name = "weigh_list", keeps = "order", why = "each value counts by its place",
        fields = {list[1], list[2], {"int", "sum", ""}}, take = append, finish = [[
for (int x = 0; x < @length; x++)
    @sum += x * @list[x].value;]], read = "@sum"},
    {name = "sum_doubles", keeps = "order", why = "1e16 + 1 is 1e16",
        fields = {list[1], list[2], {"double", "sum", ""}}, take = append, finish = [[
for (int x = 0; x < @length; x++)
    @sum += @list[x].real;]], read = "@sum > 0.5"},
    {name = "union", keeps = "order", why = "the first place has the first message",
        fields = {{"union $punion", "both", ""}, {"int", "length", ""}},
        support_header = "union $punion {\nint values[64];\nunsigned raw[64];\n};",
        take = "@both.values[@length++] = item.value;", read = "(int)@both.raw[0]"},
    -- Lists, trees, tables.
    {name = "push_front", keeps = "order", why = "the head is the last one", support_header = node,
        fields = {{"struct $pnode *", "head", ""}, {"int", "kept", ""}}, take = [[
struct $pnode *node = malloc(sizeof *node);
node->item = item;
node->next = @head;
@head = node;]], finish = "@kept = @head->item.value;\n" .. free_nodes, read = "@kept"},
    {name = "push_sum", keeps = "set", why = "addition of integers commutes", support_header = node,
        fields = {{"struct $pnode *", "head", ""}, {"int", "kept", ""}}, take = [[
struct $pnode *node = malloc(sizeof *node);
node->item = item;
node->next = @head;
@head = node;]], finish = "for (struct $pnode *n = @head; n; n = n->next)\n    @kept += n->item.value;\n" .. free_nodes,
        read = "@kept"},
    {name = "push_search", keeps = "set", why = "no two keys are the same", support_header = node,
        fields = {{"struct $pnode *", "head", ""}, {"int", "kept", ""}}, take = [[
struct $pnode *node = malloc(sizeof *node);
node->item = item;
node->next = @head;
@head = node;]], finish = [[
for (struct $pnode *n = @head; n; n = n->next)
    if (n->item.key == 1)
        @kept = n->item.value;
]] .. free_nodes, read = "@kept"},
    {name = "push_sorted", keeps = "set", why = "each is put where its key belongs", support_header = node,
        fields = {{"struct $pnode *", "head", ""}, {"int", "kept", ""}}, take = [[
struct $pnode *node = malloc(sizeof *node), **place = &@head;
while (*place && (*place)->item.key < item.key)
    place = &(*place)->next;
node->item = item;
node->next = *place;
*place = node;]], finish = "@kept = @head->item.value;\n" .. free_nodes, read = "@kept"},
    {name = "heap_key", keeps = "set", why = "the top has the smallest key",
        fields = list, take = [[
int at = ++@length;
while (at > 1 && @list[at / 2].key > item.key) {
    @list[at] = @list[at / 2];
    at /= 2;
}
@list[at] = item;]], read = "@list[1].value"},
    {name = "heap_below", keeps = "order", why = "what stands below the top depends on what came first",
        fields = list, take = [[
int at = ++@length;
while (at > 1 && @list[at / 2].key > item.key) {
    @list[at] = @list[at / 2];
    at /= 2;
}
@list[at] = item;]], read = "@list[2].key"},
    {name = "hash_key", keeps = "set", why = "no two keys are the same",
        fields = {{"struct item", "slots", "[4]"}, {"int", "found", ""}}, take = [[
int slot = item.key & 3;
while (@slots[slot].source)
    slot = (slot + 1) & 3;
@slots[slot] = item;]], finish = [[
for (int slot = 1; @slots[slot].source; slot = (slot + 1) & 3)
    if (@slots[slot].key == 1) {
        @found = @slots[slot].value;
        break;
    }]], read = "@found"},
    {name = "hash_slot", keeps = "order", why = "of two with the same slot the first one gets it",
        fields = {{"struct item", "slots", "[4]"}}, take = [[
int slot = item.group & 3;
while (@slots[slot].source)
    slot = (slot + 1) & 3;
@slots[slot] = item;]], read = "@slots[1].key"},
    {name = "chain", keeps = "order", why = "the head of a chain is the last of its group", support_header = node,
        fields = {{"struct $pnode *", "chains", "[4]"}, {"int", "kept", ""}}, take = [[
struct $pnode *node = malloc(sizeof *node);
node->item = item;
node->next = @chains[item.group];
@chains[item.group] = node;]], finish = "@kept = @chains[1] ? @chains[1]->item.key : 0;", read = "@kept"},
    -- Containers of a library, in another file.
    {name = "vector", keeps = "order", why = "the first element is the first message", library = "vector",
        fields = {{"struct vector *", "vector", ""}}, take = [[
if (!@vector)
    @vector = vector_create();
vector_push(@vector, item.value);]], read = "*vector_at(@vector, 0)"},
    {name = "vector_sum", keeps = "set", why = "addition of integers commutes", library = "vector",
        fields = {{"struct vector *", "vector", ""}, {"int", "sum", ""}}, take = [[
if (!@vector)
    @vector = vector_create();
vector_push(@vector, item.value);]], finish = [[
for (int x = 0; x < vector_length(@vector); x++)
    @sum += *vector_at(@vector, x);]], read = "@sum"},
    {name = "vector_pushed", keeps = "order", why = "the first element is the first sender", library = "vector",
        fields = {{"struct vector *", "vector", ""}}, take = [[
if (!@vector)
    @vector = vector_create();
*vector_more(@vector) = from;]], read = "*vector_at(@vector, 0)"},
    {name = "vectors_by_group", keeps = "order", why = "the first of two in one vector", library = "vector",
        fields = {{"struct vector *", "vectors", "[4]"}}, take = [[
if (!@vectors[item.group])
    @vectors[item.group] = vector_create();
vector_push(@vectors[item.group], item.key);]], read = "@vectors[1] ? *vector_at(@vectors[1], 0) : 0"},
    {name = "vectors_by_source", keeps = "set", why = "each vector has one message of its own sender", library = "vector",
        fields = {{"struct vector *", "vectors", "[64]"}}, take = [[
if (!@vectors[from])
    @vectors[from] = vector_create();
vector_push(@vectors[from], item.value);]], read = "@vectors[1] ? *vector_at(@vectors[1], 0) / 4 : 0"},
    -- Strings.
    {name = "string", keeps = "order", why = "the string begins with the first value",
        fields = {{"char", "text", "[256]"}},
        take = 'char word[32];\nsnprintf(word, sizeof word, "%d,", item.value / 3);\nstrcat(@text, word);',
        read = "atoi(@text)"},
    {name = "string_printed", keeps = "order", why = "the string begins with the first value",
        fields = {{"char", "text", "[256]"}, {"int", "used", ""}},
        take = '@used += snprintf(@text + @used, sizeof @text - (size_t)@used, "%d ", item.value / 3);',
        read = "@text[0]"},
    {name = "string_by_source", keeps = "set", why = "each string has the message of its own sender",
        fields = {{"char", "texts", "[64][16]"}},
        take = 'snprintf(@texts[from], sizeof @texts[from], "%d", item.value);', read = "atoi(@texts[2])"},
}
