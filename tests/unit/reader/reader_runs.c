/* Runs of events: taken at once, they make the model that they make one by one. */
#include <string.h>

#include "unit.h"

#include "base/memory.h"
#include "ctf_writer.h"
#include "reader/data/numbers.h"
#include "reader/trace.h"
#include "views/attribution_walk.h"

enum { PID = 100, FUNCTIONS = 7, EVENTS = 6000 };

/* What is asked of the model: histograms of times, the tree, or groups. */
enum view { HISTOGRAMS, TREE, MODULES, VIEWS };

static int pass(void *data, const struct pinsight_event *event) {
    (void)event;
    ++*(uint64_t *)data;
    return 0;
}

/* What came of a reading. */
struct reading {
    struct pinsight_model *model;
    struct pinsight_attribution_walk walk;
    struct pinsight_timeline seen;
    uint64_t begin_ns; /* of the last slice */
    bool is_late;      /* one came behind one that began later */
};

static void see_begin(void *data, struct pinsight_track *track,
                      const struct pinsight_slice *slice) {
    struct reading *reading = data;

    reading->is_late |= slice->begin_ns < reading->begin_ns;
    reading->begin_ns = slice->begin_ns;
    reading->walk.timeline.begin(&reading->walk, track, slice);
}

static void see_end(void *data, struct pinsight_track *track, const struct pinsight_slice *slice,
                    uint64_t ns) {
    struct reading *reading = data;

    reading->walk.timeline.end(&reading->walk, track, slice, ns);
}

static void see_leaf(void *data, struct pinsight_track *track, enum pinsight_slice_kind kind,
                     uint32_t id, int32_t line, uint64_t begin_ns, uint64_t ns) {
    struct reading *reading = data;

    reading->is_late |= begin_ns < reading->begin_ns;
    reading->begin_ns = begin_ns;
    reading->walk.timeline.leaf(&reading->walk, track, kind, id, line, begin_ns, ns);
}

static struct reading *read_trace(const struct ctf_writer *writer, bool one_by_one, enum view view,
                                  unsigned threads) {
    const struct pinsight_model_options options = {
        .thread = -1,
        .process = -1,
        .tree = view == TREE,
        .histograms = view == HISTOGRAMS,
        .group_by = view == MODULES ? PINSIGHT_BY_MODULE : PINSIGHT_BY_NOTHING};
    struct pinsight_source_result result = {0};
    uint64_t told = 0;
    const struct trace_observers observers = {
        .on_event = one_by_one ? pass : NULL, .data = &told, .threads = threads};
    struct reading *reading = pinsight_calloc(1, sizeof(*reading));

    reading->model = pinsight_model_new(&options);
    pinsight_attribution_walk_start(&reading->walk, reading->model);
    reading->seen = reading->walk.timeline;
    reading->seen.data = reading;
    reading->seen.begin = see_begin;
    reading->seen.end = see_end;
    reading->seen.leaf = see_leaf;
    pinsight_model_show(reading->model, &reading->seen);
    assert_int_equal(trace_read(writer->folder, reading->model, &observers, &result), 0);
    assert_true(result.known_events >= EVENTS);
    if (one_by_one)
        assert_int_equal(told, result.known_events);
    pinsight_source_result_clear(&result);
    return reading;
}

static void done(struct reading *reading) {
    reading->model->timeline = NULL;
    pinsight_attribution_walk_clear(&reading->walk);
    pinsight_model_free(reading->model);
    free(reading);
}

/* Of a function in a process, in all threads together. */
static struct pinsight_walk_python python_of(const struct pinsight_attribution_walk *walk,
                                             const struct pinsight_walk_python *python) {
    struct pinsight_walk_python sum = {0};

    for (size_t i = 0; i < walk->python_count; i++)
        if (walk->pythons[i].function == python->function &&
            walk->pythons[i].process->index == python->process->index) {
            sum.python_ns += walk->pythons[i].python_ns;
            sum.c_ns += walk->pythons[i].c_ns;
            sum.native_running_ns += walk->pythons[i].native_running_ns;
        }
    return sum;
}

/* They are in the order of their first ends. */
static const struct pinsight_walk_call *call_of(const struct pinsight_attribution_walk *walk,
                                                const struct pinsight_walk_call *call) {
    for (size_t i = 0; i < walk->call_count; i++)
        if (walk->calls[i].function == call->function && walk->calls[i].line == call->line &&
            walk->calls[i].kind == call->kind && walk->calls[i].id == call->id)
            return &walk->calls[i];
    fail();
    return NULL;
}

