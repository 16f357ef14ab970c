/*
 * The memory of count.h's nodes. It outlives the process where the recorder has such memory
 * (record/kept.h), so that counts are there however the process ends. All under the count lock.
 */
#ifndef PINSIGHT_CORE_COUNT_MEMORY_H
#define PINSIGHT_CORE_COUNT_MEMORY_H

#include "core/count_tree.h"

struct pinsight_engine;

/* Gives a tree a page of so many nodes, which are zero but for their accounts. False where memory
 * is short. */
bool pinsight_count_page_new(struct pinsight_count_tree *tree, unsigned page, uint32_t room);

/* Takes all pages of a tree. */
void pinsight_count_pages_free(struct pinsight_count_tree *tree);

/* A node was made in the tree. */
void pinsight_count_page_used(const struct pinsight_count_tree *tree);

/* What a lexgion's counts are of, as long as it is there; NULL where it is not kept. */
const struct pinsight_kept_text *pinsight_count_text(struct pinsight_engine *engine,
                                                     struct pinsight_lexgion *lexgion);

/* The lexgion is about to be freed; nothing is counted of it that is not written. */
void pinsight_count_text_free(struct pinsight_lexgion *lexgion);

/* In a forked child, in its only thread: what its parent counts it reads and writes no more. */
void pinsight_count_memory_fork_child(void);

#endif
