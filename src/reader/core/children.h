/*
 * Processes that processes of the trace started and waited for. The events name a process by its
 * pid. They are assigned at the end of the trace, because a child may be known before or after.
 * Part of the model; not thread-safe.
 */
#ifndef PINSIGHT_READER_CORE_CHILDREN_H
#define PINSIGHT_READER_CORE_CHILDREN_H

#include "reader/ctf/event.h"

#include <stddef.h>
#include <stdint.h>

struct pinsight_model;
struct pinsight_process;

/* A process that another one started, or asked a fork server for, or whose end another one waited
 * for. */
struct pinsight_child {
    const struct pinsight_process *by; /* the other process */
    int64_t pid;
    uint64_t ns;
    bool ended;
    int32_t status; /* if it ended: exit status, or minus the signal */
    uint32_t path;  /* otherwise: path of the start in Python, or PINSIGHT_NONE */
};

struct pinsight_children {
    struct pinsight_child *children;
    size_t count, capacity;
};

/* Takes process_start, process_end and process_name. */
void pinsight_children_take(struct pinsight_model *model, const struct pinsight_event *event);

/* Assigns the starts and ends to the processes. */
void pinsight_children_finish(struct pinsight_model *model);

#endif
