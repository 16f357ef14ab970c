/* What pinsight-introspect says, and when it ends, where there is no session. */
#include "unit.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/introspect_protocol.h"

static int fd; /* our end of the pair */
static pid_t helper;

static void start(const char *session) {
    int pair[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    fd = pair[0];
    helper = fork();
    if (helper == 0) {
        dup2(pair[1], PINSIGHT_INTROSPECT_FD + 100);
        dup2(PINSIGHT_INTROSPECT_FD + 100, PINSIGHT_INTROSPECT_FD);
        close(PINSIGHT_INTROSPECT_FD + 100);
        setenv("LTTNG_HOME", "/no-such-place", 1);
        execl(getenv("PINSIGHT_HELPER"), "pinsight-introspect", session, "/tmp", "1", NULL);
        _exit(126);
    }
    close(pair[1]);
}

static int ended(void) {
    int status = -1;

    assert_int_equal(waitpid(helper, &status, 0), helper);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void assert_no_chunk(void) {
    char packet[PINSIGHT_INTROSPECT_PACKET_MAX + 1];
    struct pollfd wait = {.fd = fd, .events = POLLIN};

    assert_int_equal(poll(&wait, 1, 8000), 1);
    ssize_t n = recv(fd, packet, sizeof(packet) - 1, 0);
    assert_true(n > 1);
    packet[n] = '\0';
    assert_int_equal(packet[0], PINSIGHT_INTROSPECT_NO_CHUNK);
    assert_non_null(strstr(packet, "the session cannot be rotated: "));
}

static void test_no_session(void **state) {
    static const char packet[] = "r/bin/true\0-";
    char answer[16];

    (void)state;
    start("pinsight-no-such-session");
    assert_no_chunk();
    send(fd, packet, sizeof(packet) - 1, 0); /* no script without a chunk */
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&wait, 1, 200), 0);
    send(fd, "s", 1, 0);
    assert_int_equal(ended(), 0);
    assert_int_equal(recv(fd, answer, sizeof(answer), 0), 0);
    close(fd);
}

static void test_program_ends(void **state) {
    (void)state;
    start("pinsight-no-such-session");
    close(fd);
    assert_int_equal(ended(), 0);
    start("pinsight-no-such-session");
    assert_no_chunk();
    close(fd);
    assert_int_equal(ended(), 0);
}

static void test_nonsense(void **state) {
    (void)state;
    start("pinsight-no-such-session");
    assert_no_chunk();
    send(fd, "?", 1, 0);
    send(fd, "r", 1, 0);
    send(fd, "rx", 2, 0);
    send(fd, "s", 1, 0);
    assert_int_equal(ended(), 0);
    close(fd);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    if (getenv("PINSIGHT_HELPER") == NULL) {
        puts("PINSIGHT_HELPER is not set: run this with ctest");
        return 77;
    }
    return RUN_TESTS(test_no_session, test_program_ends, test_nonsense);
}
