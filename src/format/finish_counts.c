/*
 * Records the counts of processes that could not; see finish_counts.h. The files are not trusted:
 * pointers are followed only into mapped chunks, and a parent must be older than its children.
 *
 * An execution that was open when the process ended has no time of its own, except for the recorded
 * part. It gets the time of its counted children.
 */
#include "format/finish_counts.h"

#include "base/safe_files.h"
#include "format/folder.h"
#include "format/local.h"
#include "format/persistent.h"
#include "format/persistent_file.h"
#include "format/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNKS = 32, ENGINES = 16, PACKET_BYTES = 1 << 18 };
#define MOST_MAPPED ((off_t)1 << 31)

struct counts_file {
    const char *file; /* mapped */
    size_t mapped;
    const struct pinsight_persistent_chunk *kept;
    uint64_t used;
};

/* A node in use. */
struct ended_node {
    const struct pinsight_count_node *node;
    const struct pinsight_count_account *account;
    const struct pinsight_persistent_text *text;
    const struct pinsight_persistent_block *of; /* the block of its thread */
    struct ended_node *parent;                  /* NULL: none */
    int64_t inclusive, children, self, own;
    bool was_open; /* open when the process ended */
};

/* The sums of a lexgion in a thread. */
struct ended_sum {
    const struct ended_node *of;
    uint64_t calls;
    int64_t inclusive, exclusive;
};

struct finishing {
    int folder;
    const struct pinsight_control *control;
    const struct pinsight_buffer_head *process;
    double rate;
    struct counts_file chunks[CHUNKS];
    uint32_t chunk_count;
    struct ended_node *all;    /* in the order of their positions */
    struct ended_node **order; /* thread by thread, parents first */
    size_t count;
    uint64_t time; /* time of the events */
    FILE *events;  /* events of the packet */
    char *bytes;
    size_t size;
    int fd;
    uint64_t at, sequence; /* position in the stream */
};

/* ---- the files ---- */

bool pinsight_counts_is_name(const char *name) {
    const char *infix = strstr(name, PINSIGHT_PERSISTENT_INFIX);
    char buffer[NAME_MAX + 1];
    if (!infix || strcmp(infix + strlen(PINSIGHT_PERSISTENT_INFIX), "0") != 0)
        return false;
    snprintf(buffer, sizeof buffer, "%.*s", (int)(infix - name), name);
    return pinsight_buffer_is_name(buffer);
}

static int map(struct counts_file *chunk, int folder, const char *name) {
    struct stat status;
    int fd = pinsight_local_open(folder, name, O_RDONLY, true);
    if (fd < 0)
        return errno;
    int error = fstat(fd, &status) != 0 ? errno : 0;
    if (!error && (status.st_size < (off_t)(PINSIGHT_BUFFER_HEAD_BYTES +
                                            sizeof(struct pinsight_persistent_chunk)) ||
                   status.st_size > MOST_MAPPED))
        error = ENODATA;
    if (!error) {
        void *mapped = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
        error = mapped == MAP_FAILED ? errno : 0;
        if (!error)
            *chunk = (struct counts_file){.file = mapped, .mapped = (size_t)status.st_size};
    }
    close(fd);
    return error;
}

static bool is_sound(struct counts_file *chunk) {
    const struct pinsight_buffer_head *head = (const void *)chunk->file;
    chunk->kept = (const void *)(chunk->file + PINSIGHT_BUFFER_HEAD_BYTES);
    chunk->used = chunk->kept->used;
    return head->magic == PINSIGHT_PERSISTENT_MAGIC &&
           head->head_bytes == PINSIGHT_BUFFER_HEAD_BYTES && chunk->used >= sizeof *chunk->kept &&
           chunk->used <= chunk->mapped - PINSIGHT_BUFFER_HEAD_BYTES;
}

/* Translates a pointer of the process. Returns NULL if the whole object is not in a chunk. */
static const void *resolve(const struct finishing *what, const void *pointer, size_t bytes,
                           size_t align) {
    uint64_t address = (uintptr_t)pointer;
    for (uint32_t i = 0; i < what->chunk_count; i++) {
        const struct counts_file *chunk = &what->chunks[i];
        uint64_t place = address - chunk->kept->at;
        if (place < chunk->used && chunk->used - place >= bytes && place % align == 0)
            return (const char *)chunk->kept + place;
    }
    return NULL;
}

