/*
 * Children of MPI_Comm_spawn are started by the launcher. If the run is within the launcher's
 * command (mpirun -n 4 pinsight run -- app), their environment has nothing of the run. Therefore
 * the root, whose command is the only one that counts (MPI 4.0, 11.8.2), starts pinsight-spawned in
 * front of the command. That program fetches the run's variables and executes the command.
 */
#include "tracer/mpi/wrap.h"

#include "tracer/core/log.h"
#include "tracer/core/plain.h"
#include "tracer/core/variables.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns whether a command exists. A missing command must fail in the call, as the program
 * expects. */
static bool is_executable(const char *path) {
    struct stat about;

    return access(path, X_OK) == 0 && stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static bool is_found(const char *command) {
    char path[PATH_MAX];

    if (strchr(command, '/'))
        return is_executable(command);
    for (const char *at = getenv("PATH"); at && *at; at += *at == ':') {
        size_t length = strcspn(at, ":");
        if (length > 0 &&
            snprintf(path, sizeof path, "%.*s/%s", (int)length, at, command) < (int)sizeof path &&
            is_executable(path))
            return true;
        at += length;
    }
    return false;
}

/* Returns the words of pinsight-spawned, followed by a command's. The caller frees them. Returns
 * NULL without memory. */
static char **make_words(struct pinsight_mpi_spawn_command *spawn, char *command,
                         char *const *words) {
    size_t count = 0;

    while (words && words[count])
        count++;
    char **longer = malloc((count + 4) * sizeof *longer);
    if (!longer)
        return NULL;
    longer[0] = spawn->number;
    longer[1] = (char *)pinsight_variables_own("PINSIGHT_SESSION");
    longer[2] = command;
    if (count)
        memcpy(longer + 3, words, count * sizeof *words);
    longer[count + 3] = NULL;
    return longer;
}

void pinsight_mpi_spawn_command_begins(struct pinsight_mpi_spawn_command *spawn,
                                       const struct pinsight_pmpi_comm *comm, int root, int count,
                                       char **commands, char ***words) {
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    const char *missing = "pinsight-spawned";
    bool good = true;

    *spawn = (struct pinsight_mpi_spawn_command){.commands = commands, .words = words};
    if (pinsight_plain() || !*pinsight_variables_own("PINSIGHT_LAUNCHED") ||
        !pinsight_mpi_at_root(comm, root) || comm->is_inter || count < 1 || !commands)
        return;
    for (int i = 0; i < count && good; i++) {
        good = commands[i] && is_found(commands[i]);
        missing = good || !commands[i] ? missing : commands[i];
    }
    int length = snprintf(spawn->path, sizeof spawn->path, "%s/pinsight-spawned",
                          pinsight_variables_own("PINSIGHT_LIBDIR"));
    if (!good || length >= (int)sizeof spawn->path || !is_executable(spawn->path)) {
        pinsight_log_once(
            &once,
            "%.200s, which MPI_Comm_spawn is to start, is not found from here, so its "
            "processes are not recorded; give its whole path, or start the launcher "
            "with `pinsight run -- mpirun`",
            missing);
        return;
    }
    snprintf(spawn->number, sizeof spawn->number, "%d", (int)getpid());
    spawn->own_commands = calloc((size_t)count, sizeof *spawn->own_commands);
    spawn->own_words = calloc((size_t)count, sizeof *spawn->own_words);
    spawn->count = count;
    for (int i = 0; spawn->own_commands && spawn->own_words && i < count; i++) {
        spawn->own_commands[i] = spawn->path;
        spawn->own_words[i] = make_words(spawn, commands[i], words ? words[i] : NULL);
        good = good && spawn->own_words[i];
    }
    if (good && spawn->own_commands && spawn->own_words) {
        spawn->commands = spawn->own_commands;
        spawn->words = spawn->own_words;
    }
}

void pinsight_mpi_spawn_command_ends(struct pinsight_mpi_spawn_command *spawn) {
    for (int i = 0; spawn->own_words && i < spawn->count; i++)
        free(spawn->own_words[i]);
    free(spawn->own_words);
    free(spawn->own_commands);
}
