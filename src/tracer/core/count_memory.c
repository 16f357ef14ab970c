/* The memory of nodes, which may outlive the process; see count_memory.h. */
#include "tracer/core/count_memory.h"

#include "tracer/core/engine.h"
#include "tracer/core/info.h"
#include "tracer/record/recorder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The size of the first chunk. Each later chunk has at least twice the size of the one before. */
#define FIRST_BYTES 65536u
enum { CHUNKS = 32, TEXT_CLASSES = 12, TEXT_MOST = 4096 };

/* A chunk of memory from the recorder. */
struct count_chunk {
    struct pinsight_persistent_chunk *head;
    uint64_t bytes;
};

/* The memory of this process; empty in a forked child. */
static struct {
    struct count_chunk chunks[CHUNKS];
    unsigned count;
    bool is_exhausted; /* the recorder has no more memory */
    struct pinsight_persistent_block *free_pages[PINSIGHT_COUNT_PAGES];
    struct pinsight_persistent_block
        *free_texts[TEXT_CLASSES]; /* list n has texts of 64 bytes << n */
} memory;

static uint32_t round_of_forks = 1;

/* ---- blocks ---- */

static bool add_chunk(uint64_t needed) {
    uint64_t bytes = memory.count ? memory.chunks[memory.count - 1].bytes * 2 : FIRST_BYTES;
    while (bytes < needed + sizeof(struct pinsight_persistent_chunk))
        bytes *= 2;
    if (memory.is_exhausted || memory.count == CHUNKS || !pinsight_recorder->keep)
        return false;
    struct pinsight_persistent_chunk *head = pinsight_recorder->keep(bytes);
    if (!head) {
        memory.is_exhausted = true;
        return false;
    }
    head->at = (uintptr_t)head;
    head->rate = pinsight_clock_rate();
    __atomic_store_n(&head->used, sizeof *head, __ATOMIC_RELEASE);
    memory.chunks[memory.count] = (struct count_chunk){head, bytes};
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* a signal handler may fork between the two stores */
    memory.count++;
    return true;
}

/* Returns a new, zeroed block, or NULL without memory. Readers see the block once `used` includes
 * it. */
static struct pinsight_persistent_block *add_block(uint64_t bytes) {
    struct count_chunk *last = memory.count ? &memory.chunks[memory.count - 1] : NULL;
    if (!last || last->bytes - last->head->used < bytes) {
        if (!add_chunk(bytes))
            return NULL;
        last = &memory.chunks[memory.count - 1];
    }
    struct pinsight_persistent_block *block = (void *)((char *)last->head + last->head->used);
    block->bytes = bytes;
    __atomic_store_n(&last->head->used, last->head->used + bytes, __ATOMIC_RELEASE);
    return block;
}

/* Returns a block from a list of freed ones, or a new one. The block is zeroed behind its head. */
static struct pinsight_persistent_block *take_block(struct pinsight_persistent_block **list,
                                                    uint64_t bytes) {
    struct pinsight_persistent_block *block = *list;
    if (!block)
        return add_block(bytes);
    *list = block->next_free;
    memset(block + 1, 0, block->bytes - sizeof *block);
    return block;
}

static void give_block(struct pinsight_persistent_block **list,
                       struct pinsight_persistent_block *block) {
    __atomic_store_n(&block->kind, PINSIGHT_PERSISTENT_FREE, __ATOMIC_RELEASE);
    block->next_free = *list;
    *list = block;
}

static void use_block(struct pinsight_persistent_block *block, enum pinsight_persistent_kind kind) {
    __atomic_store_n(&block->kind, kind, __ATOMIC_RELEASE);
}

/* ---- pages of nodes ---- */

static bool page_is_kept(const struct pinsight_count_tree *tree, unsigned page) {
    return tree->kept >> page & 1;
}

static struct pinsight_persistent_block *block_of(const struct pinsight_count_tree *tree,
                                                  unsigned page) {
    return (struct pinsight_persistent_block *)tree->pages[page] - 1;
}

static struct pinsight_count_node *new_kept(struct pinsight_count_tree *tree, unsigned page,
                                            uint32_t room) {
    uint64_t bytes = sizeof(struct pinsight_persistent_block) +
                     room * (sizeof(struct pinsight_count_node) +
                             (uint64_t)sizeof(struct pinsight_count_account));
    bytes = (bytes + PINSIGHT_PERSISTENT_LINE - 1) / PINSIGHT_PERSISTENT_LINE *
            PINSIGHT_PERSISTENT_LINE;
    struct pinsight_persistent_block *block = take_block(&memory.free_pages[page], bytes);
    if (!block)
        return NULL;
    block->room = room;
    block->tid = tree->tid;
    block->python_thread_id = tree->python_thread_id;
    block->first = pinsight_clock_ns();
    tree->kept |= UINT32_C(1) << page;
    tree->kept_round = round_of_forks;
    return (struct pinsight_count_node *)(block + 1);
}