static const struct pinsight_persistent_text *
text_of(const struct finishing *what, const struct pinsight_persistent_text *pointer) {
    const struct pinsight_persistent_text *text = resolve(what, pointer, sizeof *text, 8);
    if (!text || text->common > text->all || text->all > PACKET_BYTES / 2 ||
        !resolve(what, pointer, sizeof *text + text->all, 8))
        return NULL;
    return text;
}

/* ---- the nodes ---- */

static bool add(struct finishing *what, const struct pinsight_persistent_block *block,
                const struct pinsight_count_node *node, size_t *room) {
    const struct pinsight_count_account *account =
        resolve(what, node->account, sizeof *account, sizeof(uint64_t));
    if (!account || !account->number)
        return true;
    if (what->count == *room) {
        *room = *room ? *room * 2 : 256;
        struct ended_node *grown = realloc(what->all, *room * sizeof *grown);
        if (!grown)
            return false;
        what->all = grown;
    }
    what->all[what->count++] = (struct ended_node){
        .node = node, .account = account, .text = text_of(what, account->text), .of = block};
    return true;
}

static int add_block(struct finishing *what, const struct pinsight_persistent_block *block,
                     size_t *room) {
    const struct pinsight_count_node *nodes = (const void *)(block + 1);
    uint64_t most = (block->bytes - sizeof *block) / sizeof *nodes;
    for (uint64_t i = 0; i < block->room && i < most; i++)
        if (!add(what, block, &nodes[i], room))
            return ENOMEM;
    return 0;
}

static int collect(struct finishing *what) {
    size_t room = 0;
    for (uint32_t i = 0; i < what->chunk_count; i++) {
        const struct counts_file *chunk = &what->chunks[i];
        for (uint64_t at = sizeof *chunk->kept;
             chunk->used - at >= sizeof(struct pinsight_persistent_block);) {
            const struct pinsight_persistent_block *block =
                (const void *)((const char *)chunk->kept + at);
            if (block->bytes < sizeof *block || block->bytes > chunk->used - at ||
                block->bytes % PINSIGHT_PERSISTENT_LINE)
                break;
            int error =
                block->kind == PINSIGHT_PERSISTENT_NODES ? add_block(what, block, &room) : 0;
            if (error)
                return error;
            at += block->bytes;
        }
    }
    return 0;
}

static int by_place(const void *a, const void *b) {
    const struct ended_node *left = a, *right = b;
    return (left->node > right->node) - (left->node < right->node);
}

static bool same_thread(const struct ended_node *left, const struct ended_node *right) {
    return left->of->tid == right->of->tid &&
           left->of->python_thread_id == right->of->python_thread_id;
}

static int by_thread(const void *a, const void *b) {
    const struct ended_node *left = *(struct ended_node *const *)a,
                            *right = *(struct ended_node *const *)b;
    if (left->of->tid != right->of->tid)
        return left->of->tid < right->of->tid ? -1 : 1;
    if (left->of->python_thread_id != right->of->python_thread_id)
        return left->of->python_thread_id < right->of->python_thread_id ? -1 : 1;
    return (left->account->number > right->account->number) -
           (left->account->number < right->account->number);
}

static int put_in_order(struct finishing *what) {
    what->order = calloc(what->count + 1, sizeof *what->order);
    if (!what->order)
        return ENOMEM;
    qsort(what->all, what->count, sizeof *what->all, by_place);
    for (size_t i = 0; i < what->count; i++) {
        struct ended_node *at = &what->all[i];
        const struct ended_node key = {
            .node = resolve(what, at->node->parent, sizeof *at->node, PINSIGHT_PERSISTENT_LINE)};
        struct ended_node *parent =
            key.node ? bsearch(&key, what->all, what->count, sizeof key, by_place) : NULL;
        if (parent && same_thread(parent, at) && parent->account->number < at->account->number)
            at->parent = parent;
        what->order[i] = at;
    }
    qsort(what->order, what->count, sizeof *what->order, by_thread);
    return 0;
}

/* ---- times ---- */

