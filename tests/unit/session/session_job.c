/* The parallel job that a process is part of. */
#include "unit.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/job.h"

static const char *const *given;

static char *get(const char *name) {
    for (size_t i = 0; given[i] != NULL; i += 2) {
        if (strcmp(given[i], name) == 0) {
            return (char *)given[i + 1];
        }
    }
    return NULL;
}

static struct pinsight_job look(const char *const *variables) {
    struct pinsight_job job;

    given = variables;
    pinsight_job_look(&job, get);
    return job;
}

#define VARIABLES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void assert_alone(const struct pinsight_job *job) {
    assert_int_equal(job->local_rank, 0);
    assert_int_equal(job->local_size, 1);
    assert_int_equal(job->size, 1);
}

static void test_no_job(void **state) {
    struct pinsight_job job = look(VARIABLES("HOME", "/h"));

    (void)state;
    assert_alone(&job);
    assert_string_equal(job.launcher, "");
}

static void test_open_mpi(void **state) {
    struct pinsight_job job = look(VARIABLES(
        "OMPI_COMM_WORLD_RANK", "5", "OMPI_COMM_WORLD_SIZE", "8", "OMPI_COMM_WORLD_LOCAL_RANK", "1",
        "OMPI_COMM_WORLD_LOCAL_SIZE", "4", "PMIX_NAMESPACE", "prterun-node@1/2"));

    (void)state;
    assert_int_equal(job.rank, 5);
    assert_int_equal(job.size, 8);
    assert_int_equal(job.local_rank, 1);
    assert_int_equal(job.local_size, 4);
    assert_string_equal(job.id, "openmpi-prterun-node_1_2");
}

static void test_without_an_id_the_parent_names_the_job(void **state) {
    const char *const first[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "0", "OMPI_COMM_WORLD_LOCAL_SIZE",
                                 "2", NULL};
    const char *const second[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "1", "OMPI_COMM_WORLD_LOCAL_SIZE",
                                  "2", NULL};
    struct pinsight_job a = look(first), b = look(second);

    (void)state;
    assert_string_equal(a.id, b.id);
    assert_int_equal(strncmp(a.id, "openmpi-", 8), 0);
    assert_int_equal(b.local_rank, 1);
    assert_int_equal(b.rank, 1);
}

/* Writes the identity of the job to `fd`, as a process `levels` below this one finds it. */
static void write_from_below(int levels, int fd) {
    pid_t child = fork();

    if (child == 0) {
        prctl(PR_SET_NAME, "sh"); /* the launcher's would be inherited */
        if (levels > 1) {
            write_from_below(levels - 1, fd);
            _exit(0);
        }
        struct pinsight_job job = look(VARIABLES("MPI_LOCALRANKID", "0", "MPI_LOCALNRANKS", "2"));
        _exit(write(fd, job.id, sizeof(job.id)) != sizeof(job.id));
    }
    waitpid(child, NULL, 0);
}

/* A launcher may start each rank through shells. It names the job, whatever their number is. */
static void test_a_launcher_names_the_job_through_shells(void **state) {
    struct pinsight_job job;
    char expected[64];
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    pid_t launcher = fork();
    if (launcher == 0) {
        prctl(PR_SET_NAME, "mpiexec.hydra");
        for (int levels = 1; levels <= 3; levels++) {
            write_from_below(levels, ends[1]);
        }
        _exit(0);
    }
    close(ends[1]);
    snprintf(expected, sizeof(expected), "hydra-%d-", (int)launcher);
    for (int levels = 1; levels <= 3; levels++) {
        assert_int_equal(read(ends[0], job.id, sizeof(job.id)), sizeof(job.id));
        assert_int_equal(strncmp(job.id, expected, strlen(expected)), 0);
    }
    close(ends[0]);
    waitpid(launcher, NULL, 0);
}

static void test_hydra(void **state) {
    struct pinsight_job job = look(VARIABLES("PMI_RANK", "3", "PMI_SIZE", "4", "MPI_LOCALRANKID",
                                             "3", "MPI_LOCALNRANKS", "4"));

    (void)state;
    assert_string_equal(job.launcher, "hydra");
    assert_int_equal(job.rank, 3);
    assert_int_equal(job.local_rank, 3);
    assert_int_equal(job.local_size, 4);
}

