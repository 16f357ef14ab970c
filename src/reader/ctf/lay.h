/* Where each field of a structure is, byte by byte. Types of other forms than class.h says are
 * refused. Not thread-safe. */
#ifndef PINSIGHT_READER_CTF_LAY_H
#define PINSIGHT_READER_CTF_LAY_H

#include "reader/ctf/class.h"

/* Members of all events together: structures may be used many times over. */
#define CTF_MOST_MEMBERS (1u << 20)
/* Numbers that a sequence may have its length from. */
#define CTF_MOST_NUMBERS 64

/* A walk over the fields of a structure, in the order of their bytes. */
struct ctf_lay {
    struct ctf_trace *trace;
    bool keeps_steps; /* they are added to the trace's */
    uint32_t segment;
    uint64_t offset;
    uint32_t depth;
    uint32_t *members_left;
    struct {
        struct tsdl_word name;
        struct pinsight_slot slot;
    } numbers[CTF_MOST_NUMBERS];
    size_t number_count;
};

/* Called for each member of a structure: with where it is, which is not `there` where it is neither
 * a number nor a text. */
typedef void ctf_found_member(void *data, const struct tsdl_type *type, const char *name,
                              size_t length, struct pinsight_slot slot);

/* Walks over the members of the structure of a number, none for 0, and goes on from where the walk
 * is. `found` may be NULL. False where they are of another form. */
bool ctf_lay_members(struct ctf_lay *lay, uint32_t number, ctf_found_member *found, void *data);

#endif
