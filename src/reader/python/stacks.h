/* Functions of the Python stacks that the rest of the model calls. */
#ifndef PINSIGHT_READER_PYTHON_STACKS_H
#define PINSIGHT_READER_PYTHON_STACKS_H

#include "reader/model.h"

struct pinsight_frame_times;
struct pinsight_slice;

/* Closes every open frame of a thread, and every open import, at a time; returns how many there
 * were. */
uint64_t pinsight_stacks_close(struct pinsight_thread *thread, uint64_t ns);

/* Gives open frames other numbers: of functions, and of call sites. What is not in a map stays. */
void pinsight_stacks_translate(struct pinsight_thread *thread, const struct pinsight_map *functions,
                               const struct pinsight_map *sites);

/* The time of a begin of Python's, and of an end, which may be marked as lost: it does not run back
 * within a thread. */
uint64_t pinsight_stacks_time(struct pinsight_thread *thread, uint64_t ns);
uint64_t pinsight_stacks_end_time(struct pinsight_thread *thread, unsigned how, uint64_t ns);

/* The innermost call of a thread is this execution of a generator or coroutine. Nothing where it is
 * not of this function: what began it is not in the trace. */
void pinsight_stacks_set_generator(struct pinsight_thread *thread, uint32_t function,
                                   uint32_t number);

/* What a slice that ended took by itself is not the time of the call that it is in. */
void pinsight_stacks_stand_apart(struct pinsight_thread *thread,
                                 const struct pinsight_slice *ended);

/* For frames.h. */

/* A frame of the call tree, of which the node is set. */
void pinsight_stacks_place_in_tree(struct pinsight_thread *thread, struct pinsight_slice *frame);

/* Whether the tree has a node for a frame that begins in a thread, and whether its group is known.
 */
bool pinsight_stacks_has_node(const struct pinsight_thread *thread, enum pinsight_kind kind,
                              uint32_t id);
bool pinsight_stacks_has_group(const struct pinsight_thread *thread, enum pinsight_kind kind,
                               uint32_t id);

/* A frame of a group, which is set, begins; and it ends. */
void pinsight_stacks_count_group(struct pinsight_thread *thread, struct pinsight_slice *frame);
void pinsight_stacks_add_group(struct pinsight_thread *thread, const struct pinsight_slice *frame,
                               const struct pinsight_frame_times *times);

/* A frame with a node ends. */
void pinsight_stacks_add_node(struct pinsight_model *model, const struct pinsight_slice *frame,
                              const struct pinsight_frame_times *times);

/* Adds to the node below another one, or PINSIGHT_NONE, and returns it; the other one itself where
 * there are too many. */
uint32_t pinsight_stacks_counted_node(struct pinsight_model *model, uint32_t parent,
                                      enum pinsight_kind kind, uint32_t id,
                                      const struct pinsight_monitored *counted);

/* Closes what is open above a frame of this kind and number; false where none is open. */
bool pinsight_stacks_make_top(struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id,
                              uint64_t ns);

#endif
