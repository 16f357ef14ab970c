/*
 * The tree of call paths. A path is its caller's path, a function and a line, and has a number that
 * is unique in the process. Calls nothing else. The caller holds a lock for all functions except
 * pinsight_path_node().
 */
#ifndef PINSIGHT_PYTHON_PATH_TREE_H
#define PINSIGHT_PYTHON_PATH_TREE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The most paths of a process, in 36 MB of memory. A later path is replaced by its longest known
 * beginning. */
#define PINSIGHT_PATHS_MAX (1u << 20)

struct pinsight_path_node {
    uint32_t parent; /* 0 for an outermost frame */
    uint32_t code;
    int32_t line;
    _Atomic uint32_t defined; /* session version of its last definition; 0: never */
    uint32_t first;           /* the first path that was found below it; 0: none */
};

extern struct pinsight_path_node *pinsight_path_nodes; /* NULL before the first */

/* Returns the node of a path, which never moves. Any thread that has received the number. */
static inline struct pinsight_path_node *pinsight_path_node(uint32_t path) {
    return &pinsight_path_nodes[path];
}

/* Slow paths of pinsight_path_find(): for a path that is not the first below its caller, and for
 * the first if there is no memory for it yet. */
uint32_t pinsight_path_find_other(uint32_t parent, uint32_t code, int32_t line);

/* The highest number in use, and the number of nodes. */
extern uint32_t pinsight_path_last, pinsight_path_room;

/* Returns the number of a path, and gives it one if it is new. Returns 0 if there is no room. Most
 * paths have one path below them. Therefore the first one is stored with the caller, and only
 * others are looked up. */
static inline uint32_t pinsight_path_find(uint32_t parent, uint32_t code, int32_t line) {
    if (__builtin_expect(pinsight_path_last + 1 < pinsight_path_room, 1)) {
        struct pinsight_path_node *caller = &pinsight_path_nodes[parent];
        uint32_t first = caller->first;
        struct pinsight_path_node *node = &pinsight_path_nodes[first];
        if (!first) {
            caller->first = first = ++pinsight_path_last;
            pinsight_path_nodes[first] =
                (struct pinsight_path_node){.parent = parent, .code = code, .line = line};
            return first;
        }
        if (node->code == code && node->line == line)
            return first;
    }
    return pinsight_path_find_other(parent, code, line);
}

/* Prefetches the memory for the look-up of a path. */
void pinsight_path_find_prefetch(uint32_t parent, uint32_t code, int32_t line);

/* Prefetches the memory for `number` new paths. */
void pinsight_path_prefetch(uint32_t number);

#endif
