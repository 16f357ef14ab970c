/* Makes Arrow's arrays over the memory of a batch; see datalib.h. */
#include "datalib/datalib.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* A mapped batch with its arrays. A consumer may move a column out of the batch and keep it longer.
 * Therefore each array holds the block. */
struct mapped_batch {
    atomic_uint holders;
    void *memory;
    size_t size;
    const void *no_buffer[1];
    struct ArrowArray *children[PINSIGHT_DATA_MOST_COLUMNS];
    struct {
        struct ArrowArray array, dictionary;
        const void *buffers[2], *dictionary_buffers[3];
    } columns[PINSIGHT_DATA_MOST_COLUMNS];
};

static void let_go(struct mapped_batch *block) {
    if (atomic_fetch_sub(&block->holders, 1) != 1)
        return;
    munmap(block->memory, block->size);
    free(block);
}

static void release(struct ArrowArray *array) {
    if (array->dictionary != NULL && array->dictionary->release != NULL)
        array->dictionary->release(array->dictionary);
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->release != NULL)
            array->children[i]->release(array->children[i]);
    array->release = NULL;
    let_go(array->private_data);
}

/* Returns whether `count` items of `size` bytes lie at an aligned place in the memory. */
static bool is_inside(const struct pinsight_data_message *message, uint64_t place, uint64_t count,
                      uint64_t size) {
    return place <= message->size && count <= (message->size - place) / size;
}

/* Returns whether a text's dictionary is sound: it lies in the memory, and offsets ascend. */
static bool has_words(const struct pinsight_data_message *message,
                      const struct pinsight_data_place *place, const char *memory) {
    const int32_t *offsets = (const void *)(memory + place->offsets);

    if (!is_inside(message, place->offsets, place->words + 1, sizeof(int32_t)) || offsets[0] != 0)
        return false;
    for (uint64_t i = 0; i < place->words; i++)
        if (offsets[i + 1] < offsets[i])
            return false;
    return is_inside(message, place->bytes, (uint64_t)offsets[place->words], 1);
}

static bool make_column(struct mapped_batch *block, const struct pinsight_data_message *message,
                        uint32_t number, uint8_t type) {
    static const struct {
        uint8_t bytes, of;
    } sizes[] = {{8, 1}, {4, 1}, {1, 8}, {4, 1}}; /* by type: bytes for so many values */
    const struct pinsight_data_place *place = &message->places[number];
    struct ArrowArray *array = &block->columns[number].array;
    struct ArrowArray *dictionary = &block->columns[number].dictionary;
    const char *memory = block->memory;

    if (!is_inside(message, place->values, (message->rows + sizes[type].of - 1) / sizes[type].of,
                   sizes[type].bytes))
        return false;
    block->columns[number].buffers[1] = memory + place->values;
    *array = (struct ArrowArray){.length = message->rows,
                                 .n_buffers = 2,
                                 .buffers = block->columns[number].buffers,
                                 .release = release,
                                 .private_data = block};
    if (type != PINSIGHT_DATA_TEXT)
        return true;
    if (!has_words(message, place, memory))
        return false;
    block->columns[number].dictionary_buffers[1] = memory + place->offsets;
    block->columns[number].dictionary_buffers[2] = memory + place->bytes;
    *dictionary = (struct ArrowArray){.length = (int64_t)place->words,
                                      .n_buffers = 3,
                                      .buffers = block->columns[number].dictionary_buffers,
                                      .release = release,
                                      .private_data = block};
    array->dictionary = dictionary;
    atomic_fetch_add(&block->holders, 1);
    return true;
}

int pinsight_data_make_array(const struct pinsight_data_table *table,
                             const struct pinsight_data_message *message, int memory,
                             struct ArrowArray *array) {
    struct mapped_batch *block = calloc(1, sizeof(*block));
    struct stat there;

    if (block == NULL)
        return ENOMEM;
    block->size = message->size;
    block->memory =
        fstat(memory, &there) == 0 && message->size > 0 && (uint64_t)there.st_size >= message->size
            ? mmap(NULL, block->size, PROT_READ, MAP_SHARED | MAP_POPULATE, memory, 0)
            : MAP_FAILED;
    if (block->memory == MAP_FAILED) {
        free(block);
        return ENOMEM;
    }
    atomic_store(&block->holders, 1);
    for (uint32_t i = 0; i < table->column_count; i++) {
        if (!make_column(block, message, i, table->columns[i].type)) {
            munmap(block->memory, block->size);
            free(block);
            return EINVAL;
        }
        block->children[i] = &block->columns[i].array;
        atomic_fetch_add(&block->holders, 1);
    }
    *array = (struct ArrowArray){.length = message->rows,
                                 .n_buffers = 1,
                                 .n_children = table->column_count,
                                 .buffers = block->no_buffer,
                                 .children = block->children,
                                 .release = release,
                                 .private_data = block};
    return 0;
}
