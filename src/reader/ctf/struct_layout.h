/* Finds the position of each field of a structure. Refuses types of forms that class.h does not
 * support. Not thread-safe. */
#ifndef PINSIGHT_READER_CTF_STRUCT_LAYOUT_H
#define PINSIGHT_READER_CTF_STRUCT_LAYOUT_H

#include "reader/ctf/class.h"

/* The most members of all events together, because structures can be used many times. */
#define CTF_MOST_MEMBERS (1u << 20)
/* The most numbers that can be the length of a sequence or the tag of a variant. */
#define CTF_MOST_NUMBERS 64

/* A walk over the fields of a structure, in the order of their bytes. */
struct ctf_struct_walk {
    struct ctf_trace *trace;
    bool keeps_steps; /* adds steps to the trace's */
    uint32_t segment;
    uint64_t offset;
    uint32_t known; /* bytes; the segment begins at a multiple of them in its packet. 0: at any */
    uint32_t depth;
    uint32_t *members_left;
    struct {
        struct tsdl_word name;
        uint32_t type;
        struct pinsight_slot slot;
    } numbers[CTF_MOST_NUMBERS];
    size_t number_count;
};

/* Called for each member of a structure, with its position. The position is not `there` if the
 * member is neither a number nor a text. */
typedef void ctf_found_member(void *data, const struct tsdl_type *type, const char *name,
                              size_t length, struct pinsight_slot slot);

/* Walks over the members of a structure by its number (0: none), from the walk's present position
 * on. `found` may be NULL. Returns false for an unsupported form. */
bool ctf_struct_walk_members(struct ctf_struct_walk *walk, uint32_t number, ctf_found_member *found,
                             void *data);

#endif