static void same_walks(const struct pinsight_attribution_walk *a,
                       const struct pinsight_attribution_walk *b) {
    struct pinsight_attribution_thread one = {0}, other = {0};
    size_t number = 0;

    assert_int_equal(a->python_count, b->python_count);
    assert_int_equal(a->call_count, b->call_count);
    for (size_t i = 0; i < a->python_count; i++) {
        const struct pinsight_walk_python of_a = python_of(a, &a->pythons[i]);
        const struct pinsight_walk_python of_b = python_of(b, &a->pythons[i]);

        assert_int_equal(of_a.python_ns, of_b.python_ns);
        assert_int_equal(of_a.c_ns, of_b.c_ns);
        assert_int_equal(of_a.native_running_ns, of_b.native_running_ns);
    }
    for (size_t i = 0; i < a->call_count; i++) {
        const struct pinsight_walk_call *other = call_of(b, &a->calls[i]);

        assert_memory_equal(&a->calls[i], other, sizeof(*other));
    }
    for (; pinsight_attribution_walk_thread(a, number, &one); number++) {
        assert_true(pinsight_attribution_walk_thread(b, number, &other));
        assert_int_equal(one.wall_ns, other.wall_ns);
        assert_int_equal(one.python_ns, other.python_ns);
        assert_int_equal(one.c_ns, other.c_ns);
        assert_int_equal(one.gap_ns, other.gap_ns);
    }
    assert_false(pinsight_attribution_walk_thread(b, number, &other));
    assert_true(number > 1);
}

static void same_stats(const struct pinsight_stats *a, const struct pinsight_stats *b) {
    assert_memory_equal(a, b, sizeof(*a));
}

static void same_models(const struct pinsight_model *a, const struct pinsight_model *b) {
    assert_int_equal(a->function_count, b->function_count);
    assert_int_equal(a->site_count, b->site_count);
    assert_int_equal(a->callee_count, b->callee_count);
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->group_count, b->group_count);
    assert_int_equal(a->process_count, b->process_count);
    assert_int_equal(a->unmatched_ends, b->unmatched_ends);
    assert_int_equal(a->unmatched_begins, b->unmatched_begins);
    assert_int_equal(a->open_at_end, b->open_at_end);
    assert_int_equal(a->last_ns, b->last_ns);
    for (size_t i = 0; i < a->function_count; i++) {
        assert_string_equal(pinsight_function_name(a, (uint32_t)i),
                            pinsight_function_name(b, (uint32_t)i));
        same_stats(&a->functions[i].stats, &b->functions[i].stats);
        assert_int_equal(pinsight_histogram_count(a->functions[i].histogram),
                         pinsight_histogram_count(b->functions[i].histogram));
    }
    for (size_t i = 0; i < a->site_count; i++) {
        assert_int_equal(a->sites[i].caller, b->sites[i].caller);
        assert_int_equal(a->sites[i].line, b->sites[i].line);
        same_stats(&a->sites[i].stats, &b->sites[i].stats);
    }
    for (size_t i = 0; i < a->callee_count; i++)
        same_stats(&a->callees[i].stats, &b->callees[i].stats);
    for (size_t i = 0; i < a->node_count; i++) {
        assert_int_equal(a->nodes[i].parent, b->nodes[i].parent);
        assert_int_equal(a->nodes[i].kind, b->nodes[i].kind);
        assert_int_equal(a->nodes[i].id, b->nodes[i].id);
        assert_int_equal(a->nodes[i].calls, b->nodes[i].calls);
        assert_int_equal(a->nodes[i].total_ns, b->nodes[i].total_ns);
        assert_int_equal(a->nodes[i].self_ns, b->nodes[i].self_ns);
    }
    for (size_t i = 0; i < a->group_count; i++)
        assert_memory_equal(&a->groups[i], &b->groups[i], sizeof(a->groups[i]));
    for (size_t p = 0; p < a->process_count; p++) {
        assert_int_equal(a->processes[p]->events, b->processes[p]->events);
        assert_int_equal(a->processes[p]->lost_frames, b->processes[p]->lost_frames);
        assert_int_equal(a->processes[p]->thread_count, b->processes[p]->thread_count);
        for (size_t t = 0; t < a->processes[p]->thread_count; t++) {
            const struct pinsight_thread *one = a->processes[p]->thread_list[t];
            const struct pinsight_thread *other = b->processes[p]->thread_list[t];

            assert_int_equal(one->number, other->number);
            assert_int_equal(one->max_depth, other->max_depth);
            assert_int_equal(one->busy_ns, other->busy_ns);
            assert_memory_equal(one->self_ns, other->self_ns, sizeof(one->self_ns));
        }
    }
}

static uint64_t seed;

static unsigned any(unsigned below) {
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(seed >> 33) % below;
}

static void thread_info(struct ctf_writer *writer, uint64_t ns, uint64_t tid, int64_t number) {
    ctf_event(writer, 3, ns, PINSIGHT_EVENT_CORE_THREAD_INFO, (uint64_t)PID, tid, number, "worker");
}

