/* Signal handlers that call only functions that are safe in a handler. */
#include "cli/view_signals.h"

#include "base/leftover.h"
#include "base/mapping.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t damaged_status = 1;

static void on_interrupt(int number) {
    (void)number;
    if (interrupted) {
        pinsight_leftover_remove();
        _exit(130);
    }
    interrupted = 1;
}

static void on_stop(int number) {
    (void)number;
    interrupted = 1;
}

static void print(const char *text) {
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

    (void)ignored;
}

/* Removes temporary files, and ends the process by the signal once the handler returns. */
static void on_end(int number) {
    sigset_t set;

    pinsight_leftover_remove();
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Reports a file of the trace that has become shorter: a mapped page does not exist any more
 * (mmap(2), "Signals"). */
static void on_bus_error(int number, siginfo_t *info, void *context) {
    static char path[PATH_MAX];

    (void)context;
    if (info->si_code != BUS_ADRERR || !pinsight_mapping_file(info->si_addr, path, sizeof(path))) {
        on_end(number);
        return;
    }
    pinsight_leftover_remove();
    print("pinsight: ");
    print(path);
    print(" became shorter while it was read, or its disk failed: something else writes to the "
          "trace; let that end, and read it again\n");
    _exit(damaged_status);
}

/* Installs a handler that works even if the stack is full. */
static void handle(const int *numbers, size_t count, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART | SA_ONSTACK}, old;

    for (size_t i = 0; i < count; i++)
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

void pinsight_view_guard(int status) {
    static const int crashes[] = {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGTRAP};
    static char stack[1 << 16];

    damaged_status = status;
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof(stack)}, NULL);
    handle(crashes, sizeof(crashes) / sizeof(crashes[0]), on_end);
    sigaction(
        SIGBUS,
        &(struct sigaction){.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK},
        NULL);
}

const volatile sig_atomic_t *pinsight_view_signals(void) {
    /* A write that waits for a slow reader continues after the signal; otherwise it would fail. */
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    static const int ends[] = {SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2};

    sigaction(SIGINT, &action, NULL);
    handle(ends, sizeof(ends) / sizeof(ends[0]), on_end);
    pinsight_view_guard(1);
    /* A closed pipe and a size limit become errors of writing, like a full disk. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    return &interrupted;
}

void pinsight_view_signals_stop(void) {
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP};

    handle(stops, sizeof(stops) / sizeof(stops[0]), on_stop);
}
