/* A process beside this one that is not its child. The helper is this program, started again. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tracer/core/helper.h"

extern char **environ;

static char self[4096];
static char *const clean[] = {"ONE=1", NULL};
static volatile sig_atomic_t signalled;

static void on_child(int number) {
    (void)number;
    signalled++;
}

/* ---- the helper ---- */

static int open_descriptors(void) {
    int open = 0;
    for (int fd = 0; fd < 1024; fd++) {
        open += fcntl(fd, F_GETFD) >= 0;
    }
    return open;
}

static int be_helper(void) {
    char packet[64], text[256];
    struct sigaction action;
    sigset_t mask;
    int ignored = 0, blocked = 0;

    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (int number = 1; number <= 64; number++) {
        ignored += sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
        blocked += sigismember(&mask, number) == 1;
    }
    snprintf(text, sizeof(text), "fds %d ignored %d blocked %d variables %s ppid %d",
             open_descriptors(), ignored, blocked, environ[0] && !environ[1] ? environ[0] : "wrong",
             (int)getppid());
    send(3, text, strlen(text), 0);
    while (recv(3, packet, sizeof(packet), 0) > 0) {
        send(3, packet, 1, 0);
    }
    return 0;
}

/* ---- the program ---- */

static void start(struct pinsight_helper *helper) {
    char *words[] = {self, "--helper", NULL};

    assert_int_equal(pinsight_helper_start(helper, words, clean), 0);
}

static void assert_no_child(void) {
    siginfo_t gone = {0};

    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    assert_int_equal(waitid(P_ALL, 0, &gone, WEXITED | WNOHANG), -1);
    assert_int_equal(signalled, 0);
}

/* As many as before. LTTng's threads look for a daemon when a program starts, each with a socket
 * for a moment, so that `before` may be one or two too high, or this count for a while. */
static void assert_descriptors(int before) {
    const struct timespec moment = {.tv_nsec = 1000000};

    for (int i = 0; i < 5000 && open_descriptors() > before; i++) {
        nanosleep(&moment, NULL);
    }
    assert_in_range(open_descriptors(), 3, before);
}

/* Waits for the helper's last breath: its end of the pair is closed. */
static void assert_ends(struct pinsight_helper *helper, int fd) {
    struct pollfd wait = {.fd = fd, .events = POLLIN};

    (void)helper;
    shutdown(fd, SHUT_WR);
    assert_int_equal(poll(&wait, 1, 5000), 1);
    assert_int_equal(recv(fd, &wait, sizeof(wait), 0), 0);
    close(fd);
}

static void talk(struct pinsight_helper *helper) {
    char text[256] = "";
    int parent = 0;

    ssize_t n = pinsight_helper_receive(helper, text, sizeof(text) - 1, 5000);
    assert_true(n > 0);
    text[n] = '\0';
    char *about = strstr(text, " ppid ");
    assert_non_null(about);
    parent = atoi(about + 6);
    *about = '\0';
    assert_string_equal(text, "fds 4 ignored 0 blocked 0 variables ONE=1");
    assert_int_not_equal(parent, getpid());
    assert_int_equal(pinsight_helper_receive(helper, text, sizeof(text), 0), 0);
    assert_true(pinsight_helper_send(helper, "x", 1));
    assert_int_equal(pinsight_helper_receive(helper, text, sizeof(text), 5000), 1);
    assert_int_equal(text[0], 'x');
}

static void test_not_our_child(void **state) {
    struct pinsight_helper helper;

    (void)state;
    signalled = 0;
    int before = open_descriptors();
    start(&helper);
    assert_no_child();
    talk(&helper);
    assert_no_child();
    int fd = dup(helper.fd);
    pinsight_helper_end(&helper);
    assert_ends(&helper, fd);
    assert_no_child();
    assert_descriptors(before);
}

static void test_with_sigchld_ignored(void **state) {
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    test_not_our_child(state);
    signal(SIGCHLD, on_child);
}

