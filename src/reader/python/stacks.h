/* Functions of the Python stacks for the rest of the model. */
#ifndef PINSIGHT_READER_PYTHON_STACKS_H
#define PINSIGHT_READER_PYTHON_STACKS_H

#include "reader/model.h"

struct pinsight_frame_times;
struct pinsight_slice;

/* Ends every open frame of a thread, and every open import. Returns how many there were. */
uint64_t pinsight_stacks_close(struct pinsight_thread *thread, uint64_t ns);

/* Changes the numbers of functions and call sites in open frames. Numbers that are not in a map
 * stay. */
void pinsight_stacks_translate(struct pinsight_thread *thread, const struct pinsight_map *functions,
                               const struct pinsight_map *sites);

/* Return the time of a begin of Python, and of an end, which may be marked as lost. The times of a
 * thread do not run backwards. */
uint64_t pinsight_stacks_time(struct pinsight_thread *thread, uint64_t ns);
uint64_t pinsight_stacks_end_time(struct pinsight_thread *thread, unsigned how, uint64_t ns);

/* Sets the generator or coroutine that the innermost call of a thread executes. Does nothing if the
 * call is of another function, because its begin is missing. */
void pinsight_stacks_set_generator(struct pinsight_thread *thread, uint32_t function,
                                   uint32_t number);

/* Excludes the self time of a slice that ended from the call around it. */
void pinsight_stacks_stand_apart(struct pinsight_thread *thread,
                                 const struct pinsight_slice *ended);

/* For frames.h: */

/* Sets the node of a frame in the call tree. */
void pinsight_stacks_place_in_tree(struct pinsight_thread *thread, struct pinsight_slice *frame);

/* Return whether the tree has a node for a frame that begins in a thread, and whether its group is
 * known. */
bool pinsight_stacks_has_node(const struct pinsight_thread *thread, enum pinsight_kind kind,
                              uint32_t id);
bool pinsight_stacks_has_group(const struct pinsight_thread *thread, enum pinsight_kind kind,
                               uint32_t id);

/* Begin a frame of a group, which the first function sets, and end it. */
void pinsight_stacks_count_group(struct pinsight_thread *thread, struct pinsight_slice *frame);
void pinsight_stacks_add_group(struct pinsight_thread *thread, const struct pinsight_slice *frame,
                               const struct pinsight_frame_times *times);

/* Ends a frame with a node. */
void pinsight_stacks_add_node(struct pinsight_model *model, const struct pinsight_slice *frame,
                              const struct pinsight_frame_times *times);

/* Adds counts to the node of a function or callee below another node, or PINSIGHT_NONE. Returns the
 * node, or the other node if there are too many. */
uint32_t pinsight_stacks_counted_node(struct pinsight_model *model, uint32_t parent,
                                      enum pinsight_kind kind, uint32_t id,
                                      const struct pinsight_monitored *counted);

/* Closes the frames above a frame of this kind and number. Returns false if none is open. */
bool pinsight_stacks_make_top(struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id,
                              uint64_t ns);

#endif
