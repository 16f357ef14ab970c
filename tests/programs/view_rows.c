/* All that pinsight/view.h tells of a trace, a line each: slices as the rows of `pinsight export
 * --to csv`, and how many begins, links and marks there were. */
#include <pinsight/view.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct counts {
    unsigned long begins, parts, messages, launches, marks;
    uint64_t until; /* slices; 0 is all */
};

static int on_begin(void *data, const struct pinsight_view_thread *thread,
                    const struct pinsight_view_slice *slice) {
    ((struct counts *)data)->begins += slice->end_ns == 0 && thread->number > 0;
    return 0;
}

static int on_end(void *data, const struct pinsight_view_thread *thread,
                  const struct pinsight_view_slice *slice) {
    struct counts *counts = data;
    bool stream = thread->is_stream;

    printf("%" PRId64 "\t%" PRIu32 "\t%" PRId64 "\t%" PRIu32 "\t%s\t%s\t%s\t%" PRId32 "\t%" PRIu64
           "\t%" PRIu64 "\t%" PRIu64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRIu32
           "\t%" PRIu32 "\t%" PRId32 "\t%s\n",
           thread->pid, thread->tid, thread->python_thread, slice->depth, slice->category,
           slice->name, slice->file, slice->line, slice->begin_ns, slice->end_ns - slice->begin_ns,
           slice->bytes, stream ? thread->device : (int64_t)-1,
           stream ? thread->context : (int64_t)-1, stream ? thread->stream : (int64_t)-1,
           slice->correlation, slice->generator, thread->rank, thread->name);
    return counts->until && --counts->until == 0;
}

static int on_link(void *data, const struct pinsight_view_link *link) {
    struct counts *counts = data;

    counts->messages += link->message && link->from != link->to && link->number;
    counts->launches += link->launch && link->from != link->to && link->from_ns <= link->to_ns;
    counts->parts += !link->message && !link->launch && link->from != link->to && link->number;
    return 0;
}

static int on_mark(void *data, const struct pinsight_view_thread *thread, const char *name,
                   uint64_t ns) {
    ((struct counts *)data)->marks += !strcmp(name, "half way") && ns && thread->python_thread == 0;
    return 0;
}

int main(int argc, char **argv) {
    struct counts counts = {.until = argc > 2};
    struct pinsight_view view = {sizeof(view), &counts, on_begin, on_end, on_link, on_mark, true};
    struct pinsight_view_result result;

    if (pinsight_view_read(argv[1], &view, &result) != 0)
        return fprintf(stderr, "%s\n", result.error), 1;
    fprintf(stderr, "%lu begins %lu parts %lu messages %lu launches %lu marks %u damages\n",
            counts.begins, counts.parts, counts.messages, counts.launches, counts.marks,
            (unsigned)result.damages);
    return 0;
}
