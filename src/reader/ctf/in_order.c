/* Sorts packets by their numbers; see in_order.h. */
#include "reader/ctf/in_order.h"

#include "base/memory.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct packet_place {
    uint64_t begin, sequence, offset, bytes;
};

struct packet_places {
    struct packet_place *all;
    size_t count, capacity;
};

static void list(const struct ctf_file *file, struct packet_places *places) {
    for (uint64_t offset = 0; offset < file->whole_size;) {
        struct packet_place *place = PINSIGHT_ADD(places->all, places->count, places->capacity);
        *place = (struct packet_place){
            .begin = ctf_file_number(file, offset, file->class->begin),
            .sequence = ctf_file_number(file, offset, file->class->sequence),
            .offset = offset,
            .bytes = ctf_file_number(file, offset, file->class->packet) / 8,
        };
        offset += place->bytes;
    }
}

static int compare(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b;
}

static int by_time(const void *left, const void *right) {
    const struct packet_place *a = left, *b = right;
    int order = compare(a->begin, b->begin);

    order = order ? order : compare(a->sequence, b->sequence);
    return order ? order : compare(a->offset, b->offset);
}

/* Returns whether two packets are copies. */
static bool is_same(const struct ctf_file *file, const struct packet_place *a,
                    const struct packet_place *b) {
    return a->begin == b->begin && a->sequence == b->sequence && a->bytes == b->bytes &&
           memcmp(file->data + a->offset, file->data + b->offset, file->class->head_size) == 0;
}

/* Removes and counts duplicates. */
static void keep_once(struct ctf_file *file, struct packet_places *places) {
    size_t kept = 0;

    for (size_t i = 0; i < places->count; i++) {
        if (kept && is_same(file, &places->all[kept - 1], &places->all[i]))
            file->twice++;
        else
            places->all[kept++] = places->all[i];
    }
    places->count = kept;
}

/* Counts the packets that are behind a later packet. */
static void count_unordered(struct ctf_file *file, const struct packet_places *places) {
    uint64_t furthest = 0;

    for (size_t i = 0; i < places->count; i++) {
        file->late += places->all[i].offset < furthest;
        if (places->all[i].offset > furthest)
            furthest = places->all[i].offset;
    }
}

/* The bytes that are copied at once. */
#define PIECE ((size_t)1 << 20)

/* Copies the packet that is cut off to zeroed memory. Most of it may be a hole in the file, which
 * takes no memory here either. */
static void copy_cut(const struct ctf_file *file, unsigned char *to) {
    const unsigned char *from = file->data + file->whole_size;
    uint64_t released = (file->whole_size + PIECE - 1) / PIECE * PIECE;

    for (uint64_t at = 0; at < file->cut_size; at += PIECE) {
        size_t bytes = file->cut_size - at < PIECE ? (size_t)(file->cut_size - at) : PIECE;

        if (from[at] || memcmp(from + at, from + at + 1, bytes - 1) != 0)
            memcpy(to + at, from + at, bytes);
        ctf_file_release(file, &released, file->whole_size + at);
    }
}

static void copy(struct ctf_file *file, const struct packet_places *places) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)file->cut_size, at = 0;
    const uint64_t rest = file->size - file->whole_size;

    for (size_t i = 0; i < places->count; i++)
        size += (size_t)places->all[i].bytes;
    size_t mapped = (size + page - 1) / page * page + page;
    unsigned char *data = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED)
        return;
    for (size_t i = 0; i < places->count; i++) {
        memcpy(data + at, file->data + places->all[i].offset, (size_t)places->all[i].bytes);
        at += (size_t)places->all[i].bytes;
    }
    copy_cut(file, data + at);
    munmap((void *)(file->data - file->before), file->mapped);
    file->data = data;
    file->mapped = mapped;
    file->before = 0;
    /* The rest of the file counts, but is not read. */
    file->size = at + rest;
    file->whole_size = at;
    file->is_copy = true;
    file->first_begin = ctf_file_number(file, 0, file->class->begin);
}

void ctf_file_set_in_order(struct ctf_file *file) {
    struct packet_places places = {0};

    list(file, &places);
    PINSIGHT_SORT(places.all, places.count, by_time);
    keep_once(file, &places);
    count_unordered(file, &places);
    copy(file, &places);
    free(places.all);
}