bool pinsight_count_page_new(struct pinsight_count_tree *tree, unsigned page, uint32_t room) {
    struct pinsight_count_account *accounts = NULL;
    struct pinsight_count_node *nodes = new_kept(tree, page, room);
    if (nodes) {
        accounts = (struct pinsight_count_account *)(nodes + room);
    } else {
        nodes = pinsight_lines_new(room * sizeof *nodes);
        accounts = nodes ? calloc(room, sizeof *accounts) : NULL;
        if (!accounts) {
            free(nodes);
            return false;
        }
    }
    for (uint32_t i = 0; i < room; i++)
        nodes[i].account = &accounts[i];
    tree->pages[page] = nodes;
    if (page_is_kept(tree, page))
        use_block(block_of(tree, page), PINSIGHT_PERSISTENT_NODES);
    return true;
}

void pinsight_count_page_used(const struct pinsight_count_tree *tree) {
    if (!tree->kept)
        return;
    struct pinsight_persistent_chunk *head = memory.chunks[0].head;
    head->last = pinsight_clock_ns();
    head->rate = pinsight_clock_rate();
}

void pinsight_count_pages_free(struct pinsight_count_tree *tree) {
    for (unsigned page = 0; page < PINSIGHT_COUNT_PAGES && tree->pages[page]; page++) {
        if (page_is_kept(tree, page) && tree->kept_round != round_of_forks)
            continue; /* the parent's memory */
        if (page_is_kept(tree, page)) {
            give_block(&memory.free_pages[page], block_of(tree, page));
            continue;
        }
        free(tree->pages[page]->account);
        free(tree->pages[page]);
    }
}

void pinsight_count_renumber(struct pinsight_count_tree *tree, int32_t python_thread_id) {
    pthread_mutex_lock(&pinsight_count_lock);
    tree->python_thread_id = python_thread_id;
    for (unsigned page = 0; page < PINSIGHT_COUNT_PAGES && tree->pages[page]; page++)
        if (page_is_kept(tree, page))
            block_of(tree, page)->python_thread_id = python_thread_id;
    pthread_mutex_unlock(&pinsight_count_lock);
}

/* ---- texts ---- */

static uint8_t *put(uint8_t *at, const void *bytes, size_t size) {
    return (uint8_t *)memcpy(at, bytes, size) + size;
}

/* Writes a text, possibly cut off, and a zero byte. */
static uint8_t *put_text(uint8_t *at, const char *text, size_t length) {
    at = put(at, text ? text : "", length);
    *at++ = '\0';
    return at;
}

static struct pinsight_persistent_block *new_text(const struct pinsight_window_owner *owner) {
    size_t name = owner->name ? strnlen(owner->name, TEXT_MOST) : 0;
    size_t file = owner->filename ? strnlen(owner->filename, TEXT_MOST) : 0;
    size_t domain = strlen(owner->domain->name);
    uint8_t kind = pinsight_info_kind(owner);
    size_t needed = sizeof(struct pinsight_persistent_block) +
                    sizeof(struct pinsight_persistent_text) + domain + name + file + 3 +
                    sizeof kind + sizeof owner->lexgion + sizeof owner->lineno;
    unsigned class = 1;
    while (((size_t)PINSIGHT_PERSISTENT_LINE << class) < needed)
        class ++;
    struct pinsight_persistent_block *block =
        class < TEXT_CLASSES
            ? take_block(&memory.free_texts[class], (uint64_t)PINSIGHT_PERSISTENT_LINE << class)
            : NULL;
    if (!block)
        return NULL;
    struct pinsight_persistent_text *text = (struct pinsight_persistent_text *)(block + 1);
    uint8_t *at = put_text(text->fields, owner->domain->name, domain);
    at = put(at, &kind, sizeof kind);
    at = put(at, &owner->lexgion, sizeof owner->lexgion);
    text->common = (uint32_t)(at - text->fields);
    at = put_text(at, owner->name, name);
    at = put_text(at, owner->filename, file);
    at = put(at, &owner->lineno, sizeof owner->lineno);
    text->all = (uint32_t)(at - text->fields);
    use_block(block, PINSIGHT_PERSISTENT_TEXT);
    return block;
}

const struct pinsight_persistent_text *pinsight_count_text(struct pinsight_engine *engine,
                                                           struct pinsight_lexgion *lexgion) {
    struct pinsight_window_owner owner = {.domain = engine->domain, .lexgion = lexgion->id};
    if (!memory.count)
        return NULL;
    if (!lexgion->kept || lexgion->kept_round != round_of_forks) {
        engine->owner(lexgion, &owner);
        lexgion->kept = new_text(&owner);
        lexgion->kept_round = round_of_forks;
    }
    return lexgion->kept ? (const struct pinsight_persistent_text *)(lexgion->kept + 1) : NULL;
}

void pinsight_count_text_free(struct pinsight_lexgion *lexgion) {
    unsigned class = 1;
    if (!lexgion->kept || lexgion->kept_round != round_of_forks)
        return;
    while (((uint64_t)PINSIGHT_PERSISTENT_LINE << class) < lexgion->kept->bytes)
        class ++;
    give_block(&memory.free_texts[class], lexgion->kept);
    lexgion->kept = NULL;
}

/* ---- forks ---- */

/* Replaces the memory that is shared with the parent. A signal handler can fork in the middle of
 * counting. Therefore the child gets private memory at the same addresses, which no process
 * reads. */
void pinsight_count_memory_fork_child(void) {
    for (unsigned i = 0; i < memory.count; i++)
        if (mmap(memory.chunks[i].head, memory.chunks[i].bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
            continue;
    memset(&memory, 0, sizeof memory);
    round_of_forks++;
}
