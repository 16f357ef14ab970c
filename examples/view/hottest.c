/*
 * A view of one's own: the slices that took longest by themselves, one line for each name.
 *
 *   cc hottest.c -o hottest $(pkg-config --cflags --libs pinsight-view)
 *   ./hottest TRACE
 */
#include <pinsight/view.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 1024
#define THREADS 256

struct row {
    char *name;
    unsigned long long own_ns, slices;
};

static struct row *rows;
static size_t row_count;
static uint64_t inner_ns[THREADS][DEEPEST + 1]; /* of each open slice, what was within it */

static struct row *row_of(const char *name) {
    for (size_t i = 0; i < row_count; i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    rows = realloc(rows, (row_count + 1) * sizeof(*rows));
    rows[row_count] = (struct row){.name = strdup(name)};
    return &rows[row_count++];
}

static int on_end(void *data, const struct pinsight_view_thread *thread,
                  const struct pinsight_view_slice *slice) {
    uint64_t *inner = inner_ns[thread->number % THREADS];
    uint64_t took = slice->end_ns - slice->begin_ns;
    struct row *row;

    (void)data;
    if (slice->depth >= DEEPEST)
        return 0;
    row = row_of(slice->name);
    row->own_ns += took - inner[slice->depth + 1];
    row->slices++;
    inner[slice->depth + 1] = 0;
    inner[slice->depth] += took;
    return 0;
}

static int by_time(const void *left, const void *right) {
    const struct row *a = left, *b = right;

    return (a->own_ns < b->own_ns) - (a->own_ns > b->own_ns);
}

int main(int argc, char **argv) {
    struct pinsight_view view = {.size = sizeof(view), .end = on_end};
    struct pinsight_view_result result;

    if (argc != 2) {
        fputs("usage: hottest TRACE\n", stderr);
        return 2;
    }
    if (pinsight_view_read(argv[1], &view, &result) != 0) {
        fprintf(stderr, "hottest: %s\n", result.error);
        return 1;
    }
    qsort(rows, row_count, sizeof(*rows), by_time);
    for (size_t i = 0; i < row_count && i < 20; i++)
        printf("%12.3f ms %10llu  %s\n", (double)rows[i].own_ns / 1e6, rows[i].slices,
               rows[i].name);
    return 0;
}
