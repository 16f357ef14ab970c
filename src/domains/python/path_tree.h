/*
 * The tree of call paths: a path is its caller's path, a function and a line, and has a number that
 * no other path of the process has. Pure; the caller holds a lock over all functions but
 * pinsight_path_node.
 */
#ifndef PINSIGHT_PYTHON_PATH_TREE_H
#define PINSIGHT_PYTHON_PATH_TREE_H

#include <stdatomic.h>
#include <stdint.h>

/* So many paths in a process, 28 MB of memory: those that come later are not told from the part of
 * them that is known. */
#define PINSIGHT_PATHS_MAX (1u << 20)

struct pinsight_path_node {
    uint32_t parent; /* 0 for an outermost frame */
    uint32_t code;
    int32_t line;
    _Atomic uint32_t defined; /* generation at which it was recorded last; 0 never */
    uint32_t first;           /* the path that was found below it first; 0 is none */
};

/* The number of a path, given the first time; 0 where there is no room for a new one. */
uint32_t pinsight_path_find(uint32_t parent, uint32_t code, int32_t line);

/* So many paths may be new soon: their memory is fetched meanwhile. */
void pinsight_path_soon(uint32_t number);

/* A path that has a number; stays where it is. Any thread that was given the number. */
struct pinsight_path_node *pinsight_path_node(uint32_t path);

/* How many there are. */
uint32_t pinsight_path_count(void);

#endif