static struct ended_node *of_engine(struct ended_node *at, const struct pinsight_engine *engine) {
    while (at && at->account->engine != engine)
        at = at->parent;
    return at;
}

/* Adds up the times of each node's children, from the innermost nodes on. */
static void add_up(struct finishing *what) {
    const struct pinsight_engine *engines[ENGINES];
    size_t engine_count = 0;
    for (size_t i = 0; i < what->count; i++)
        what->all[i].children = (int64_t)what->all[i].node->children;
    for (size_t i = what->count; i-- > 0;) {
        struct ended_node *at = what->order[i];
        const int64_t ended = (int64_t)at->node->inclusive;
        at->was_open = !(at->node->place & (PINSIGHT_COUNT_FOLDED | PINSIGHT_COUNT_TRACED)) &&
                       (ended < at->children || ended < (int64_t)at->account->inclusive);
        at->inclusive =
            at->was_open ? at->children + (at->account->self > 0 ? at->account->self : 0) : ended;
        at->own = at->self = at->inclusive - at->children;
        if (at->parent)
            at->parent->children += at->inclusive - ended;
        size_t e = 0;
        while (e < engine_count && engines[e] != at->account->engine)
            e++;
        if (e == engine_count && e < ENGINES)
            engines[engine_count++] = at->account->engine;
    }
    for (size_t e = 0; e < engine_count && engine_count > 1; e++)
        for (size_t i = 0; i < what->count; i++) {
            struct ended_node *at = what->order[i], *around;
            if (at->account->engine != engines[e] && (around = of_engine(at, engines[e])))
                around->own += at->self;
        }
}

/* Returns the latest time at which the process is known to have run, in ns of CLOCK_MONOTONIC. */
static uint64_t last_of(const struct finishing *what) {
    uint64_t last = what->chunks[0].kept->last;
    double sum = 0;
    for (size_t i = 0; i < what->count; i++) {
        const struct ended_node *at = what->order[i];
        bool is_first = i == 0 || !same_thread(what->order[i - 1], at);
        sum = is_first ? (double)at->of->first : sum;
        if (!at->parent && !(at->node->place & PINSIGHT_COUNT_FOLDED))
            sum +=
                (double)(at->node->place & PINSIGHT_COUNT_TRACED ? at->children : at->inclusive) *
                what->rate;
        if (sum > (double)last && sum < (double)INT64_MAX)
            last = (uint64_t)sum;
    }
    return last;
}

/* Converts a time of CLOCK_MONOTONIC to the trace's clock. The result is not in the future. */
static uint64_t ticks_of(const struct pinsight_control *control, uint64_t ns) {
    const struct pinsight_clocks *first = &control->first;
    struct pinsight_clocks now;
    pinsight_file_clocks(&now, control->has_counter);
    if (now.monotonic <= first->monotonic || now.ticks <= first->ticks || ns >= now.monotonic)
        return now.ticks;
    double rate = (double)(now.ticks - first->ticks) / (double)(now.monotonic - first->monotonic);
    return ns > first->monotonic ? first->ticks + (uint64_t)((double)(ns - first->monotonic) * rate)
                                 : first->ticks;
}

/* ---- events ---- */

static void put(struct finishing *what, const void *bytes, size_t size) {
    fwrite(bytes, 1, size, what->events);
}
#define PUT(what, type, value) put(what, &(type){value}, sizeof(type))

static void begin_event(struct finishing *what, uint32_t number, const struct ended_node *of) {
    PUT(what, uint8_t, PINSIGHT_EXTENDED);
    PUT(what, uint32_t, number);
    PUT(what, uint64_t, what->time);
    PUT(what, int32_t, what->process->pid);
    PUT(what, uint32_t, of->of->tid);
    PUT(what, int32_t, of->of->python_thread_id);
}

/* Writes the events so far as a packet. */
static int end_packet(struct finishing *what) {
    struct pinsight_packet_head head = {.magic = PINSIGHT_CTF_MAGIC,
                                        .begin = what->time,
                                        .end = what->time,
                                        .sequence = what->sequence++,
                                        .vpid = (uint32_t)what->process->pid,
                                        .vtid = (uint32_t)what->process->pid};
    int error = fclose(what->events) != 0 ? errno : 0;
    what->events = NULL;
    memcpy(head.uuid, what->control->uuid, sizeof head.uuid);
    head.content = head.size = (sizeof head + what->size) * 8;
    if (!error)
        error = pinsight_file_write_all(what->fd, (const char *)&head, sizeof head, what->at);
    if (!error)
        error = pinsight_file_write_all(what->fd, what->bytes, what->size, what->at + sizeof head);
    what->at += sizeof head + what->size;
    free(what->bytes);
    what->bytes = NULL;
    return error;
}

