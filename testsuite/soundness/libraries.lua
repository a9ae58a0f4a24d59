-- libraries: containers that lie in a file of their own.
return {
    vector = {header = [[
struct vector;
struct vector *vector_create(void);
void vector_push(struct vector *vector, int value);
int *vector_more(struct vector *vector);
int *vector_at(struct vector *vector, int place);
int vector_length(const struct vector *vector);]], text = [[
struct vector {
    int *values;
    int length, room;
};

struct vector *vector_create(void)
{
    return calloc(1, sizeof(struct vector));
}

int *vector_more(struct vector *vector)
{
    if (vector->length == vector->room) {
        vector->room = 2 * vector->room + 4;
        vector->values = realloc(vector->values, (size_t)vector->room * sizeof *vector->values);
    }
    return &vector->values[vector->length++];
}

void vector_push(struct vector *vector, int value)
{
    *vector_more(vector) = value;
}

int *vector_at(struct vector *vector, int place)
{
    return &vector->values[place];
}

int vector_length(const struct vector *vector)
{
    return vector->length;
}]]},
}
