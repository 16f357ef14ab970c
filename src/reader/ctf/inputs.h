/* The input of a reading: groups of folders, each one source component of the graph, and
 * replacements for damaged groups. */
#ifndef PINSIGHT_READER_CTF_INPUTS_H
#define PINSIGHT_READER_CTF_INPUTS_H

#include "reader/ctf/groups.h"
#include "reader/ctf/repair.h"
#include "reader/ctf/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The relation of a group to the given trace. */
enum pinsight_stage {
    PINSIGHT_ORIGINAL, /* the folders of a trace, one for each chunk */
    PINSIGHT_COPY,     /* copies of the folders without the damage */
    PINSIGHT_PART,     /* a copy of one stream file */
    PINSIGHT_EARLIER,  /* definitions of chunks before the given ones */
};

struct pinsight_input {
    enum pinsight_stage stage;
    const char **folders;   /* the folders that are read */
    const char **originals; /* the folders that they stand for */
    size_t count;
};

struct pinsight_inputs {
    struct pinsight_input *items;
    size_t count, capacity;
    uint64_t earlier_bytes;        /* bytes of the definitions of earlier chunks */
    struct pinsight_repair repair; /* must be cleared after the reading */
    char *cause;                   /* the reason of the first failure, or NULL */
};

/* Makes the inputs of groups, which must outlive them. */
void pinsight_inputs_make(struct pinsight_inputs *inputs, const struct ctf_groups *groups,
                          struct pinsight_source_result *result);

/* Replaces a group that babeltrace2 refused by its readable parts, if any. The graph has to be made
 * again. Takes ownership of `cause` (or NULL). */
void pinsight_inputs_replace(struct pinsight_inputs *inputs, size_t index, char *cause,
                             struct pinsight_source_result *result);

/* Removes copies and frees the inputs' memory. */
void pinsight_inputs_clear(struct pinsight_inputs *inputs);

#endif
