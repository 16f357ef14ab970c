/* Telling the processes of a run that their session was rotated. The processes are children here.
 */
#include "unit.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "introspect/notify.h"

enum { PATIENCE_MS = 6000 };

struct process {
    int listener;
    char served[32]; /* the number in its socket's name */
};

static void listen_as(struct process *process, int number) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char name[64];

    snprintf(process->served, sizeof(process->served), "%d", number);
    snprintf(name, sizeof(name), "pinsight-ctl/%d/%08x", number, (unsigned)getpid());
    memcpy(address.sun_path + 1, name, strlen(name));
    process->listener = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(process->listener, (struct sockaddr *)&address,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))),
                     0);
}

/* Takes one request, answers it, and returns its first letter; 0 if none came within the time. */
static char take(struct process *process, const char *reply, int patience_ms) {
    struct pollfd wait = {.fd = process->listener, .events = POLLIN};
    struct sockaddr_un from;
    socklen_t size = sizeof(from);
    char request[64] = "", answer[128];

    if (poll(&wait, 1, patience_ms) != 1) {
        return 0;
    }
    assert_true(recvfrom(process->listener, request, sizeof(request) - 1, 0,
                         (struct sockaddr *)&from, &size) > 0);
    if (reply != NULL) {
        /* With the line `id` of the request, which stands at its end. */
        int length = snprintf(answer, sizeof(answer), "%s%s", reply, strstr(request, "id "));
        assert_true(sendto(process->listener, answer, (size_t)length, 0, (struct sockaddr *)&from,
                           size) > 0);
    }
    return request[0];
}

static void test_tell(void **state) {
    struct process served, same, another, deaf, longer;
    int base = 100000000 + (int)getpid();

    (void)state;
    listen_as(&served, base);
    listen_as(&same, base + 400000000);
    listen_as(&another, base + 500000000);
    listen_as(&deaf, base + 600000000);
    listen_as(&longer, base + 700000000);
    pinsight_notify_others("run-1", served.served);
    assert_int_equal(take(&same, "result ok\npid 1\nsession run-1\noutput /tmp\n", PATIENCE_MS),
                     's');
    assert_int_equal(take(&another, "result ok\nsession run-2\n", PATIENCE_MS), 's');
    assert_int_equal(take(&longer, "result ok\nsession run-11\n", PATIENCE_MS), 's');
    assert_int_equal(take(&deaf, NULL, PATIENCE_MS), 's');
    assert_int_equal(take(&same, "result ok\n", PATIENCE_MS), 'd');
    assert_int_equal(waitpid(-1, NULL, 0) > 0, 1); /* it is done */
    assert_int_equal(take(&served, "", 0), 0);
    assert_int_equal(take(&another, "", 0), 0);
    assert_int_equal(take(&longer, "", 0), 0);
    assert_int_equal(take(&deaf, "", 0), 0);
}

static void test_nobody(void **state) {
    (void)state;
    pinsight_notify_others("run-1", "1");
    int status = -1;
    assert_true(waitpid(-1, &status, 0) > 0);
    assert_int_equal(status, 0);
}

int main(void) {
    /* Sockets of our own: processes that are traced elsewhere on this machine ask each other too.
     */
    if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) {
        perror("no network namespace, so others may disturb this test");
    }
    return RUN_TESTS(test_tell, test_nobody);
}