/* Orphans are given to this process: the helper must not be among them. */
static void test_subreaper(void **state) {
    const struct timespec moment = {.tv_nsec = 1000000};

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (int i = 0; i < 12; i++) { /* more than there is room for reapers that ended */
        test_not_our_child(state);
    }
    /* Neither is a helper that was killed. */
    struct pinsight_helper helper;
    start(&helper);
    talk(&helper);
    pid_t reaper = helper.reaper;
    assert_true(reaper > 0);
    kill(reaper, SIGKILL);
    for (int i = 0; i < 50; i++) {
        nanosleep(&moment, NULL);
    }
    pinsight_helper_end(&helper);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    while (waitpid(-1, NULL, 0) > 0) { /* who kills a reaper gets its orphan */
    }
    signalled = 0;
}

static void test_program_without_std_descriptors(void **state) {
    struct pinsight_helper helper;
    int kept[3];

    (void)state;
    for (int fd = 0; fd < 3; fd++) {
        kept[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 50);
        close(fd);
    }
    start(&helper);
    char text[256];
    ssize_t n = pinsight_helper_receive(&helper, text, sizeof(text), 5000);
    pinsight_helper_end(&helper);
    for (int fd = 0; fd < 3; fd++) {
        dup2(kept[fd], fd);
        close(kept[fd]);
    }
    assert_true(n > 6);
    assert_memory_equal(text, "fds 4 ", 6);
}

static void test_cannot_start(void **state) {
    static const struct {
        char *path;
        int error;
    } cases[] = {{"/no-such-place", ENOENT}, {"/etc/passwd", EACCES}, {"/", EACCES}};
    struct pinsight_helper helper;
    int before = open_descriptors();

    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        prctl(PR_SET_CHILD_SUBREAPER, keep);
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
            char *words[] = {cases[i].path, NULL};
            assert_int_equal(pinsight_helper_start(&helper, words, clean), cases[i].error);
            assert_int_equal(helper.fd, -1);
            assert_no_child();
        }
    }
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    assert_descriptors(before);
}

/* A program that closes descriptors that are not its own. */
static void test_descriptor_taken(void **state) {
    struct pinsight_helper helper;
    char text[256];
    int pair[2];

    (void)state;
    start(&helper);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    assert_int_equal(dup2(pair[0], helper.fd), helper.fd);
    assert_false(pinsight_helper_send(&helper, "x", 1));
    assert_int_equal(pinsight_helper_receive(&helper, text, sizeof(text), 1000), -1);
    int fd = helper.fd;
    pinsight_helper_end(&helper);
    assert_true(fcntl(fd, F_GETFD) >= 0); /* it is the program's */
    assert_int_equal(recv(pair[1], text, sizeof(text), MSG_DONTWAIT), -1);
    close(fd);
    close(pair[0]);
    close(pair[1]);
    assert_no_child();
}

static void test_few_descriptors(void **state) {
    struct rlimit limit, low;

    getrlimit(RLIMIT_NOFILE, &limit);
    low = limit;
    low.rlim_cur = 64;
    setrlimit(RLIMIT_NOFILE, &low);
    test_not_our_child(state);
    setrlimit(RLIMIT_NOFILE, &limit);
}

static void test_forked_child(void **state) {
    struct pinsight_helper helper;

    (void)state;
    start(&helper);
    int fd = dup(helper.fd);
    pid_t child = fork();
    if (child == 0) {
        close(fd);
        pinsight_helper_forget(&helper);
        sleep(30);
        _exit(0);
    }
    pinsight_helper_end(&helper);
    char text[256];
    recv(fd, text, sizeof(text), 0);
    assert_ends(&helper, fd); /* though the child is there */
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    signalled = 0;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--helper") == 0) {
        return be_helper();
    }
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[n > 0 ? n : 0] = '\0';
    signal(SIGCHLD, on_child);
    return RUN_TESTS(test_not_our_child, test_with_sigchld_ignored, test_subreaper,
                     test_program_without_std_descriptors, test_cannot_start, test_descriptor_taken,
                     test_few_descriptors, test_forked_child);
}
