/* From an event to what it is about in the model: process, thread, function, call site. */
#ifndef PINSIGHT_READER_LOOKUP_H
#define PINSIGHT_READER_LOOKUP_H

#include "reader/ctf/event.h"
#include "reader/model.h"

/* The number of a text field's value among the model's strings. */
uint32_t pinsight_lookup_text(struct pinsight_model *model, const struct pinsight_event *event,
                              unsigned field);

/* The process of an event that carries no pid of its own, and of one that has a field with it. */
struct pinsight_process *pinsight_lookup_process(struct pinsight_model *model,
                                                 const struct pinsight_event *event);
struct pinsight_process *pinsight_lookup_process_named(struct pinsight_model *model,
                                                       const struct pinsight_event *event,
                                                       unsigned field);

/* The thread of an inline event (field is its python_thread_id) and of a registry event (field is
 * its tid; where a trace has none, the context says it). */
struct pinsight_thread *pinsight_lookup_inline_thread(struct pinsight_model *model,
                                                      const struct pinsight_event *event,
                                                      unsigned field);
struct pinsight_thread *pinsight_lookup_registry_thread(struct pinsight_model *model,
                                                        const struct pinsight_event *event,
                                                        unsigned field);

/* The thread that recorded an event of native code, by the context of the event; where the trace
 * has none, the thread without Python that `stand_in` is for. */
struct pinsight_thread *pinsight_lookup_native_thread(struct pinsight_model *model,
                                                      const struct pinsight_event *event,
                                                      uint32_t stand_in);

/* A code object is a function. */
void pinsight_lookup_set_function(struct pinsight_process *process, uint64_t code_id,
                                  uint32_t function);

/* The function of function_begin or function_end. */
uint32_t pinsight_lookup_function(struct pinsight_process *process,
                                  const struct pinsight_event *event);

/* The call site of c_call_begin. */
uint32_t pinsight_lookup_site(struct pinsight_process *process, const struct pinsight_event *event);

/* The call site that the end of a C call closes, the innermost open one of that callee, or
 * PINSIGHT_NONE; and that of a c_call_end. */
uint32_t pinsight_lookup_open_site(const struct pinsight_thread *thread, uint32_t callee);
uint32_t pinsight_lookup_inline_open_site(const struct pinsight_thread *thread,
                                          const struct pinsight_event *event);

#endif
