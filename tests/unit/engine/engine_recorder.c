/* What the core asks of a recorder, and when: the memory of these tests stands in LTTng's place
 * behind tracer/record/recorder.h. */
#include "engine_test.h"

#include "tracer/core/info.h"
#include "tracer/core/process.h"
#include "tracer/core/recorded.h"
#include "tracer/core/thread.h"

#include <pthread.h>
#include <sys/wait.h>

static void a_process_starts_and_joins_once(void **state) {
    (void)state;
    pinsight_process_start();
    pinsight_process_start();
    assert_int_equal(recorder_calls()->start, 1);
    assert_int_equal(recorder_calls()->join, 1);
    assert_int_equal(recorder_calls()->fork_child, 0);
    assert_false(pinsight_process.lossless);
    assert_false(pinsight_process.silent);
}

/* Gives how many threads had begun for the recorder, when this one had its state. */
static void *use_thread(void *unused) {
    (void)unused;
    struct pinsight_core_thread *thread = pinsight_thread_get();
    assert_non_null(thread);
    pinsight_info_thread(thread, "first");
    return (void *)(uintptr_t)recorder_calls()->thread_begin;
}

static void a_thread_begins_and_ends_once(void **state) {
    (void)state;
    pthread_t thread;
    void *begun;
    unsigned before = recorder_calls()->thread_begin, ended = recorder_calls()->thread_end;
    assert_int_equal(pthread_create(&thread, NULL, use_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, &begun), 0);
    assert_int_equal((uintptr_t)begun, before + 1);
    assert_int_equal(recorder_calls()->thread_begin, before + 1);
    assert_int_equal(recorder_calls()->thread_end, ended + 1);
}

static int look_in_child(void) {
    const struct recorder_calls *calls = recorder_calls();
    bool good = calls->fork_child == 1 && calls->join == 1 && calls->thread_end == 0;
    unsigned begun = calls->thread_begin;
    return good && pinsight_thread_get() && calls->thread_begin == begun + 1 ? 0 : 1;
}

static void a_forked_child_joins_and_begins_anew(void **state) {
    (void)state;
    int status;
    pinsight_process_start();
    assert_non_null(pinsight_thread_get());
    unsigned ended = recorder_calls()->thread_end;
    pid_t child = fork();
    if (child == 0)
        _exit(ended == recorder_calls()->thread_end ? look_in_child() : 2);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(recorder_calls()->fork_child, 0);
}

static void an_account_is_flushed(void **state) {
    (void)state;
    unsigned before = recorder_calls()->flush;
    pinsight_recorded_report_all(false);
    assert_int_equal(recorder_calls()->flush, before + 1);
}

static void sessions_are_told_by_the_listeners(void **state) {
    (void)state;
    pinsight_info_sessions_changed();
    assert_false(pinsight_info_sessions_changed());
    recorder_listen(true);
    assert_true(pinsight_info_sessions_changed());
    assert_false(pinsight_info_sessions_changed());
    recorder_listen(false);
    assert_true(pinsight_info_sessions_changed());
}

int main(void) {
    return RUN_TESTS(a_process_starts_and_joins_once, a_forked_child_joins_and_begins_anew,
                     a_thread_begins_and_ends_once, an_account_is_flushed,
                     sessions_are_told_by_the_listeners);
}
