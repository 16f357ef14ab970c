/* Processes of a job that share a session. */
#include "unit.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/paths.h"
#include "session/node_group.h"

static char place[64];

static int make_place(void **state) {
    (void)state;
    strcpy(place, "/tmp/pinsight-test-XXXXXX");
    return mkdtemp(place) == NULL || setenv("XDG_RUNTIME_DIR", place, 1) != 0;
}

static int remove_place(void **state) {
    (void)state;
    pinsight_path_remove(place);
    return 0;
}

static struct pinsight_job job_of(int rank, int size) {
    struct pinsight_job job = {.id = "test-1", .size = size, .local_size = size};

    job.rank = rank;
    job.local_rank = rank;
    return job;
}

/* A process of the job that joins, works and leaves. Its status says what it found. */
static pid_t start_rank(int rank, int size, int patience_ms, int work_ms) {
    pid_t pid = fork();

    if (pid == 0) {
        struct pinsight_job job = job_of(rank, size);
        struct pinsight_node_group group;
        struct pinsight_node_group_session session;
        pinsight_node_group_init(&group, &job, "/other");
        if (!pinsight_node_group_join(&group, &session, patience_ms)) {
            _exit(1);
        }
        pinsight_sleep_ms(work_ms);
        pinsight_node_group_leave(&group);
        bool right = strcmp(session.session, "s") == 0 && strcmp(session.join, "j") == 0 &&
                     strcmp(session.output, "/out put") == 0;
        _exit(right ? 0 : 2);
    }
    return pid;
}

/* The group of a job of so many processes, as its first process supervises it. */
static struct pinsight_node_group group_of(int size) {
    struct pinsight_job job = job_of(0, size);
    struct pinsight_node_group group;

    pinsight_node_group_init(&group, &job, "/out put");
    return group;
}

static int status_of(pid_t pid) {
    int status = 0;

    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void test_the_supervisor_waits_for_all(void **state) {
    struct pinsight_job job = job_of(0, 3);
    struct pinsight_node_group group;
    pid_t early = start_rank(1, 3, 10000, 400);

    (void)state;
    pinsight_sleep_ms(50);
    pinsight_node_group_init(&group, &job, "/out put");
    pinsight_node_group_open(&group, "s", "j");
    pid_t late = start_rank(2, 3, 10000, 10);
    int64_t start = pinsight_now_ms();
    pinsight_node_group_wait(&group, NULL, NULL);
    assert_in_range(pinsight_now_ms() - start, 200, 8000);
    assert_int_equal(status_of(early), 0);
    assert_int_equal(status_of(late), 0);
    assert_int_not_equal(access(group.folder, F_OK), 0);
}

static void test_nobody_joins_what_a_killed_supervisor_left(void **state) {
    struct pinsight_node_group group = group_of(2);
    pid_t supervisor = fork();

    (void)state;
    if (supervisor == 0) {
        pinsight_node_group_open(&group, "s", "j");
        _exit(0);
    }
    assert_int_equal(status_of(supervisor), 0);
    assert_int_equal(access(group.folder, F_OK), 0);
    assert_int_equal(status_of(start_rank(1, 2, 200, 0)), 1);

    /* The next job of that name is not disturbed by it. */
    pinsight_node_group_open(&group, "s", "j");
    assert_int_equal(status_of(start_rank(1, 2, 5000, 0)), 0);
    pinsight_node_group_wait(&group, NULL, NULL);
}

static void test_alone_there_is_no_team(void **state) {
    struct pinsight_node_group group = group_of(1);
    int64_t start = pinsight_now_ms();

    (void)state;
    pinsight_node_group_open(&group, "s", "j");
    pinsight_node_group_wait(&group, NULL, NULL);
    assert_in_range(pinsight_now_ms() - start, 0, 1000);
}

int main(void) {
    return RUN_TESTS_GROUP(make_place, remove_place, test_the_supervisor_waits_for_all,
                           test_nobody_joins_what_a_killed_supervisor_left,
                           test_alone_there_is_no_team);
}
