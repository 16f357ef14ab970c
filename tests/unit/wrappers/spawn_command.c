/* The command that MPI_Comm_spawn gets: pinsight-spawned in front of the program's. */
#include "unit.h"

#include "tracer/core/log.h"
#include "tracer/mpi/wrap.h"

#include <fcntl.h>
#include <unistd.h>

struct pinsight_own_process pinsight_process;

static char folder[] = "/tmp/pinsight-spawn-XXXXXX", program[64];
static const char *launched;
static unsigned messages;

const char *pinsight_variables_own(const char *name) {
    return strcmp(name, "PINSIGHT_LAUNCHED") == 0  ? launched
           : strcmp(name, "PINSIGHT_LIBDIR") == 0  ? folder
           : strcmp(name, "PINSIGHT_SESSION") == 0 ? "a session"
                                                   : "";
}

void pinsight_log_once(struct pinsight_log_once *once, const char *format, ...) {
    (void)once, (void)format;
    messages++;
}

static char *first_words[] = {"-c", "exit 0", NULL};
static char **words[] = {first_words, NULL};
static struct pinsight_mpi_spawn_command spawn;

static void begins(const struct pinsight_pmpi_comm *comm, int root, char **commands) {
    messages = 0;
    pinsight_mpi_spawn_command_begins(&spawn, comm, root, 2, commands, words);
}

static void assert_words(char **found, const char *const *expected) {
    for (; *expected; expected++)
        assert_string_equal(*found++, *expected);
    assert_null(*found);
}

static void each_command_gets_the_program_in_front(void **state) {
    const struct pinsight_pmpi_comm comm = {.rank = 3};
    char *commands[] = {"sh", "/bin/sh"}, number[16];

    (void)state;
    snprintf(number, sizeof number, "%d", (int)getpid());
    begins(&comm, 3, commands);
    assert_string_equal(spawn.commands[0], program);
    assert_string_equal(spawn.commands[1], program);
    assert_words(spawn.words[0],
                 (const char *const[]){number, "a session", "sh", "-c", "exit 0", NULL});
    assert_words(spawn.words[1], (const char *const[]){number, "a session", "/bin/sh", NULL});
    assert_int_equal(messages, 0);
    pinsight_mpi_spawn_command_ends(&spawn);
}

/* Fails the test if the call does not reach the library as the program made it. */
static void assert_unchanged(const struct pinsight_pmpi_comm *comm, int root, char **commands) {
    begins(comm, root, commands);
    assert_ptr_equal(spawn.commands, commands);
    assert_ptr_equal(spawn.words, words);
    pinsight_mpi_spawn_command_ends(&spawn);
}

static void other_calls_stay_as_they_are(void **state) {
    const struct pinsight_pmpi_comm comm = {.rank = 3}, inter = {.rank = 3, .is_inter = true};
    char *commands[] = {"sh", "/bin/sh"}, *missing[] = {"sh", "/no/such/program"};

    (void)state;
    assert_unchanged(&comm, 2, commands);                  /* the root's arguments count alone */
    assert_unchanged(&inter, PINSIGHT_MPI_ROOT, commands); /* an error of the program */
    assert_int_equal(messages, 0);
    assert_unchanged(&comm, 3, missing); /* the library's error names the program's command */
    assert_int_equal(messages, 1);
    launched = "";
    assert_unchanged(&comm, 3, commands);
    assert_int_equal(messages, 0);
}

static int start(void **state) {
    (void)state;
    launched = "1";
    if (!mkdtemp(folder))
        return -1;
    snprintf(program, sizeof program, "%s/pinsight-spawned", folder);
    return close(open(program, O_CREAT | O_WRONLY | O_CLOEXEC, 0700));
}

static int end(void **state) {
    (void)state;
    return unlink(program) | rmdir(folder);
}

int main(void) {
    return RUN_TESTS_GROUP(start, end, each_command_gets_the_program_in_front,
                           other_calls_stay_as_they_are);
}
