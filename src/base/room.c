/* Many stacks, of which most are empty; see room.h. */
#include "base/room.h"

#include "base/memory.h"

#include <stdlib.h>

/* The number of other stacks that are checked for emptiness. */
#define ASKED 8

/* Takes the memory of an empty stack, if one is found. */
static void take(struct pinsight_rooms *rooms, struct pinsight_room *room) {
    for (size_t asked = 0; asked < ASKED && asked < rooms->count; asked++) {
        struct pinsight_room *other;

        rooms->at = (rooms->at + 1) % rooms->count;
        other = rooms->rooms[rooms->at];
        if (other && other->depth)
            continue;
        if (other) {
            room->items = other->items;
            room->capacity = other->capacity;
            *other = (struct pinsight_room){0};
        }
        rooms->rooms[rooms->at] = room;
        room->at = rooms->at + 1;
        return;
    }
    *PINSIGHT_ADD(rooms->rooms, rooms->count, rooms->capacity) = room;
    room->at = rooms->count;
}

void pinsight_room_grow(struct pinsight_rooms *rooms, struct pinsight_room *room, size_t size) {
    if (!room->at)
        take(rooms, room);
    room->items = pinsight_grow(room->items, room->depth, &room->capacity, size);
}

void pinsight_room_clear(struct pinsight_rooms *rooms, struct pinsight_room *room) {
    if (room->at)
        rooms->rooms[room->at - 1] = NULL;
    free(room->items);
    *room = (struct pinsight_room){0};
}

void pinsight_rooms_clear(struct pinsight_rooms *rooms) {
    free(rooms->rooms);
    *rooms = (struct pinsight_rooms){0};
}
