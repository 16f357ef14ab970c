/* Makes the schemas of tables; see datalib.h. */
#include "datalib/datalib.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A schema and all that it refers to, in one block. Names and formats are constants. */
struct schema_block {
    struct ArrowSchema *children[PINSIGHT_DATA_MOST_COLUMNS];
    struct ArrowSchema columns[PINSIGHT_DATA_MOST_COLUMNS];
};

/* A column's schema may be moved out of its table's. It therefore owns a block of its own. */
struct column_block {
    struct ArrowSchema dictionary;
    char metadata[]; /* in Arrow's form */
};

static void release_dictionary(struct ArrowSchema *schema) {
    schema->release = NULL;
}

static void release_column(struct ArrowSchema *schema) {
    struct ArrowSchema *dictionary = schema->dictionary;

    if (dictionary != NULL && dictionary->release != NULL)
        dictionary->release(dictionary);
    free(schema->private_data);
    schema->release = NULL;
}

static void release_table(struct ArrowSchema *schema) {
    for (int64_t i = 0; i < schema->n_children; i++)
        if (schema->children[i]->release != NULL)
            schema->children[i]->release(schema->children[i]);
    free(schema->private_data);
    schema->release = NULL;
}

/* Writes a number and a text with its length, as Arrow's metadata has them. Without room, only
 * counts. Returns the end. */
static size_t put_number(char *room, size_t at, int32_t number) {
    if (room != NULL)
        memcpy(room + at, &number, sizeof(number));
    return at + sizeof(number);
}

static size_t put_text(char *room, size_t at, const char *text) {
    size_t length = strlen(text);

    at = put_number(room, at, (int32_t)length);
    if (room != NULL)
        memcpy(room + at, text, length);
    return at + length;
}

static size_t put_metadata(char *room, const struct pinsight_data_column *column) {
    size_t at = put_number(room, 0, *column->unit ? 2 : 1);

    at = put_text(room, at, "about");
    at = put_text(room, at, column->about);
    if (*column->unit) {
        at = put_text(room, at, "unit");
        at = put_text(room, at, column->unit);
    }
    return at;
}

static int make_column(const struct pinsight_data_column *column, struct ArrowSchema *schema) {
    static const char *const formats[] = {
        [PINSIGHT_DATA_I64] = "l",
        [PINSIGHT_DATA_I32] = "i",
        [PINSIGHT_DATA_BOOL] = "b",
        [PINSIGHT_DATA_TEXT] = "i", /* the indices */
    };
    struct column_block *block = malloc(sizeof(*block) + put_metadata(NULL, column));

    if (block == NULL)
        return ENOMEM;
    put_metadata(block->metadata, column);
    block->dictionary =
        (struct ArrowSchema){.format = "u", .name = "", .release = release_dictionary};
    *schema = (struct ArrowSchema){
        .format = formats[column->type],
        .name = column->name,
        .metadata = block->metadata,
        .dictionary = column->type == PINSIGHT_DATA_TEXT ? &block->dictionary : NULL,
        .release = release_column,
        .private_data = block};
    return 0;
}

int pinsight_data_make_schema(const struct pinsight_data_table *table, struct ArrowSchema *schema) {
    struct schema_block *block = calloc(1, sizeof(*block));

    if (block == NULL)
        return ENOMEM;
    *schema = (struct ArrowSchema){.format = "+s",
                                   .name = table->name,
                                   .children = block->children,
                                   .release = release_table,
                                   .private_data = block};
    for (uint32_t i = 0; i < table->column_count; i++) {
        if (make_column(&table->columns[i], &block->columns[i]) != 0) {
            release_table(schema);
            return ENOMEM;
        }
        block->children[i] = &block->columns[i];
        schema->n_children++;
    }
    return 0;
}

struct ArrowSchema *pinsight_data_schema(uint32_t number) {
    const struct pinsight_data_table *table = pinsight_data_table_at(number);
    struct ArrowSchema *schema = table != NULL ? calloc(1, sizeof(*schema)) : NULL;

    if (schema != NULL && pinsight_data_make_schema(table, schema) != 0) {
        free(schema);
        return NULL;
    }
    return schema;
}

void pinsight_data_free_schema(struct ArrowSchema *schema) {
    if (schema->release != NULL)
        schema->release(schema);
    free(schema);
}
