/* Reading in a child process, and its limits; see read_in_child.h. */
#include "reader/ctf/read_in_child.h"

#include "base/leftover.h"
#include "base/memory.h"
#include "base/spawn.h"
#include "base/units.h"
#include "reader/ctf/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The child's limit of memory beyond the process's present memory, and a further part of the
 * trace's size. */
#define MOST_MEMORY (UINT64_C(1) << 30)
#define MEMORY_PART 8

/* The child's limit of processor time without an event, and the addition for each MiB of the trace,
 * of which it makes an index first. Waiting for a disk takes no processor time and has a limit of
 * its own. */
#define MOST_CPU_MS 2000
#define CPU_MS_A_MIB 2
/* The child's limit of processor time in total. libbabeltrace2 reads a MiB in about 50 ms. Damaged
 * metadata can describe events without bytes, which have no end. */
#define MOST_TOTAL_MS 2500
#define TOTAL_MS_A_MIB 1000
#define MOST_WAIT_S 60
#define TICK_MS 100

/* The child's exit status if it lacked memory. */
#define STATUS_NO_MEMORY 77
/* With less room than this, a failure is due to memory. */
#define LEAST_ROOM (64u << 20)

enum child_ending { AS_ANNOUNCED, AS_ASKED, CRASHED, STUCK, ENDLESS };

struct child {
    ctf_reader *reader;
    const char *path;
    const struct ctf_groups *groups;
    uint64_t bytes;
    char *folder; /* for the child's files; NULL if it cannot be made */
    pid_t pid;
    int fd;
    uint64_t stopped_s; /* time after which the child was stopped */
};

/* ---- the child ---- */

static void on_abort(int number) {
    void *room = mmap(NULL, LEAST_ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (room == MAP_FAILED)
        _exit(STATUS_NO_MEMORY);
    signal(number, SIG_DFL);
    raise(number);
}

static void limit(uint64_t bytes) {
    struct rlimit memory = {.rlim_cur = RLIM_INFINITY}, none = {0};
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");

    if (file && fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) == 1 &&
        getrlimit(RLIMIT_DATA, &memory) == 0) {
        rlim_t most =
            (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + MOST_MEMORY + bytes / MEMORY_PART;

        if (most < memory.rlim_cur)
            memory.rlim_cur = most;
        setrlimit(RLIMIT_DATA, &memory);
    }
    if (file)
        fclose(file);
    setrlimit(RLIMIT_CORE, &none);
}

static int send(void *data, const struct pinsight_event *event) {
    return ctf_sender_add(data, event);
}

static _Noreturn void work(const struct child *child, int fd) {
    struct pinsight_source_result result = {0};
    struct ctf_sender sender = {.fd = fd, .result = &result};
    const struct pinsight_source_options options = {.on_event = send, .data = &sender};
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

    pinsight_signals_default();
    signal(SIGINT, SIG_IGN); /* the parent stops the reading */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGABRT, on_abort);
    if (nowhere >= 0)
        for (int to = STDIN_FILENO; to <= STDERR_FILENO; to++)
            dup2(nowhere, to);
    if (child->folder)
        setenv("TMPDIR", child->folder, 1);
    limit(child->bytes);
    ctf_sender_end(&sender,
                   child->reader(child->path, child->groups, child->bytes, &options, &result));
    _exit(0);
}

/* ---- the parent ---- */

static void make_folder(struct child *child) {
    const char *temporary = getenv("TMPDIR");
    sigset_t signals;

    child->folder =
        pinsight_format("%s/pinsight-read-XXXXXX", temporary && temporary[0] ? temporary : "/tmp");
    pinsight_leftover_block_signals(&signals);
    if (mkdtemp(child->folder)) {
        pinsight_leftover_note(child->folder);
    } else {
        free(child->folder);
        child->folder = NULL;
    }
    pinsight_leftover_unblock_signals(&signals);
}

static bool start(struct child *child) {
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    child->pid = pinsight_fork(SIGKILL);
    if (child->pid == 0) {
        close(ends[0]);
        work(child, ends[1]);
    }
    close(ends[1]);
    child->fd = ends[0];
    if (child->pid < 0)
        close(ends[0]);
    return child->pid > 0;
}

