/* Names processes; see process_name.h. */
#include "views/process_name.h"

#include "base/memory.h"
#include "base/text.h"
#include "views/domain.h"
#include "views/report/program_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most generations of workers above a worker that its name has. */
#define MOST_ABOVE 4

static const char *text_of(const struct pinsight_process *process, uint32_t string) {
    return pinsight_strings_text(&process->model->strings, string);
}

/* Returns whether a command belongs to a worker that was started, not forked. */
static bool is_workers_command(const char *command) {
    static const char *const signs[] = {"--multiprocessing-fork", "popen_loky_posix"};

    for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
        if (strstr(command, signs[i]))
            return true;
    return false;
}

/* A forked process has its parent's command. */
const struct pinsight_process *view_process_works_for(const struct pinsight_process *process) {
    const struct pinsight_process *parent = pinsight_model_parent(process);
    const char *command = text_of(process, process->command);

    if (!parent || !command[0] || !pinsight_process_is_there(process))
        return NULL;
    return process->command == parent->command || is_workers_command(command) ? parent : NULL;
}

static bool began_before(const struct pinsight_process *process,
                         const struct pinsight_process *other) {
    return process->announced_ns != other->announced_ns
               ? process->announced_ns < other->announced_ns
               : process->index < other->index;
}

/* Returns a name such as "worker 3", with " of rank 2" if several processes have workers. The
 * caller frees it. */
static char *worker_name(const struct pinsight_process *process,
                         const struct pinsight_process *parent, unsigned above);

/* Returns the name of a rank or worker, else NULL. A worker of a rank has the rank's number in its
 * environment, but is no rank. The caller frees it. */
static char *role_of(const struct pinsight_process *process, unsigned above) {
    const struct pinsight_process *parent = view_process_works_for(process);
    int64_t rank = view_process_rank(process);

    if (parent && above < MOST_ABOVE && (rank < 0 || rank == view_process_rank(parent)))
        return worker_name(process, parent, above);
    return rank < 0 ? NULL : pinsight_format("rank %" PRId64, rank);
}

/* Writes the program of a process to the buffer, like pinsight_program_name(). Python's own helpers
 * are named by their function. */
static char *program_of(const struct pinsight_process *process, char *buffer, size_t size) {
    static const struct {
        const char *sign, *name;
    } helpers[] = {{"from multiprocessing.resource_tracker import", "resource tracker"},
                   {"from multiprocessing.forkserver import", "fork server"}};
    const char *command = text_of(process, process->command);

    for (size_t i = 0; i < sizeof(helpers) / sizeof(*helpers); i++) {
        if (strstr(command, helpers[i].sign)) {
            snprintf(buffer, size, "%s", helpers[i].name);
            return buffer;
        }
    }
    return pinsight_program_name(text_of(process, process->program), command, buffer, size);
}

static char *name_of(const struct pinsight_process *process, unsigned above, bool number) {
    char *role = role_of(process, above), *name;
    char program[256];

    if (role)
        return role;
    program_of(process, program, sizeof(program));
    name = program[0] ? pinsight_text_clean(program) : pinsight_strdup("");
    if (!name[0] || number) {
        char *numbered = name[0] ? pinsight_format("%s (%" PRId64 ")", name, process->pid)
                                 : pinsight_format("process %" PRId64, process->pid);

        free(name);
        return numbered;
    }
    return name;
}

static char *worker_name(const struct pinsight_process *process,
                         const struct pinsight_process *parent, unsigned above) {
    const struct pinsight_model *model = process->model;
    unsigned number = 1;
    bool others = false;
    char *of, *name;

    for (size_t i = 0; i < model->process_count; i++) {
        const struct pinsight_process *other = model->processes[i];
        const struct pinsight_process *others_parent = view_process_works_for(other);

        number += other != process && others_parent == parent && began_before(other, process);
        others |= others_parent && others_parent != parent;
    }
    if (!others)
        return pinsight_format("worker %u", number);
    of = name_of(parent, above + 1, true);
    name = pinsight_format("worker %u of %s", number, of);
    free(of);
    return name;
}

char *view_process_name(const struct pinsight_process *process) {
    return name_of(process, 0, true);
}

char *view_process_short_name(const struct pinsight_process *process) {
    return name_of(process, 0, false);
}

char *view_process_full_name(const struct pinsight_process *process) {
    char *role = role_of(process, 0), *name;
    char program[256];

    if (!program_of(process, program, sizeof(program))[0])
        strcpy(program, "?");
    name = role ? pinsight_format("%s (%s)", role, program)
                : pinsight_format("%s (%" PRId64 ")", program, process->pid);
    free(role);
    return name;
}

bool view_processes_are_named(const struct pinsight_model *model) {
    return model->process_count - model->adopted_count > 1;
}