static int ready(struct finishing *what) {
    int error = what->events && ftello(what->events) > PACKET_BYTES ? end_packet(what) : 0;
    if (!error && !what->events && !(what->events = open_memstream(&what->bytes, &what->size)))
        error = errno;
    return error;
}

static uint64_t ns_of(const struct finishing *what, int64_t ticks) {
    return ticks > 0 ? (uint64_t)((double)ticks * what->rate) : 0;
}

static uint64_t more(uint64_t now, uint64_t before) {
    return now > before ? now - before : 0;
}

/* Returns the longest execution of a node. A single execution that was open counts with its known
 * time. */
static int64_t longest_of(const struct ended_node *at) {
    const int64_t longest = (int64_t)at->node->longest;
    bool is_alone = at->was_open && at->node->calls == 1;
    return is_alone && at->inclusive > longest ? at->inclusive : longest;
}

static int write_node(struct finishing *what, const struct ended_node *at) {
    const struct pinsight_count_node *node = at->node;
    bool is_path = node->place & PINSIGHT_COUNT_PATH;
    int error = ready(what);
    if (error)
        return error;
    begin_event(what, pinsight_file_path_profile, at);
    PUT(what, uint32_t, at->account->number);
    PUT(what, uint32_t, at->parent ? at->parent->account->number : 0);
    put(what, at->text->fields, at->text->common);
    PUT(what, int32_t, is_path ? 0 : (int32_t)node->place);
    PUT(what, uint32_t, is_path ? (uint32_t)node->place : 0);
    PUT(what, uint8_t, (node->place & PINSIGHT_COUNT_PART) != 0);
    PUT(what, uint8_t, (node->place & PINSIGHT_COUNT_FOLDED) != 0);
    PUT(what, uint64_t, more(node->calls, at->account->calls));
    PUT(what, uint64_t, ns_of(what, at->inclusive - (int64_t)at->account->inclusive));
    PUT(what, int64_t, (int64_t)((double)(at->self - at->account->self) * what->rate));
    PUT(what, uint64_t, ns_of(what, longest_of(at)));
    PUT(what, uint8_t, at->was_open);
    return 0;
}

static int write_sum(struct finishing *what, const struct ended_sum *sum) {
    int error = ready(what);
    if (error)
        return error;
    begin_event(what, pinsight_file_lexgion_profile, sum->of);
    put(what, sum->of->text->fields, sum->of->text->all);
    PUT(what, uint64_t, sum->calls);
    PUT(what, uint64_t, ns_of(what, sum->inclusive));
    PUT(what, uint64_t, ns_of(what, sum->exclusive));
    return 0;
}

static bool is_written(const struct ended_node *at) {
    const struct pinsight_count_account *account = at->account;
    return account->round && at->node->calls == account->calls &&
           at->inclusive == (int64_t)account->inclusive && at->self == account->self &&
           at->own == account->own && at->node->longest <= account->longest;
}

static struct ended_sum sum_of(const struct ended_node *at) {
    const int64_t own = at->own > at->account->own ? at->own - at->account->own : 0;
    return (struct ended_sum){
        .of = at,
        .calls = more(at->node->calls, at->account->calls),
        .inclusive = at->node->place & PINSIGHT_COUNT_FOLDED ? own
                     : at->account->nested                   ? 0
                                           : at->inclusive - (int64_t)at->account->inclusive,
        .exclusive = own,
    };
}

static int by_text(const void *a, const void *b) {
    const struct ended_sum *left = a, *right = b;
    const struct ended_node *one = left->of, *other = right->of;
    int order = by_thread(&(const struct ended_node *){one}, &(const struct ended_node *){other});
    if (!same_thread(one, other))
        return order;
    return one->text != other->text ? (one->text > other->text ? 1 : -1) : order;
}

