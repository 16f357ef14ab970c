/* Whether threads are scarce. */
#include "unit.h"

#include "tracer/core/thread_limit.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a child of that user, which may have so many processes. */
static bool are_scarce(uid_t user, rlim_t most) {
    struct rlimit limit;
    int status = 0;

    assert_int_equal(getrlimit(RLIMIT_NPROC, &limit), 0);
    limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
    pid_t pid = fork();

    if (pid == 0) {
        if (setrlimit(RLIMIT_NPROC, &limit) != 0 || setuid(user) != 0)
            _exit(2);
        _exit(pinsight_thread_limit_is_near());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 2)
        skip(); /* that user may not be taken here */
    return WEXITSTATUS(status) == 1;
}

static void test_scarce(void **state) {
    uid_t user = getuid() ? getuid() : 65534;
    (void)state;

    if (getuid() == 0)
        assert_false(are_scarce(0, 8)); /* root has no limit */
    assert_true(are_scarce(user, 8));
    assert_false(are_scarce(user, 1u << 20)); /* or as many as anybody may have here */
}

int main(void) {
    return RUN_TESTS(test_scarce);
}