/* Threads that call at random, over some streams or each in its own, with ends that match and ends
 * that do not; names and threads are told late or anew. */
static void write_random(struct ctf_writer *writer, bool by_threads) {
    struct {
        uint32_t open[64];
        size_t depth;
    } threads[3] = {0};
    uint64_t ns = 1000;

    if (by_threads)
        ctf_open_by_threads(writer);
    else
        ctf_open(writer, true, NULL);
    for (unsigned i = 0; i < EVENTS; i++) {
        unsigned thread = any(3), code = 1 + any(FUNCTIONS);
        bool deep = threads[thread].depth == 64;
        bool moves = !by_threads && !any(10); /* to another processor */
        int stream = (int)(moves ? any(3) : thread);
        uint64_t tid = 200 + thread;

        ns += any(4);
        if (i % (by_threads ? 240 : 24) == 23)
            ctf_close(writer); /* a packet of each stream */
        if (i % 500 == 250)
            ctf_event(writer, 3, ns, PINSIGHT_EVENT_PYTHON_CODE_INFO, (uint64_t)(1 + i / 500 % 7),
                      (uint64_t)(i / 500), i % 1000 == 250 ? "f" : "g", "a.py", INT64_C(3), "m");
        if (i % 800 == 400)
            thread_info(writer, ns, tid, i < 2000 ? 7 + (int64_t)thread : 9 - (int64_t)thread);
        if (!any(50)) {
            ctf_event(writer, stream, ns, PINSIGHT_EVENT_PYTHON_END, tid, (uint64_t)code * 4);
        } else if (!deep && (any(2) || !threads[thread].depth)) {
            bool call = any(2);

            threads[thread].open[threads[thread].depth++] = code * 2 + call;
            if (call)
                ctf_event(writer, stream, ns, PINSIGHT_EVENT_PYTHON_C_BEGIN, tid,
                          (uint64_t)code * 4, (uint64_t)(5 + any(3)));
            else
                ctf_event(writer, stream, ns, PINSIGHT_EVENT_PYTHON_BEGIN, tid,
                          (uint64_t)code * 4 + !any(9));
        } else {
            uint32_t open = threads[thread].open[--threads[thread].depth];

            ctf_event(writer, stream, ns,
                      open % 2 ? PINSIGHT_EVENT_PYTHON_C_END : PINSIGHT_EVENT_PYTHON_END, tid,
                      (uint64_t)(open / 2) * 4 + (any(20) ? 0 : 3));
        }
    }
    ctf_close(writer);
}

static void read_all_ways(const struct ctf_writer *writer, bool by_threads) {
    static const unsigned threads[] = {1, 2, 2, 3, 8};

    for (int view = 0; view < VIEWS; view++) {
        struct reading *events = read_trace(writer, true, view, 1);

        for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
            bool one_by_one = i == 2;
            struct reading *runs = read_trace(writer, one_by_one, view, threads[i]);

            same_models(events->model, runs->model);
            same_walks(&events->walk, &runs->walk);
            assert_false(events->is_late);
            assert_int_equal(runs->is_late, by_threads && !one_by_one);
            done(runs);
        }
        done(events);
    }
}

/* Whoever decodes them, and in whatever order those of several threads are taken. */
static void runs_and_events(void **state) {
    (void)state;
    for (seed = 1; seed < 32; seed += 7) {
        uint64_t kept = seed;

        for (int by_threads = 0; by_threads < 2; by_threads++) {
            struct ctf_writer writer;

            write_random(&writer, by_threads);
            read_all_ways(&writer, by_threads);
            ctf_remove(&writer);
        }
        seed = kept;
    }
}

/* Large numbers take no more room than small ones, and are found all the same. */
static void numbers_of_any_size(void **state) {
    struct pinsight_numbers numbers = {0};

    (void)state;
    assert_int_equal(pinsight_numbers_get(&numbers, 5), PINSIGHT_MAP_NONE);
    pinsight_numbers_set(&numbers, UINT32_MAX, 1);
    pinsight_numbers_set(&numbers, 1u << 30, 2);
    assert_int_equal(numbers.count, 0);
    for (uint32_t i = 0; i < 10000; i++)
        pinsight_numbers_set(&numbers, i, 3 * i);
    assert_true(numbers.count < 100000);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(pinsight_numbers_get(&numbers, i), 3 * i);
    pinsight_numbers_set(&numbers, 7, 8);
    assert_int_equal(pinsight_numbers_get(&numbers, 7), 8);
    assert_int_equal(pinsight_numbers_get(&numbers, UINT32_MAX), 1);
    assert_int_equal(pinsight_numbers_get(&numbers, 1u << 30), 2);
    pinsight_numbers_clear(&numbers);
}

int main(void) {
    return RUN_TESTS(runs_and_events, numbers_of_any_size);
}