static int write_sums(struct finishing *what, struct ended_sum *sums, size_t count) {
    int error = 0;
    qsort(sums, count, sizeof *sums, by_text);
    for (size_t i = 0; i < count && !error;) {
        struct ended_sum sum = sums[i];
        while (++i < count && same_thread(sums[i].of, sum.of) && sums[i].of->text == sum.of->text) {
            sum.calls += sums[i].calls;
            sum.inclusive += sums[i].inclusive;
            sum.exclusive += sums[i].exclusive;
        }
        if (sum.calls || sum.inclusive > 0 || sum.exclusive > 0)
            error = write_sum(what, &sum);
    }
    return error;
}

static int write_events(struct finishing *what) {
    struct ended_sum *sums = calloc(what->count + 1, sizeof *sums);
    size_t count = 0;
    int error = sums ? 0 : ENOMEM;
    for (size_t i = 0; i < what->count && !error; i++) {
        const struct ended_node *at = what->order[i];
        if (!at->text || is_written(at))
            continue;
        error = write_node(what, at);
        sums[count++] = sum_of(at);
    }
    if (!error)
        error = write_sums(what, sums, count);
    if (what->events && !error)
        error = end_packet(what);
    else if (what->events)
        fclose(what->events);
    free(what->bytes);
    free(sums);
    return error;
}

static bool has_more(const struct finishing *what) {
    for (size_t i = 0; i < what->count; i++)
        if (what->all[i].text && !is_written(&what->all[i]))
            return true;
    return false;
}

/* ---- the stream ---- */

/* Writes the stream. Its name is that of the files up to their infix, without the dot. */
static int write_stream(struct finishing *what, const char *name) {
    char stream[NAME_MAX + 1];
    snprintf(stream, sizeof stream, "%.*s",
             (int)(strstr(name, PINSIGHT_PERSISTENT_INFIX) - name - 1), name + 1);
    what->fd = pinsight_open_to_write(what->folder, stream, O_WRONLY | O_TRUNC, 0600);
    if (what->fd < 0)
        return errno;
    int error = write_events(what);
    if (close(what->fd) != 0 && !error)
        error = errno;
    if (error)
        unlinkat(what->folder, stream, 0);
    return error;
}

static int finish(struct finishing *what, const char *name) {
    what->process = (const void *)what->chunks[0].file;
    what->rate = what->chunks[0].kept->rate;
    if (!(what->rate > 0 && what->rate < 1e6))
        what->rate = 1;
    int error = collect(what);
    if (!error)
        error = put_in_order(what);
    if (error)
        return error;
    add_up(what);
    if (!has_more(what))
        return 0;
    what->time = ticks_of(what->control, last_of(what));
    return write_stream(what, name);
}

/* Writes the name of a process's file, by the name of the first. */
static void name_file(const char *name, uint32_t at, char file[NAME_MAX + 1]) {
    snprintf(file, NAME_MAX + 1, "%.*s%u", (int)strlen(name) - 1, name, at);
}

int pinsight_counts_finish(int folder, const char *name, const struct pinsight_control *control) {
    struct finishing what = {.folder = folder, .control = control};
    char file[NAME_MAX + 1];
    int error = 0;
    while (what.chunk_count < CHUNKS) {
        struct counts_file *next = &what.chunks[what.chunk_count];
        name_file(name, what.chunk_count, file);
        if (map(next, folder, file) != 0)
            break;
        what.chunk_count++;
        if (!is_sound(next)) { /* it was just made */
            munmap((void *)(uintptr_t)next->file, next->mapped);
            what.chunk_count--;
            break;
        }
    }
    bool is_over = what.chunk_count > 0 &&
                   pinsight_buffer_owner((const void *)what.chunks[0].file) == PINSIGHT_OWNER_ENDED;
    if (is_over)
        error = finish(&what, name);
    free(what.all);
    free(what.order);
    for (uint32_t i = 0; i < what.chunk_count; i++)
        munmap((void *)(uintptr_t)what.chunks[i].file, what.chunks[i].mapped);
    for (uint32_t i = what.chunk_count; is_over && !error && i-- > 0;) {
        name_file(name, i, file);
        pinsight_local_remove(folder, file);
    }
    return error;
}
