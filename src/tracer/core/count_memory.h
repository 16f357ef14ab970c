/*
 * The memory of the nodes of count.h. If the recorder has memory that outlives the process
 * (format/persistent.h), the nodes are in it, so that the counts survive any end of the process.
 * All functions are called under the count lock.
 */
#ifndef PINSIGHT_CORE_COUNT_MEMORY_H
#define PINSIGHT_CORE_COUNT_MEMORY_H

#include "tracer/core/count_tree.h"

struct pinsight_engine;

/* Adds a page of `room` nodes to a tree, zeroed except for their accounts. Returns false if memory
 * is short. */
bool pinsight_count_page_new(struct pinsight_count_tree *tree, unsigned page, uint32_t room);

/* Frees all pages of a tree. */
void pinsight_count_pages_free(struct pinsight_count_tree *tree);

/* Called when a node was made in the tree. Updates the clock's time and rate, by which the counts
 * are read after the process's end. */
void pinsight_count_page_used(const struct pinsight_count_tree *tree);

/* Returns the text that describes a lexgion in the memory. It is valid while the lexgion exists.
 * Returns NULL if the memory does not outlive the process. */
const struct pinsight_persistent_text *pinsight_count_text(struct pinsight_engine *engine,
                                                           struct pinsight_lexgion *lexgion);

/* Frees the text of a lexgion that is about to be freed. All counts of it must have been
 * written. */
void pinsight_count_text_free(struct pinsight_lexgion *lexgion);

/* Separates a forked child from its parent's memory. Called in the child's only thread. */
void pinsight_count_memory_fork_child(void);

#endif
