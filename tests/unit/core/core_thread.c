/* Processes and threads: identity, numbers, the end of a thread, a forked child. */
#include "unit.h"

#include "tracer/core/domain.h"
#include "tracer/core/info.h"
#include "tracer/core/process.h"
#include "tracer/core/thread.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int ended, freed, forked;

static void thread_end(struct pinsight_core_thread *thread, void *state) {
    assert_ptr_equal(thread->state[0], state);
    ended++;
}

static void thread_free(void *state) {
    free(state);
    freed++;
}

static void fork_child(struct pinsight_domain *domain, struct pinsight_core_thread *thread) {
    assert_ptr_equal(thread, pinsight_thread_self());
    (void)domain;
    forked++;
}

static struct pinsight_domain domain = {.name = "Python",
                                        .thread_end = thread_end,
                                        .thread_free = thread_free,
                                        .fork_child = fork_child};

static void the_main_thread_is_number_0(void **state) {
    (void)state;
    assert_null(pinsight_thread_self());
    struct pinsight_core_thread *thread = pinsight_thread_get();
    assert_non_null(thread);
    assert_ptr_equal(pinsight_thread_get(), thread);
    assert_int_equal(thread->tid, syscall(SYS_gettid));
    assert_int_equal(thread->python_thread_id, -1);
    pinsight_thread_number(thread);
    assert_int_equal(thread->python_thread_id, 0);
}

static void a_long_name_is_cut_between_characters(void **state) {
    (void)state;
    struct pinsight_core_thread *thread = pinsight_thread_get();
    char name[80] = "";
    for (int i = 0; i < 30; i++)
        strcat(name, "\u00e9"); /* two bytes each */
    pinsight_info_thread(thread, name);
    assert_string_equal(thread->name, name);
    strcat(name, "x\u00e9\u00e9\u00e9");
    pinsight_info_thread(thread, name);
    name[63] = '\0';
    assert_string_equal(thread->name, name);
    name[63] = '\xc3';
    name[61] = '\0';
    strcat(name, "yz\u00e9");
    pinsight_info_thread(thread, name);
    assert_int_equal(strlen(thread->name), 63);
    strcpy(name + 62, "\u00e9");
    pinsight_info_thread(thread, name);
    assert_int_equal(strlen(thread->name), 62);
}

static void *other(void *number) {
    struct pinsight_core_thread *thread = pinsight_thread_get();
    pinsight_thread_number(thread);
    pinsight_thread_number(thread); /* keeps it */
    *(int *)number = thread->python_thread_id;
    thread->state[domain.slot] = malloc(1);
    return NULL;
}

static void count(struct pinsight_core_thread *thread, void *data) {
    (void)thread;
    ++*(int *)data;
}

static void other_threads_are_numbered_and_freed(void **state) {
    (void)state;
    pthread_t thread;
    int first = 0, second = 0, threads = 0;
    assert_int_equal(pthread_create(&thread, NULL, other, &first), 0);
    pthread_join(thread, NULL);
    assert_int_equal(pthread_create(&thread, NULL, other, &second), 0);
    pthread_join(thread, NULL);
    assert_int_equal(first, 1);
    assert_int_equal(second, 2);
    assert_int_equal(ended, 2);
    assert_int_equal(freed, 2);
    pinsight_thread_each(count, &threads);
    assert_int_equal(threads, 1);
}

static void a_forked_child_starts_afresh(void **state) {
    (void)state;
    uint32_t generation = pinsight_session_version();
    pid_t child = fork();
    if (child == 0) {
        struct pinsight_core_thread *thread;
        int threads = 0;
        if (pinsight_thread_self() || forked != 1 || pinsight_session_version() == generation)
            _exit(1);
        if (pinsight_process.pid != getpid())
            _exit(2);
        thread = pinsight_thread_get();
        pinsight_thread_number(thread);
        pinsight_thread_each(count, &threads);
        _exit(thread->python_thread_id == 0 && threads == 1 ? 0 : 3);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(pinsight_session_version(), generation);
}

static void the_rank_is_the_launchers(void **state) {
    (void)state;
    assert_int_equal(pinsight_process.rank, 3);
    assert_int_equal(pinsight_process.max_size, 1000);
    assert_false(pinsight_process.lossless); /* the file recorder never waits */
}

static void a_batch_script_has_no_rank(void **state) {
    (void)state;
    unsetenv("OMPI_COMM_WORLD_RANK");
    assert_int_equal(pinsight_process_find_rank(), -1);
    setenv("SLURM_PROCID", "0", 1);
    setenv("SLURM_JOB_ID", "77", 1);
    assert_int_equal(pinsight_process_find_rank(), -1);
    setenv("SLURM_STEP_ID", "1", 1);
    assert_int_equal(pinsight_process_find_rank(), 0);
    setenv("PALS_RANKID", "6", 1);
    assert_int_equal(pinsight_process_find_rank(), 6);
    setenv("PMI_RANK", "5", 1);
    assert_int_equal(pinsight_process_find_rank(), 5);
}

int main(void) {
    setenv("OMPI_COMM_WORLD_RANK", "3", 1);
    setenv("PINSIGHT_MAX_SIZE", "1000", 1);
    setenv("PINSIGHT_LOSSLESS", "1", 1);
    pinsight_process_start();
    if (pinsight_domain_register(&domain) != 0)
        return 1;
    return RUN_TESTS(the_main_thread_is_number_0, a_long_name_is_cut_between_characters,
                     other_threads_are_numbered_and_freed, a_forked_child_starts_afresh,
                     the_rank_is_the_launchers, a_batch_script_has_no_rank);
}
