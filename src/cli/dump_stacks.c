/* `pinsight dump-stacks`: prints the present stacks of the threads of a Python. */
#include <stdio.h>
#include <string.h>

#include "attach/stacks.h"
#include "attach/target.h"
#include "base/message.h"
#include "base/run_info.h"
#include "base/text.h"
#include "cli/attach_one.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "cli/view_options.h"

static const struct cli_option option_table[] = {CLI_HELP};

const struct cli_verb cli_dump_stacks = {
    .name = "dump-stacks",
    .about = "the current stack of each thread of a Python",
    .usage = "usage: pinsight dump-stacks PID\n"
             "\n"
             "Prints the Python stack of each thread of a running program, the innermost function "
             "first,\n"
             "and the reason for its waiting. The program need not be recorded. It does not stop, "
             "and\n"
             "executes no code for this.\n"
             "\n",
    .more = "\n"
            "Exit status: 0 the stacks are printed, 1 they cannot be read, 2 the options are "
            "wrong.\n",
    CLI_OPTIONS(option_table),
    .column = 17,
    .aligned = true,
};

struct printing {
    const struct pinsight_attach_target *target;
    int frames; /* of the present thread */
    int threads;
};

/* The length to which the kernel cuts a thread's name (proc_pid_comm(5)). */
#define MOST_OF_NAME 15

static void read_thread_name(int pid, int tid, char *name, size_t room) {
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
    FILE *file = fopen(path, "re");
    name[0] = '\0';
    if (file != NULL) {
        if (fgets(name, (int)room, file) == NULL) {
            name[0] = '\0';
        }
        name[strcspn(name, "\n")] = '\0';
        fclose(file);
    }
}

static void end_thread(const struct printing *printing) {
    if (printing->threads > 0 && printing->frames == 0) {
        puts("    (no Python function)");
    }
}

static void print_thread(void *data, const struct pinsight_stack_thread *thread) {
    struct printing *printing = data;
    int pid = printing->target->pid;
    char name[64];

    end_thread(printing);
    printing->frames = 0;
    printing->threads++;
    const char *waits = pinsight_stack_waits(pid, thread->tid);
    read_thread_name(pid, thread->tid, name, sizeof(name));
    printf("\nThread %d", thread->tid);
    if (thread->tid == pid) {
        fputs(" (main)", stdout);
    } else if (name[0] != '\0') {
        fputs(" (", stdout);
        pinsight_text_put(stdout, name);
        fputs(strlen(name) == MOST_OF_NAME ? "...)" : ")", stdout);
    }
    printf(" %s\n", waits != NULL ? waits : thread->has_gil ? "runs, and has the GIL" : "runs");
}

static void print_frame(void *data, const struct pinsight_stack_frame *frame) {
    struct printing *printing = data;

    printing->frames++;
    fputs("    ", stdout);
    pinsight_text_put(stdout, frame->function);
    fputs("  ", stdout);
    pinsight_text_put(stdout, frame->file);
    if (frame->line > 0) {
        printf(":%d", frame->line);
    }
    putchar('\n');
}

int pinsight_cmd_dump_stacks(int argc, char **argv) {
    static struct pinsight_attach_target target;
    char why[4096], command[4096];
    int status, pid;

    if (!cli_parse(&cli_dump_stacks, argc, argv, NULL, NULL, &status)) {
        return status;
    }
    if (!pinsight_attach_pid("dump-stacks", argc, argv, &pid)) {
        return 2;
    }
    if (!pinsight_target_look(&target, pid, NULL, "dump-stacks", why, sizeof(why))) {
        pinsight_error("%s", why);
        return 1;
    }
    if (!target.runtime.has_offsets) {
        pinsight_error("process %d (%s) runs Python %s, and stacks can be read of 3.14 and 3.15; "
                       "`py-spy dump --pid %d` reads those of others",
                       pid, target.name, target.tag, pid);
        return 1;
    }
    if (target.runtime.interpreter == 0) {
        pinsight_error("process %d (%s) has no interpreter now: it is just starting or ending; try "
                       "again",
                       pid, target.name);
        return 1;
    }
    struct printing printing = {.target = &target};
    const struct pinsight_stack_reader reader = {
        .thread = print_thread, .frame = print_frame, .data = &printing};
    pinsight_run_info_quote(target.command, command, sizeof(command));
    printf("Process %d, Python %s: ", pid, target.tag);
    pinsight_text_put(stdout, command);
    putchar('\n');
    pinsight_stacks_read(&target.runtime, &reader);
    end_thread(&printing);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return pinsight_option_write_error();
    }
    return 0;
}