/* Returns the processor time of the child. */
static uint64_t cpu_ms(const struct child *child) {
    struct timespec time;
    clockid_t clock;

    if (clock_getcpuclockid(child->pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* Takes the child's data until it ends or has to be stopped. */
static enum child_ending take(struct child *child, struct ctf_receiver *receiver) {
    const struct pinsight_source_options *options = receiver->options;
    const uint64_t gib = child->bytes >> 30, mib = child->bytes >> 20;
    const uint64_t most_ms = MOST_CPU_MS + CPU_MS_A_MIB * mib;
    const uint64_t most_total_ms = MOST_TOTAL_MS + TOTAL_MS_A_MIB * mib;
    uint64_t since_ms = cpu_ms(child);
    unsigned ticks = 0;

    for (;;) {
        struct pollfd poll_fd = {.fd = child->fd, .events = POLLIN};
        int ready = poll(&poll_fd, 1, TICK_MS);
        enum ctf_transfer_state state = CTF_TRANSFER_MORE;

        if (options->stop && *options->stop) {
            receiver->result->stopped = true;
            return AS_ASKED;
        }
        if (ready > 0) {
            size_t room;
            unsigned char *to = ctf_receiver_room(receiver, &room);
            ssize_t came = read(child->fd, to, room);

            if (came == 0 || (came < 0 && errno != EINTR))
                return CRASHED;
            state = ctf_receiver_take(receiver, came > 0 ? (size_t)came : 0);
            since_ms = cpu_ms(child);
            ticks = 0;
        } else if (ready == 0) {
            ticks++;
        }
        if (state != CTF_TRANSFER_MORE)
            return state == CTF_TRANSFER_ENDED    ? AS_ANNOUNCED
                   : state == CTF_TRANSFER_ENOUGH ? AS_ASKED
                                                  : CRASHED;
        if (cpu_ms(child) >= since_ms + most_ms) {
            child->stopped_s = most_ms / 1000;
            return STUCK;
        }
        if (cpu_ms(child) >= most_total_ms) {
            child->stopped_s = most_total_ms / 1000;
            return ENDLESS;
        }
        if (ticks > (MOST_WAIT_S + MOST_WAIT_S * gib) * 1000 / TICK_MS) {
            child->stopped_s = MOST_WAIT_S + MOST_WAIT_S * gib;
            return STUCK;
        }
    }
}

/* Returns a text about the end of the child. */
static char *what_happened(const struct child *child, enum child_ending ending, int status) {
    if (ending == STUCK)
        return pinsight_format("gave no event for %" PRIu64 " s and was stopped", child->stopped_s);
    if (ending == ENDLESS)
        return pinsight_format("took %" PRIu64 " s of processor time and was stopped",
                               child->stopped_s);
    if (status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NO_MEMORY)
        return pinsight_format("took more than %s of memory and was stopped",
                               pinsight_units_size(MOST_MEMORY + child->bytes / MEMORY_PART).text);
    if (status >= 0 && WIFSIGNALED(status))
        return pinsight_format("crashed (%s)", strsignal(WTERMSIG(status)));
    return pinsight_format("ended too early (exit status %d)",
                           status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

/* Reports in one sentence why the reading ended early. */
static int close_early(const struct child *child, char *what,
                       struct pinsight_source_result *result) {
    if (result->events)
        pinsight_source_warn(
            result,
            pinsight_format("libbabeltrace2, which reads the trace in %s because PInsight's own "
                            "decoder does not know its form, %s: the trace is damaged; its part "
                            "before that is reported, record it again for the rest",
                            child->path, what));
    else
        result->error = pinsight_format("the trace in %s cannot be read: libbabeltrace2, which "
                                        "reads what PInsight's own decoder does not know, %s. The "
                                        "trace is damaged; record it again",
                                        child->path, what);
    free(what);
    return result->events ? 0 : -1;
}

/* Ends the child. Returns the reading's result. */
static int finish(struct child *child, enum child_ending ending,
                  const struct ctf_receiver *receiver) {
    struct pinsight_source_result *result = receiver->result;
    int status;

    kill(child->pid, SIGKILL); /* no effect if it has ended itself */
    close(child->fd);
    status = pinsight_reap(child->pid);
    if (ending == AS_ASKED)
        return 0;
    if (ending != AS_ANNOUNCED)
        return close_early(child, what_happened(child, ending, status), result);
    if (receiver->rc && result->events) {
        char *what = pinsight_format("failed (%s)", result->error);

        free(result->error);
        result->error = NULL;
        return close_early(child, what, result);
    }
    return receiver->rc;
}

int ctf_read_in_child(ctf_reader *reader, const char *path, const struct ctf_groups *groups,
                      uint64_t bytes, const struct pinsight_source_options *options,
                      struct pinsight_source_result *result) {
    struct child child = {.reader = reader, .path = path, .groups = groups, .bytes = bytes};
    struct ctf_receiver receiver = {.options = options, .result = result};
    int rc = -1;

    make_folder(&child);
    if (start(&child))
        rc = finish(&child, take(&child, &receiver), &receiver);
    else
        result->error = pinsight_format("no process could be made to read the trace in %s: %s; "
                                        "end other programs, or raise the limit of processes",
                                        path, strerror(errno));
    if (child.folder) {
        pinsight_leftover_forget(child.folder);
        pinsight_leftover_remove_tree(child.folder);
    }
    free(child.folder);
    ctf_receiver_clear(&receiver);
    return rc;
}