static void test_who_comes_first_where_no_rank_is_placed(void **state) {
    struct pinsight_job job =
        look(VARIABLES("PMIX_NAMESPACE", "prterun-node-7@1", "PMIX_RANK", "3"));

    (void)state;
    assert_true(job.unplaced);
    assert_string_equal(job.id, "pmix-prterun-node-7_1");
    assert_int_equal(job.rank, 3);
    assert_int_equal(job.size, 0);
    job = look(VARIABLES("PMI_RANK", "1", "PMI_SIZE", "4"));
    assert_true(job.unplaced);
    assert_int_equal(job.size, 4);
    job = look(VARIABLES("PMI_RANK", "0", "PMI_SIZE", "1"));
    assert_false(job.unplaced);
    assert_alone(&job);
    job = look(VARIABLES("PMIX_RANK", "0"));
    assert_alone(&job);
}

static void test_slurm_step(void **state) {
    struct pinsight_job job = look(VARIABLES(
        "SLURM_JOB_ID", "77", "SLURM_STEP_ID", "2", "SLURM_PROCID", "6", "SLURM_LOCALID", "0",
        "SLURM_NODEID", "2", "SLURM_STEP_TASKS_PER_NODE", "3(x2),1", "SLURM_STEP_NUM_TASKS", "7"));

    (void)state;
    assert_string_equal(job.id, "slurm-77.2");
    assert_int_equal(job.rank, 6);
    assert_int_equal(job.size, 7);
    assert_int_equal(job.local_rank, 0);
    assert_int_equal(job.local_size, 1);
}

static void test_slurm_tasks_per_node(void **state) {
    static const struct {
        const char *list, *node;
        int tasks;
    } cases[] = {{"4", "0", 4},       {"2,3", "1", 3}, {"2(x3),1", "2", 2}, {"2(x3),1", "3", 1},
                 {"2(x3),1", "4", 1}, {"", "0", 1},    {"x", "0", 1},       {"9999999999", "0", 1}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct pinsight_job job = look(
            VARIABLES("SLURM_JOB_ID", "1", "SLURM_STEP_ID", "0", "SLURM_LOCALID", "0",
                      "SLURM_NODEID", cases[i].node, "SLURM_STEP_TASKS_PER_NODE", cases[i].list));
        assert_int_equal(job.local_size, cases[i].tasks);
    }
}

static void test_slurm_says_the_jobs_tasks_alone(void **state) {
    struct pinsight_job job = look(
        VARIABLES("SLURM_JOB_ID", "77", "SLURM_STEP_ID", "0", "SLURM_PROCID", "3", "SLURM_LOCALID",
                  "1", "SLURM_NODEID", "1", "SLURM_TASKS_PER_NODE", "2(x2)", "SLURM_NTASKS", "4"));

    (void)state;
    assert_int_equal(job.rank, 3);
    assert_int_equal(job.size, 4);
    assert_int_equal(job.local_rank, 1);
    assert_int_equal(job.local_size, 2);
}

/* In a batch script, or a shell of salloc, there is a job and no parallel step. */
static void test_a_batch_script_is_no_step(void **state) {
    struct pinsight_job job =
        look(VARIABLES("SLURM_JOB_ID", "77", "SLURM_NTASKS", "128", "SLURM_PROCID", "0",
                       "SLURM_LOCALID", "0", "SLURM_TASKS_PER_NODE", "64(x2)"));

    (void)state;
    assert_alone(&job);
}

static void test_nonsense_is_no_job(void **state) {
    static const char *const numbers[][2] = {{"x", "2"}, {"-1", "2"}, {"2", "2"},
                                             {"0", "0"}, {"0", ""},   {"1e9", "99999999999"}};

    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        struct pinsight_job job = look(VARIABLES("OMPI_COMM_WORLD_LOCAL_RANK", numbers[i][0],
                                                 "OMPI_COMM_WORLD_LOCAL_SIZE", numbers[i][1]));
        assert_alone(&job);
    }
}

static void test_a_long_id_keeps_its_end(void **state) {
    char id[300];

    (void)state;
    memset(id, 'a', sizeof(id) - 1);
    strcpy(id + sizeof(id) - 5, "/end");
    struct pinsight_job job =
        look(VARIABLES("OMPI_COMM_WORLD_LOCAL_RANK", "0", "OMPI_COMM_WORLD_LOCAL_SIZE", "2",
                       "PMIX_NAMESPACE", id));
    assert_true(strlen(job.id) < sizeof(job.id));
    assert_string_equal(job.id + strlen(job.id) - 4, "_end");
}

int main(void) {
    return RUN_TESTS(test_no_job, test_open_mpi, test_without_an_id_the_parent_names_the_job,
                     test_a_launcher_names_the_job_through_shells, test_hydra,
                     test_who_comes_first_where_no_rank_is_placed, test_slurm_step,
                     test_slurm_says_the_jobs_tasks_alone, test_slurm_tasks_per_node,
                     test_a_batch_script_is_no_step, test_nonsense_is_no_job,
                     test_a_long_id_keeps_its_end);
}
