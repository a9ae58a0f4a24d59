/* structures: linked structures on the heap (a tree, lists, growing arrays), recursion, function
 * pointers and memory of mmap and MPI_Alloc_mem, exchanged and compared between neighbours.
 *
 * arguments: [steps 200]
 *
 * ranks: 2
 * test: 150
 * soak: 220
 * pace: 4000
 * kill: 1@hook:70
 * kill: 0@call:100
 */
#include <sys/mman.h>
#include "program.h"

struct node {
    struct node *left, *right;
    uint64_t key;
    char *text;
};

static struct node *root;
static uint64_t *array, *mapped, *library;
static size_t array_length, array_room;

static uint64_t twist(uint64_t value)
{
    return value * 3 + 1;
}

static uint64_t (*const change[2])(uint64_t) = {mix, twist};

static void tree_insert(uint64_t key)
{
    struct node **place = &root;

    while (*place && (*place)->key != key)
        place = key < (*place)->key ? &(*place)->left : &(*place)->right;
    if (*place)
        return;
    *place = calloc(1, sizeof(struct node));
    (*place)->key = key;
    (*place)->text = strdup("a node of the tree");
    (*place)->text[0] = (char)('a' + key % 26);
}

static uint64_t tree_digest(const struct node *node, uint64_t state)
{
    if (!node)
        return state;
    state = tree_digest(node->left, state);
    state = digest(state + node->key, node->text, strlen(node->text));
    return tree_digest(node->right, state);
}

static void array_append(uint64_t value)
{
    if (array_length == array_room) {
        array_room = array_room * 2 + 10;
        array = realloc(array, array_room * sizeof(*array));
    }
    array[array_length++] = value;
}

static uint64_t work(long number, uint64_t state)
{
    for (int i = 0; i < 50; i++) {
        state = change[(number + i) % 2](state);
        tree_insert(state % 5000);
        array_append(state);
    }
    mapped[number % 512] ^= state;
    library[number % 100] += state;
    return tree_digest(root, state) ^ digest(0, array, array_length * sizeof(*array));
}

int main(int argc, char **argv)
{
    uint64_t state = 5, in;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Alloc_mem(100 * sizeof(*library), MPI_INFO_NULL, &library);
    memset(library, 0, 100 * sizeof(*library));
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = work(number, state);
        MPI_Sendrecv(&state, 1, MPI_UINT64_T, (rank + 1) % size, 1, &in, 1, MPI_UINT64_T,
                     (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        state = mix(state ^ in);
    }
    state = digest(digest(state, mapped, 4096), library, 800);
    MPI_Free_mem(library);
    munmap(mapped, 4096);
    return program_end("structures", state);
}
