/* Many stacks that grow, of which most are empty for good, as those of threads that a service had:
 * one that needs room takes that of an empty one. Not thread-safe. */
#ifndef PINSIGHT_BASE_ROOM_H
#define PINSIGHT_BASE_ROOM_H

#include <stddef.h>

/* A stack. Its owner sets `depth`, and uses nothing of `items` from there on but what it was given
 * last, until any of the stacks grows. */
struct pinsight_room {
    void *items; /* owned */
    size_t depth, capacity;
    size_t at; /* its place among all that have items, plus one; 0 without */
};

struct pinsight_rooms {
    struct pinsight_room **rooms; /* some are NULL */
    size_t count, capacity, at;
};

/* The members of a struct pinsight_room, with the type of its items; as `room` they are all. */
#define PINSIGHT_ROOM_OF(type, name)                                                               \
    union {                                                                                        \
        struct pinsight_room room;                                                                 \
        struct {                                                                                   \
            type *name;                                                                            \
            size_t depth, capacity;                                                                \
        };                                                                                         \
    }

/* Makes room for one more item, of `size` bytes, in a stack that is full. */
void pinsight_room_grow(struct pinsight_rooms *rooms, struct pinsight_room *room, size_t size);

/* Frees what a stack has. */
void pinsight_room_clear(struct pinsight_rooms *rooms, struct pinsight_room *room);

/* Frees the list; what stacks have is theirs. */
void pinsight_rooms_clear(struct pinsight_rooms *rooms);

#endif
