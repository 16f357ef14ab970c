/* Finds the parts of the model that an event refers to: process, thread, function, call site. */
#ifndef PINSIGHT_READER_LOOKUP_H
#define PINSIGHT_READER_LOOKUP_H

#include "reader/ctf/event.h"
#include "reader/model.h"

/* Returns the number of a text field's value in the model's strings. */
uint32_t pinsight_lookup_text(struct pinsight_model *model, const struct pinsight_event *event,
                              unsigned field);

/* Return the process of an event: that of its context, or the one whose pid is in a field. */
struct pinsight_process *pinsight_lookup_process(struct pinsight_model *model,
                                                 const struct pinsight_event *event);
struct pinsight_process *pinsight_lookup_process_named(struct pinsight_model *model,
                                                       const struct pinsight_event *event,
                                                       unsigned field);

/* Return the thread of an inline event, and of a registry event. The fields have its
 * python_thread_id or its tid. A registry event without the field is assigned by its context. */
struct pinsight_thread *pinsight_lookup_inline_thread(struct pinsight_model *model,
                                                      const struct pinsight_event *event,
                                                      unsigned field);
struct pinsight_thread *pinsight_lookup_registry_thread(struct pinsight_model *model,
                                                        const struct pinsight_event *event,
                                                        unsigned field);

/* Returns the thread that recorded an event of native code, from the event's context. If the trace
 * has no context, returns the thread without Python whose id is `stand_in`. */
struct pinsight_thread *pinsight_lookup_native_thread(struct pinsight_model *model,
                                                      const struct pinsight_event *event,
                                                      uint32_t stand_in);

/* Sets the function of a code object. */
void pinsight_lookup_set_function(struct pinsight_process *process, uint64_t code_id,
                                  uint32_t function);

/* Returns the function of a function_begin or function_end. */
uint32_t pinsight_lookup_function(struct pinsight_process *process,
                                  const struct pinsight_event *event);

/* Returns the call site of a c_call_begin. */
uint32_t pinsight_lookup_site(struct pinsight_process *process, const struct pinsight_event *event);

/* Return the call site that the end of a C call closes, or PINSIGHT_NONE. The site is the innermost
 * open one of a callee, or of the callee in a c_call_end. */
uint32_t pinsight_lookup_open_site(const struct pinsight_thread *thread, uint32_t callee);
uint32_t pinsight_lookup_inline_open_site(const struct pinsight_thread *thread,
                                          const struct pinsight_event *event);

#endif
