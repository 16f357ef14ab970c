/* What a thread has behind its one thread-local pointer: its own, kept as it moves, shared no more.
 */
#include "recorded.h"
#include "threads.h"

#include "tracer/record/counted.h"
#include "tracer/record/stream.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 2000 };

static struct pinsight_core_thread *const mark = (struct pinsight_core_thread *)(uintptr_t)64,
                                          *const other_mark =
                                              (struct pinsight_core_thread *)(uintptr_t)128;

static void *begin_and_end(void *seen) {
    struct pinsight_record_stream *shared = pinsight_record_stream;
    assert_false(pinsight_tls_is_own(shared));
    assert_null(pinsight_tls()->thread);
    struct pinsight_tls *own = pinsight_tls_own();
    assert_non_null(own);
    assert_ptr_equal(own, pinsight_tls());
    assert_ptr_equal(own, pinsight_tls_own());
    assert_true(pinsight_tls_is_own(pinsight_record_stream));
    assert_ptr_equal(own->recorded, PINSIGHT_RECORDED_STATELESS);
    assert_false(own->ended);
    assert_null(pinsight_record_stream->head);
    own->thread = mark;
    *(struct pinsight_tls **)seen = own;
    pinsight_tls_end();
    assert_true(pinsight_tls()->ended);
    assert_null(pinsight_tls()->thread);
    assert_false(pinsight_tls_is_own(pinsight_record_stream));
    pinsight_tls_end(); /* again is nothing */
    /* What comes later has one again, and still knows that its thread has ended. */
    own = pinsight_tls_own();
    assert_true(own->ended && own->thread == NULL);
    pinsight_tls_end();
    return NULL;
}

static void a_thread_has_its_own(void **state) {
    pthread_t thread;
    struct pinsight_tls *first = NULL, *second = NULL;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, begin_and_end, &first), 0);
    pthread_join(thread, NULL);
    assert_int_equal(pthread_create(&thread, NULL, begin_and_end, &second), 0);
    pthread_join(thread, NULL);
    assert_ptr_equal(first, second); /* of a thread that is gone */
}

static void *record_some(void *kept) {
    struct pinsight_tls *own = pinsight_tls_own();
    own->thread = mark;
    own->hidden = other_mark;
    struct pinsight_record_stream *before = pinsight_record_stream;
    put_small(1);
    assert_non_null(pinsight_record_stream->head);
    assert_ptr_equal(pinsight_tls()->thread, mark);
    assert_ptr_equal(pinsight_tls()->hidden, other_mark);
    *(bool *)kept = before == pinsight_record_stream;
    pinsight_recorder_file.thread_end();
    assert_true(pinsight_tls()->ended);
    put_small(2); /* the last event of a runtime: it is recorded */
    assert_true(pinsight_tls()->ended);
    assert_null(pinsight_tls()->thread);
    pinsight_recorder_file.thread_end();
    return NULL;
}

/* The first thread's gets a buffer where it is; the next has that buffer, and moves there. */
static void it_moves_with_the_first_event(void **state) {
    pthread_t thread;
    bool stayed = false, stayed_again = true;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, record_some, &stayed), 0);
    pthread_join(thread, NULL);
    assert_int_equal(pthread_create(&thread, NULL, record_some, &stayed_again), 0);
    pthread_join(thread, NULL);
    assert_true(stayed);
    assert_false(stayed_again);
}

static void a_child_keeps_all_but_the_stream(void **state) {
    int status;
    (void)state;
    struct pinsight_tls *own = pinsight_tls_own();
    put_small(3);
    own = pinsight_tls();
    own->thread = mark;
    pid_t child = fork();
    if (child == 0) {
        bool kept = pinsight_tls() == own && own->thread == mark && !pinsight_record_stream->head;
        put_small(4);
        _exit(kept && pinsight_tls()->thread == mark && pinsight_record_stream->head ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    own->thread = NULL;
}

static void *many(void *data) {
    (void)data;
    for (int i = 0; i < ROUNDS; i++) {
        struct pinsight_record_stream *one = pinsight_tls_take(), *other = pinsight_tls_take();
        assert_ptr_not_equal(one, other);
        struct pinsight_tls *of_one = pinsight_tls_of(one), *of_other = pinsight_tls_of(other);
        of_one->domains[0] = one;
        of_other->domains[0] = other;
        assert_ptr_equal(of_one->domains[0], one);
        assert_ptr_equal(of_other->domains[0], other);
        pinsight_tls_give(one);
        pinsight_tls_give(other);
    }
    return NULL;
}

static void no_two_threads_have_the_same(void **state) {
    (void)state;
    threads_run(THREADS, many, NULL, 0);
}

static void what_is_given_back_is_taken_again(void **state) {
    enum { SOME = 5 };
    struct pinsight_record_stream *given[SOME], *again[SOME];
    (void)state;
    for (int i = 0; i < SOME; i++)
        given[i] = pinsight_tls_take();
    for (int i = 0; i < SOME; i++)
        pinsight_tls_give(given[i]);
    for (int i = 0; i < SOME; i++)
        again[i] = pinsight_tls_take();
    for (int i = 0; i < SOME; i++)
        assert_ptr_equal(again[i], given[SOME - 1 - i]);
    for (int i = 0; i < SOME; i++)
        pinsight_tls_give(again[i]);
}

/* As the kernel empties it in a child that is forked in the event and goes on with it. */
static void an_event_ends_nowhere_once_its_stream_is_empty(void **state) {
    struct pinsight_event_place place;
    const uint32_t number = 5;
    (void)state;
    put_small(number);
    struct pinsight_record_stream *stream = pinsight_record_stream, kept;
    struct pinsight_buffer_head *head = stream->head;
    assert_true(pinsight_stream_reserve(&small, sizeof number, &place));
    /* A reading of the thread's clock may stand before the event, if time has passed. */
    const uint64_t pos = head->pos;
    kept = *stream;
    memset(stream, 0, sizeof *stream);
    pinsight_stream_commit(&place, PINSIGHT_STORE(place.at, number));
    assert_int_equal(head->pos, pos);
    *stream = kept;
    pinsight_stream_commit(&place, PINSIGHT_STORE(place.at, number));
    assert_int_equal(head->pos - pos, place.at + sizeof number - kept.at);
}

int main(void) {
    return RUN_TESTS_GROUP(set_up, take_down, a_thread_has_its_own, it_moves_with_the_first_event,
                           a_child_keeps_all_but_the_stream, what_is_given_back_is_taken_again,
                           an_event_ends_nowhere_once_its_stream_is_empty,
                           no_two_threads_have_the_same);
}
