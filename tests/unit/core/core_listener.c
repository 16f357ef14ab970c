/* The thread that answers `pinsight ctl`: many who ask at once, and a socket that is taken away. */
#include "threads.h"

#include "base/ctl.h"
#include "tracer/core/control.h"
#include "tracer/core/domain.h"
#include "tracer/core/process.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ASKERS = 6, QUESTIONS = 40, HIGHEST_FD = 400 };

static struct pinsight_domain python = {.name = "Python"};

/* The name of this process's socket, from /proc; false if there is none. */
static bool find_name(char *name, size_t room) {
    FILE *file = fopen("/proc/net/unix", "re");
    char line[512];
    bool found = false;

    while (file && !found && fgets(line, sizeof line, file)) {
        char *at = strstr(line, "@" PINSIGHT_CTL_PREFIX);
        line[strcspn(line, "\n")] = '\0';
        found = at && pinsight_ctl_name_pid(at + 1) == (int)getpid();
        if (found)
            snprintf(name, room, "%s", at + 1);
    }
    if (file)
        fclose(file);
    return found;
}

static struct sockaddr_un address_of(const char *name, socklen_t *length) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    memcpy(address.sun_path + 1, name, strlen(name));
    *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
    return address;
}

/* Sends a request, and gives what comes back within 10 s in `reply`; false if nothing does. */
static bool ask(const char *name, const char *request, char *reply, size_t room) {
    struct sockaddr_un own = {.sun_family = AF_UNIX};
    struct timeval patience = {.tv_sec = 10};
    socklen_t length;
    struct sockaddr_un address = address_of(name, &length);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ssize_t n = -1;

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (bind(fd, (struct sockaddr *)&own, sizeof own.sun_family) == 0 &&
        sendto(fd, request, strlen(request), 0, (struct sockaddr *)&address, length) >= 0)
        n = recv(fd, reply, room - 1, 0);
    close(fd);
    reply[n > 0 ? n : 0] = '\0';
    return n > 0;
}

static char the_name[PINSIGHT_CTL_NAME_ROOM];

static void *ask_often(void *data) {
    static const char *const requests[] = {
        "status\nid 1\n",
        "mode\nmode Python=STANDBY\nid 1\n",
        "mode\nmode Python=TRACING\nid 1\n",
        "resume\nid 1\n",
        "define\nid 1\n",
        "frobnicate\nid 1\n",
    };
    char reply[4096];
    long *answered = data;

    for (int i = 0; i < QUESTIONS; i++)
        *answered += ask(the_name, requests[i % 6], reply, sizeof reply) &&
                     strncmp(reply, "result ", 7) == 0 && strstr(reply, "\nid 1\n");
    return NULL;
}

static void many_ask_at_once(void **state) {
    long answered[ASKERS] = {0};

    (void)state;
    assert_true(find_name(the_name, sizeof the_name));
    threads_run(ASKERS, ask_often, answered, sizeof(*answered));
    for (int i = 0; i < ASKERS; i++)
        assert_int_equal(answered[i], QUESTIONS);
}

/* The number of the socket, or -1. */
static int find_fd(const char *name) {
    for (int fd = 3; fd < HIGHEST_FD; fd++) {
        struct sockaddr_un address = {0};
        socklen_t length = sizeof address - 1;
        if (getsockname(fd, (struct sockaddr *)&address, &length) == 0 &&
            address.sun_family == AF_UNIX && strcmp(address.sun_path + 1, name) == 0)
            return fd;
    }
    return -1;
}

static void a_socket_that_is_closed_is_replaced(void **state) {
    char first[PINSIGHT_CTL_NAME_ROOM], second[PINSIGHT_CTL_NAME_ROOM], reply[4096];

    (void)state;
    assert_true(find_name(first, sizeof first));
    int fd = find_fd(first);
    assert_true(fd >= 100);
    usleep(200000); /* it waits for the next one, and so holds the socket that is closed here */
    /* The program has something else there. Not dup2(3): to a sanitizer, that it is not
     * synchronised with the listener would be a mistake; here it is the point. */
    assert_int_equal(syscall(SYS_dup3, STDIN_FILENO, fd, 0), fd);
    assert_true(ask(first, "status\n", reply, sizeof reply));
    assert_int_equal(strncmp(reply, "result ok\n", 10), 0);
    assert_true(find_name(second, sizeof second));
    assert_string_not_equal(first, second);
    assert_true(ask(second, "status\n", reply, sizeof reply));
    assert_int_equal(find_fd(first), -1);
    assert_true(find_fd(second) >= 100 && find_fd(second) != fd);
    assert_int_equal(syscall(SYS_close, fd), 0); /* the program's still */
}

static void the_answer_says_what_changed(void **state) {
    char name[PINSIGHT_CTL_NAME_ROOM], reply[4096];

    (void)state;
    assert_true(find_name(name, sizeof name));
    assert_true(ask(name, "mode\nmode Python=OFF\n", reply, sizeof reply));
    assert_true(ask(name, "mode\nmode python=monitoring\nid x\n", reply, sizeof reply));
    assert_non_null(strstr(reply, "result ok\nid x\n"));
    assert_non_null(strstr(reply, "\nmessage Python OFF -> MONITORING\n"));
    assert_non_null(strstr(reply, "\neffect_ns "));
    assert_true(ask(name, "status\n", reply, sizeof reply));
    assert_non_null(strstr(reply, "\ndomain Python MONITORING\n"));
    assert_true(ask(name, "stop\n", reply, sizeof reply));
    assert_non_null(strstr(reply, "MONITORING -> OFF\n"));
}

static int count_threads(void) {
    struct stat status;
    return stat("/proc/self/task", &status) == 0 ? (int)status.st_nlink - 2 : -1;
}

static void the_threads_leave_and_come_back(void **state) {
    char name[PINSIGHT_CTL_NAME_ROOM], reply[4096];

    (void)state;
    usleep(200000); /* what answered the last order ends */
    int threads = count_threads();
    for (int round = 0; round < 100; round++) {
        pinsight_control_alone(true);
        assert_int_equal(count_threads(), threads - 2);
        pinsight_control_alone(false);
        assert_int_equal(count_threads(), threads);
        assert_true(find_name(name, sizeof name));
        assert_true(ask(name, "status\n", reply, sizeof reply));
        assert_int_equal(strncmp(reply, "result ok\n", 10), 0);
    }
    pinsight_control_alone(false); /* of nothing */
    assert_int_equal(count_threads(), threads);
}

static pid_t leave_in_a_child(void) {
    pid_t child = vfork();
    if (!child) {
        pinsight_control_alone(true);
        _exit(0);
    }
    return child;
}

static void not_in_a_child_that_shares_the_memory(void **state) {
    int threads = count_threads(), status;

    (void)state;
    assert_true(waitpid(leave_in_a_child(), &status, 0) > 0);
    assert_int_equal(status, 0);
    assert_int_equal(count_threads(), threads);
}

int main(void) {
    pinsight_process_start();
    pinsight_domain_register(&python);
    pinsight_control_start();
    return RUN_TESTS(many_ask_at_once, a_socket_that_is_closed_is_replaced,
                     the_answer_says_what_changed, the_threads_leave_and_come_back,
                     not_in_a_child_that_shares_the_memory);
}
