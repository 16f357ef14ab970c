/* `pinsight ctl`: shows the state of traced programs, and changes their recording. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctl_client.h"
#include "base/grid.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/text.h"
#include "cli/ctl_dump.h"
#include "cli/ctl_find.h"
#include "cli/ctl_options.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "cli/view_options.h"
#include "views/kit/screen.h"

enum { VALUE_ROOM = 8400 };

/* Prints the rest of a line that has `column` columns, and ends it. On a terminal, lines fit its
 * width, and further ones begin with `indent` blanks. Programs get one line. */
static void put_rest(const char *text, size_t column, size_t indent) {
    const unsigned width = pinsight_screen_terminal_width(stdout);
    char *clean = pinsight_text_clean(text);
    size_t first = strcspn(clean, " ");

    if (width == 0) {
        fputs(clean, stdout);
    } else {
        /* A path is whole, on a line of its own. */
        if (column > 0 && column + first > width) {
            printf("\n    ");
            column = indent = 4;
        }
        pinsight_wrap(stdout, width, column, indent, clean);
    }
    putchar('\n');
    free(clean);
}

/* ---- status ---- */

enum { VALUES_AT = 18 };

/* Prints "  name      value" if the reply has a value. */
static void print_value(const struct pinsight_call *call, const char *key, const char *name) {
    static char value[VALUE_ROOM];

    if (pinsight_call_value(call, key, value, sizeof(value)) && *value != '\0') {
        printf("  %-16s", name);
        put_rest(value, VALUES_AT, VALUES_AT);
    }
}

/* Prints the domains with their modes, in the order of the reply. */
static void print_domains(const struct pinsight_call *call) {
    struct pinsight_pairs_reader reader;
    const char *key, *value;
    char *copy = malloc(call->length + 1);

    if (copy == NULL) {
        return;
    }
    memcpy(copy, call->reply, call->length + 1);
    pinsight_pairs_read(&reader, copy, call->length);
    while (pinsight_pairs_next(&reader, &key, &value)) {
        if (strcmp(key, "domain") == 0) {
            size_t name = strcspn(value, " ");
            printf("  %-16.*s", (int)name, value);
            put_rest(value + name + (value[name] == ' '), VALUES_AT, VALUES_AT);
        }
    }
    free(copy);
}

static void print_status(const struct pinsight_ctl_target *target) {
    static char value[VALUE_ROOM];
    char process[64];

    if (target->rank >= 0) {
        snprintf(process, sizeof(process), "%d, rank %ld", target->pid, target->rank);
    } else {
        snprintf(process, sizeof(process), "%d", target->pid);
    }
    if (pinsight_call_value(target->call, "command", value, sizeof(value))) {
        char *line = pinsight_format("%s: %s", process, value);
        put_rest(line, 0, 2);
        free(line);
    } else {
        puts(process);
    }
    print_domains(target->call);
    if (pinsight_call_value(target->call, "config", value, sizeof(value)) && *value != '\0') {
        print_value(target->call, "config", "configuration");
    } else {
        puts("  configuration   none");
    }
    print_value(target->call, "generation", "generation");
    print_value(target->call, "windows", "windows ended");
    print_value(target->call, "introspections", "introspections");
    print_value(target->call, "output", "trace");
    print_value(target->call, "session", "session");
}

/* ---- orders ---- */

/* Returns "process 4711" or "process 4711 (rank 3)". */
static const char *name_of(const struct pinsight_ctl_target *target) {
    static char text[64];

    if (target->rank >= 0) {
        snprintf(text, sizeof(text), "process %d (rank %ld)", target->pid, target->rank);
    } else {
        snprintf(text, sizeof(text), "process %d", target->pid);
    }
    return text;
}

static const char *format_time(uint64_t ns, char *text, size_t room) {
    if (ns < 100000000) {
        snprintf(text, room, "%.1f ms", (double)ns / 1e6);
    } else {
        snprintf(text, room, "%.2f s", (double)ns / 1e9);
    }
    return text;
}

