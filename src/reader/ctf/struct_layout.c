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
    walk->known = step.kind == CTF_STEP_ALIGN ? step.size : 0;
    return ++walk->segment < CTF_MOST_SEGMENTS;
}

/* Returns an alignment in bytes, or 0 if it is not supported. */
static uint32_t bytes_of(uint32_t align) {
    if (align <= 8)
        return 1;
    return align % 8 || (align & (align - 1)) ? 0 : align / 8;
}

/* Advances the walk to an alignment. If the distance depends on the segment's begin, it is found in
 * each event. */
static bool align_to(struct ctf_struct_walk *walk, uint32_t align) {
    uint32_t bytes = bytes_of(align);

    if (bytes <= 1)
        return bytes == 1;
    if (bytes <= walk->known)
        return add_bytes(walk, -walk->offset & (bytes - 1));
    return end_segment(walk, (struct ctf_step){.kind = CTF_STEP_ALIGN, .size = bytes});
}

/* Gets the size of a type whose size is fixed. */
static bool fixed_size(struct ctf_struct_walk *walk, uint32_t number, uint64_t *size) {
    struct ctf_struct_walk alone = {.trace = walk->trace,
                                    .depth = walk->depth,
                                    .known = bytes_of(walk->trace->tsdl.types[number].align),
                                    .members_left = walk->members_left};
    struct pinsight_slot slot;

    if (!lay_type(&alone, number, &slot) || alone.segment)
        return false;
    *size = alone.offset;
    return true;
}

/* Gets the size of an element. Elements without gaps are supported. */
static bool element_size(struct ctf_struct_walk *walk, const struct tsdl_type *type,
                         uint64_t *size) {
    uint32_t align = bytes_of(type->align);

    return fixed_size(walk, type->element, size) && align && *size % align == 0;
}

static bool same_word(struct tsdl_word a, struct tsdl_word b) {
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

/* Finds the number that a length or a tag names. Returns its index, or -1. */
static int find_number(const struct ctf_struct_walk *walk, struct tsdl_word name) {
    for (size_t i = walk->number_count; i-- > 0;)
        if (same_word(walk->numbers[i].name, name))
            return (int)i;
    return -1;
}

static bool lay_sequence(struct ctf_struct_walk *walk, const struct tsdl_type *type) {
    int number = find_number(walk, type->name);
    uint64_t size;

    if (number < 0 || walk->numbers[number].slot.kind != PINSIGHT_FIELD_UNSIGNED ||
        !element_size(walk, type, &size) || !size)
        return false;
    return end_segment(walk, (struct ctf_step){.kind = CTF_STEP_SEQUENCE,
                                               .size = (uint32_t)size,
                                               .number = walk->numbers[number].slot});
}

static struct tsdl_word bare(struct tsdl_word word) {
    bool underscore = word.length && word.at[0] == '_';

    return (struct tsdl_word){word.at + underscore, word.length - underscore};
}

/* Adds the choices of a variant's member: one for each label of the tag that names it. */
static bool add_choices(struct ctf_struct_walk *walk, const struct tsdl_type *tag,
                        const struct tsdl_member *member, uint32_t *count) {
    const struct tsdl *tsdl = &walk->trace->tsdl;
    const struct tsdl_type *type = &tsdl->types[member->type];
    struct ctf_choice choice = {.align = bytes_of(type->align),
                                .is_text = type->kind == TSDL_STRING};
    uint64_t size = 0;

    if (!*walk->members_left || !choice.align ||
        (!choice.is_text && !fixed_size(walk, member->type, &size)))
        return false;
    --*walk->members_left;
    choice.size = (uint32_t)size;
    for (uint32_t at = tag->first; at; at = tsdl->members[at].next) {
        const struct tsdl_member *label = &tsdl->members[at];

        if (!*walk->members_left)
            return false;
        --*walk->members_left;
        if (!same_word(bare(label->name), bare(member->name)))
            continue;
        ++*count;
        choice.low = label->low;
        choice.high = label->high;
        if (walk->keeps_steps)
            *PINSIGHT_ADD(walk->trace->choices, walk->trace->choice_count,
                          walk->trace->choice_capacity) = choice;
    }
    return true;
}

static bool lay_variant(struct ctf_struct_walk *walk, const struct tsdl_type *type) {
    const struct tsdl *tsdl = &walk->trace->tsdl;
    struct ctf_step step = {.kind = CTF_STEP_VARIANT,
                            .choice = (uint32_t)walk->trace->choice_count};
    int number = find_number(walk, type->name);

    if (number < 0 || !tsdl->types[walk->numbers[number].type].is_enum)
        return false;
    step.number = walk->numbers[number].slot;
    for (uint32_t at = type->first; at; at = tsdl->members[at].next)
        if (!add_choices(walk, &tsdl->types[walk->numbers[number].type], &tsdl->members[at],
                         &step.size))
            return false;
    return end_segment(walk, step);
}

static bool lay_type(struct ctf_struct_walk *walk, uint32_t number, struct pinsight_slot *slot) {
    const struct tsdl_type *type = &walk->trace->tsdl.types[number];
    uint64_t size;

    if (walk->depth > MOST_DEPTH || !align_to(walk, type->align))
        return false;
    *slot =
        (struct pinsight_slot){.offset = (uint32_t)walk->offset, .segment = (uint8_t)walk->segment};
    switch (type->kind) {
    case TSDL_INTEGER:
    case TSDL_FLOAT:
        slot->there = (type->kind == TSDL_INTEGER || type->bits == 64) && !type->is_big;
        slot->kind = type->kind == TSDL_FLOAT ? PINSIGHT_FIELD_REAL
                     : type->is_signed        ? PINSIGHT_FIELD_SIGNED
                                              : PINSIGHT_FIELD_UNSIGNED;
        slot->shift = (uint8_t)(64 - type->bits);
        return type->bits % 8 == 0 && add_bytes(walk, type->bits / 8);
    case TSDL_STRING:
        slot->there = true;
        slot->kind = PINSIGHT_FIELD_STRING;
        return end_segment(walk, (struct ctf_step){0});
    case TSDL_STRUCT:
        return ctf_struct_walk_members(walk, number, NULL, NULL);
    case TSDL_ARRAY:
        return element_size(walk, type, &size) && type->count <= MOST_BYTES &&
               add_bytes(walk, type->count * size);
    case TSDL_SEQUENCE:
        return lay_sequence(walk, type);
    case TSDL_VARIANT:
        return lay_variant(walk, type);
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
    if (tsdl->types[number].kind != TSDL_STRUCT || !align_to(walk, tsdl->types[number].align))
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
        if (type->kind == TSDL_INTEGER && slot.there && walk->number_count < CTF_MOST_NUMBERS) {
            walk->numbers[walk->number_count].name = member->name;
            walk->numbers[walk->number_count].type = member->type;
            walk->numbers[walk->number_count++].slot = slot;
        }
    }
    walk->number_count = numbers;
    walk->depth--;
    return true;
}
