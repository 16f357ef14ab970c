/* What a reading reads: groups of folders, each one source component of the graph, and what stands
 * in for a group that turns out to be damaged. */
#ifndef PINSIGHT_READER_CTF_INPUTS_H
#define PINSIGHT_READER_CTF_INPUTS_H

#include "reader/ctf/groups.h"
#include "reader/ctf/repair.h"
#include "reader/ctf/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far a group is from the trace that was given. */
enum pinsight_stage {
    PINSIGHT_ORIGINAL, /* the folders of a trace, one for each of its chunks */
    PINSIGHT_COPY,     /* copies of them without what is damaged */
    PINSIGHT_PART,     /* a copy of one stream file */
    PINSIGHT_EARLIER,  /* definitions of chunks before those that were given */
};

struct pinsight_input {
    enum pinsight_stage stage;
    const char **folders;   /* what is read */
    const char **originals; /* what that stands for */
    size_t count;
};

struct pinsight_inputs {
    struct pinsight_input *items;
    size_t count, capacity;
    uint64_t earlier_bytes;        /* in the definitions of earlier chunks */
    struct pinsight_repair repair; /* to be cleared after the reading */
    char *cause;                   /* why the first that cannot be read cannot; or NULL */
};

/* Makes the inputs of groups, which must outlive them. */
void pinsight_inputs_make(struct pinsight_inputs *inputs, const struct ctf_groups *groups,
                          struct pinsight_source_result *result);

/* Puts what can be read of a group that babeltrace2 refused in its place, if anything; the graph
 * has to be made anew. Takes over cause (or NULL). */
void pinsight_inputs_replace(struct pinsight_inputs *inputs, size_t index, char *cause,
                             struct pinsight_source_result *result);

/* Removes copies and frees what inputs owns. */
void pinsight_inputs_clear(struct pinsight_inputs *inputs);

#endif
