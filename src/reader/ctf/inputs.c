/* Groups of folders, and their replacements: first a copy of the trace without its damage, then a
 * copy for each of its stream files. See inputs.h. */
#include "reader/ctf/inputs.h"

#include "base/memory.h"
#include "reader/ctf/chunks.h"
#include "reader/ctf/well_formed.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number and the distance of looks for soundness of a chunk that is being written. */
#define MOST_LOOKS 10
#define LOOK_US 20000

static void add_input(struct pinsight_inputs *inputs, enum pinsight_stage stage,
                      const char *const *folders, const char *const *originals, size_t count) {
    struct pinsight_input input = {.stage = stage, .count = count};

    input.folders = pinsight_calloc(count, sizeof(*input.folders));
    input.originals = pinsight_calloc(count, sizeof(*input.originals));
    memcpy(input.folders, folders, count * sizeof(*folders));
    memcpy(input.originals, originals, count * sizeof(*originals));
    *PINSIGHT_ADD(inputs->items, inputs->count, inputs->capacity) = input;
}

static void free_input(struct pinsight_input *input) {
    free(input->folders);
    free(input->originals);
}

static void keep_cause(struct pinsight_inputs *inputs, char *cause) {
    if (inputs->cause)
        free(cause);
    else
        inputs->cause = cause;
}

/* Adds copies of the folders without their damage. */
static void add_copies(struct pinsight_inputs *inputs, const char *const *folders, size_t count,
                       struct pinsight_source_result *result) {
    const char **copies = pinsight_calloc(count, sizeof(*copies));
    const char **originals = pinsight_calloc(count, sizeof(*originals));
    size_t copy_count = 0;

    for (size_t i = 0; i < count; i++) {
        char *why = NULL;
        const char *copy = pinsight_repair_copy(&inputs->repair, folders[i], result, &why);

        if (copy) {
            originals[copy_count] = folders[i];
            copies[copy_count++] = copy;
            continue;
        }
        pinsight_source_warn(
            result, pinsight_format("the trace in %s cannot be read: %s", folders[i], why));
        keep_cause(inputs, why);
    }
    if (copy_count)
        add_input(inputs, PINSIGHT_COPY, copies, originals, copy_count);
    free(copies);
    free(originals);
}

/* Returns whether babeltrace2 can read a folder unchanged. A folder that is being written may be
 * incomplete between two writes. */
static bool is_sound(const struct pinsight_found_trace *trace) {
    bool sound = pinsight_well_formed_trace(trace->at);

    for (int look = 1; !sound && look < MOST_LOOKS && pinsight_chunks_is_open(trace->folder);
         look++) {
        usleep(LOOK_US);
        sound = pinsight_well_formed_trace(trace->at);
    }
    return sound;
}

/* Adds the definitions of the chunks before a group's. */
static void add_earlier(struct pinsight_inputs *inputs, const struct ctf_group *group) {
    const char **copies = pinsight_calloc(group->before_count, sizeof(*copies));
    size_t copy_count = 0;

    for (size_t i = 0; i < group->before_count; i++) {
        const char *copy = pinsight_well_formed_trace(group->before[i])
                               ? pinsight_repair_definitions(&inputs->repair, group->before[i])
                               : NULL;

        if (copy) {
            inputs->earlier_bytes += pinsight_repair_bytes(copy);
            copies[copy_count++] = copy;
        }
    }
    if (copy_count)
        add_input(inputs, PINSIGHT_EARLIER, copies, copies, copy_count);
    free(copies);
}

static void add_group(struct pinsight_inputs *inputs, const struct ctf_group *group,
                      struct pinsight_source_result *result) {
    const char **folders = pinsight_calloc(group->count, sizeof(*folders));
    const char **at = pinsight_calloc(group->count, sizeof(*at));
    bool whole = true;

    for (size_t i = 0; i < group->count; i++) {
        at[i] = group->traces[i]->at;
        folders[i] = group->traces[i]->folder;
        whole = whole && is_sound(group->traces[i]);
    }
    if (whole)
        add_input(inputs, PINSIGHT_ORIGINAL, at, folders, group->count);
    else
        add_copies(inputs, folders, group->count, result);
    free(folders);
    free(at);
    if (group->before_count)
        add_earlier(inputs, group);
}

void pinsight_inputs_make(struct pinsight_inputs *inputs, const struct ctf_groups *groups,
                          struct pinsight_source_result *result) {
    for (size_t i = 0; i < groups->count; i++)
        add_group(inputs, &groups->items[i], result);
}

/* Adds each stream file of a group of copies as an input of its own. */
static void add_parts(struct pinsight_inputs *inputs, const struct pinsight_input *copies) {
    for (size_t i = 0; i < copies->count; i++) {
        const char **parts;
        size_t count = pinsight_repair_split(&inputs->repair, copies->folders[i], &parts);

        for (size_t part = 0; part < count; part++)
            add_input(inputs, PINSIGHT_PART, &parts[part], &copies->originals[i], 1);
        free(parts);
    }
}

void pinsight_inputs_replace(struct pinsight_inputs *inputs, size_t index, char *cause,
                             struct pinsight_source_result *result) {
    struct pinsight_input input = inputs->items[index];

    /* The cause may name the copy or babeltrace2's own objects, which mean nothing to the user. */
    if (cause &&
        (strstr(cause, "Cannot create trace for") || strstr(cause, "No stream class with ID"))) {
        free(cause);
        cause = pinsight_strdup("its metadata, which describes the events, is damaged");
    }
    memmove(inputs->items + index, inputs->items + index + 1,
            (inputs->count - index - 1) * sizeof(*inputs->items));
    inputs->count--;
    switch (input.stage) {
    case PINSIGHT_ORIGINAL:
        add_copies(inputs, input.originals, input.count, result);
        break;
    case PINSIGHT_COPY:
        add_parts(inputs, &input);
        break;
    case PINSIGHT_EARLIER:
        /* It was needed only for names. */
        break;
    default:
        result->damaged_streams++;
        pinsight_source_warn(result,
                             pinsight_format("a stream of the trace in %s cannot be read (%s)",
                                             input.originals[0], cause ? cause : "no cause given"));
        keep_cause(inputs, cause);
        cause = NULL;
    }
    free(cause);
    free_input(&input);
}

void pinsight_inputs_clear(struct pinsight_inputs *inputs) {
    for (size_t i = 0; i < inputs->count; i++)
        free_input(&inputs->items[i]);
    pinsight_repair_clear(&inputs->repair);
    free(inputs->items);
    free(inputs->cause);
    *inputs = (struct pinsight_inputs){0};
}