/* Prints the answer of a process to an order. Returns whether the process obeyed. */
static bool print_answer(const struct pinsight_ctl_target *target) {
    const struct pinsight_call *call = target->call;
    char result[16], message[4096], number[32], time[32];

    pinsight_call_value(call, "result", result, sizeof(result));
    pinsight_call_value(call, "message", message, sizeof(message));
    if (strcmp(result, "ok") == 0) {
        bool timed = pinsight_call_value(call, "effect_ns", number, sizeof(number));
        char *line = pinsight_format(
            "%s: %s%s%s", name_of(target), *message != '\0' ? message : "done",
            timed ? ", in effect after " : "",
            timed ? format_time(strtoull(number, NULL, 10), time, sizeof(time)) : "");
        put_rest(line, 0, 2);
        free(line);
        return true;
    }
    fflush(stdout);
    if (strcmp(result, "pending") == 0) {
        pinsight_error("%s: %s%sordered, and not in effect everywhere yet: it comes when its "
                       "threads run Python again",
                       name_of(target), message, *message != '\0' ? "; " : "");
    } else {
        pinsight_error("%s: %s", name_of(target), *message != '\0' ? message : "it failed");
    }
    return false;
}

/* Reports why there is no answer. */
static void report_call(const struct pinsight_ctl_target *target, int64_t wait_ms) {
    switch (target->call->state) {
    case PINSIGHT_CALL_GONE:
        pinsight_error("%s ended meanwhile", name_of(target));
        break;
    case PINSIGHT_CALL_FOREIGN:
    case PINSIGHT_CALL_REFUSED:
        pinsight_error("%s refuses: it runs as another user now", name_of(target));
        break;
    case PINSIGHT_CALL_FAILED:
        pinsight_error("%s cannot be asked: %s", name_of(target), strerror(target->call->error));
        break;
    default:
        pinsight_error("%s does not answer within %g s; it will do it when it can: it may be in "
                       "an introspection, which `pinsight ctl %d resume` ends, or be stopped",
                       name_of(target), (double)wait_ms / 1000, target->pid);
        break;
    }
}

/* Sends the order to the targets. Returns whether all obeyed. */
static bool give_order(const struct pinsight_ctl_options *options, struct pinsight_call *calls,
                       size_t call_count, struct pinsight_ctl_target *targets, size_t count) {
    bool all = true;

    /* Other processes will not be asked. */
    for (size_t i = 0; i < call_count; i++) {
        calls[i].state = PINSIGHT_CALL_GONE;
    }
    for (size_t i = 0; i < count; i++) {
        targets[i].call->state = PINSIGHT_CALL_WAITING;
    }
    /* The limit for the process itself, and some time for the answer. */
    int64_t wait_ms = options->wait_ms < 0 ? -1 : options->wait_ms + 1000;
    pinsight_calls_ask(calls, call_count, options->request, wait_ms);
    for (size_t i = 0; i < count; i++) {
        if (targets[i].call->state == PINSIGHT_CALL_ANSWERED) {
            all = print_answer(&targets[i]) && all;
        } else {
            fflush(stdout);
            report_call(&targets[i], options->wait_ms);
            all = false;
        }
    }
    return all;
}

int pinsight_cmd_ctl(int argc, char **argv) {
    static struct pinsight_ctl_options options;
    size_t call_count;
    bool missing;
    int status;

    if (!pinsight_ctl_options_read(&options, argc, argv, &status)) {
        return status;
    }
    struct pinsight_call *calls = pinsight_calls_find(&call_count);
    if (calls == NULL && errno != 0) {
        pinsight_error("/proc/net/unix cannot be read, which names the processes: %s",
                       strerror(errno));
        return 1;
    }
    struct pinsight_ctl_target *targets = calloc(call_count + 1, sizeof(*targets));
    if (targets == NULL) {
        pinsight_error("no memory");
        pinsight_calls_free(calls, call_count);
        return 1;
    }
    size_t count = pinsight_ctl_find(&options, calls, call_count, targets, &missing);
    bool all = !missing;
    if (options.action == PINSIGHT_CTL_STATUS) {
        for (size_t i = 0; i < count; i++) {
            print_status(&targets[i]);
        }
    } else if (options.action == PINSIGHT_CTL_DUMP) {
        all = pinsight_ctl_dump(&options, targets, count) && all;
    } else if (count > 0) {
        all = give_order(&options, calls, call_count, targets, count) && all;
    }
    free(targets);
    pinsight_calls_free(calls, call_count);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return pinsight_option_write_error();
    }
    return all ? 0 : 1;
}
