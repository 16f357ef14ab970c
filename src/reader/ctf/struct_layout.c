/* Positions of fields; see struct_layout.h. */
#include "reader/ctf/struct_layout.h"

#include "base/memory.h"

#include <string.h>

/* The largest size of an event with a fixed size. */
#define MOST_BYTES (1u << 24)
#define MOST_DEPTH 32

static bool lay_type(struct ctf_struct_walk *walk, uint32_t number, struct pinsight_slot *slot);

static bool add_bytes(struct ctf_struct_walk *walk, uint64_t bytes) {
    if (bytes > MOST_BYTES || walk->offset + bytes > MOST_BYTES)
        return false;
    walk->offset += bytes;
    return true;
}

static bool end_segment(struct ctf_struct_walk *walk, struct ctf_step step) {
    struct ctf_trace *trace = walk->trace;

    step.skip = (uint32_t)walk->offset;
    if (walk->keeps_steps)
        *PINSIGHT_ADD(trace->steps, trace->step_count, trace->step_capacity) = step;
    walk->offset = 0;
    return ++walk->segment < CTF_MOST_SEGMENTS;
}

/* Gets the size of a type whose size is fixed. */
static bool fixed_size(struct ctf_struct_walk *walk, uint32_t number, uint64_t *size) {
    struct ctf_struct_walk alone = {
        .trace = walk->trace, .depth = walk->depth, .members_left = walk->members_left};
    struct pinsight_slot slot;

    if (!lay_type(&alone, number, &slot) || alone.segment)
        return false;
    *size = alone.offset;
    return true;
}

static bool lay_sequence(struct ctf_struct_walk *walk, const struct tsdl_type *type) {
    struct ctf_step step = {0};
    uint64_t size;

    if (!fixed_size(walk, type->element, &size) || !size)
        return false;
    step.element = (uint32_t)size;
    for (size_t i = walk->number_count; i-- > 0;)
        if (walk->numbers[i].name.length == type->name.length &&
            !memcmp(walk->numbers[i].name.at, type->name.at, type->name.length)) {
            step.length = walk->numbers[i].slot;
            return end_segment(walk, step);
        }
    return false;
}

static bool lay_type(struct ctf_struct_walk *walk, uint32_t number, struct pinsight_slot *slot) {
    const struct tsdl_type *type = &walk->trace->tsdl.types[number];
    uint64_t size;

    *slot =
        (struct pinsight_slot){.offset = (uint32_t)walk->offset, .segment = (uint8_t)walk->segment};
    if (type->align > 8 || walk->depth > MOST_DEPTH)
        return false;
    switch (type->kind) {
    case TSDL_INTEGER:
    case TSDL_FLOAT:
        slot->there = type->kind == TSDL_INTEGER;
        slot->kind = type->is_signed ? PINSIGHT_FIELD_SIGNED : PINSIGHT_FIELD_UNSIGNED;
        slot->shift = (uint8_t)(64 - type->bits);
        return type->bits % 8 == 0 && add_bytes(walk, type->bits / 8);
    case TSDL_STRING:
        slot->there = true;
        slot->kind = PINSIGHT_FIELD_STRING;
        return end_segment(walk, (struct ctf_step){0});
    case TSDL_STRUCT:
        return ctf_struct_walk_members(walk, number, NULL, NULL);
    case TSDL_ARRAY:
        return fixed_size(walk, type->element, &size) && type->count <= MOST_BYTES &&
               add_bytes(walk, type->count * size);
    case TSDL_SEQUENCE:
        return lay_sequence(walk, type);
    default:
        return false;
    }
}

bool ctf_struct_walk_members(struct ctf_struct_walk *walk, uint32_t number, ctf_found_member *found,
                             void *data) {
    const struct tsdl *tsdl = &walk->trace->tsdl;
    size_t numbers = walk->number_count;

    if (!number)
        return true;
    if (tsdl->types[number].kind != TSDL_STRUCT || tsdl->types[number].align > 8)
        return false;
    walk->depth++;
    for (uint32_t at = tsdl->types[number].first; at; at = tsdl->members[at].next) {
        const struct tsdl_member *member = &tsdl->members[at];
        const struct tsdl_type *type = &tsdl->types[member->type];
        bool underscore = member->name.length && member->name.at[0] == '_';
        struct pinsight_slot slot;

        if (!*walk->members_left || !lay_type(walk, member->type, &slot))
            return false;
        --*walk->members_left;
        if (found)
            found(data, type, member->name.at + underscore, member->name.length - underscore, slot);
        if (type->kind == TSDL_INTEGER && !type->is_signed &&
            walk->number_count < CTF_MOST_NUMBERS) {
            walk->numbers[walk->number_count].name = member->name;
            walk->numbers[walk->number_count++].slot = slot;
        }
    }
    walk->number_count = numbers;
    walk->depth--;
    return true;
}
