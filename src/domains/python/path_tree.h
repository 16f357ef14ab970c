/*
 * The tree of call paths: a path is its caller's path, a function and a line, and has a number that
 * no other path of the process has. Pure; the caller holds a lock over all functions but
 * pinsight_path_node.
 */
#ifndef PINSIGHT_PYTHON_PATH_TREE_H
#define PINSIGHT_PYTHON_PATH_TREE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* So many paths in a process, 36 MB of memory: those that come later are not told from the part of
 * them that is known. */
#define PINSIGHT_PATHS_MAX (1u << 20)

struct pinsight_path_node {
    uint32_t parent; /* 0 for an outermost frame */
    uint32_t code;
    int32_t line;
    _Atomic uint32_t defined; /* session version at which it was recorded last; 0 never */
    uint32_t first;           /* the path that was found below it first; 0 is none */
};

extern struct pinsight_path_node *pinsight_path_nodes; /* NULL before the first */

/* A path that has a number; stays where it is. Any thread that was given the number. */
static inline struct pinsight_path_node *pinsight_path_node(uint32_t path) {
    return &pinsight_path_nodes[path];
}

/* For the next function: where a path is not the first below its caller; and one that is, but for
 * which there is no memory yet. */
uint32_t pinsight_path_find_other(uint32_t parent, uint32_t code, int32_t line);

/* The highest number given, and how many nodes are there. */
extern uint32_t pinsight_path_last, pinsight_path_room;

/* The number of a path, given the first time; 0 where there is no room for a new one. Most have one
 * path below them: what is found first is kept with the caller, and only others are looked for. */
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

/* It will be asked for this path; what it will read is fetched meanwhile. */
void pinsight_path_find_prefetch(uint32_t parent, uint32_t code, int32_t line);

/* So many paths may be new soon, below `parent`: their memory is fetched meanwhile. */
void pinsight_path_prefetch(uint32_t number);

#endif
