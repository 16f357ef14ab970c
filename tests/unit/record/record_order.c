/* No effect is told before its cause: two threads on two processors hand a word to each other, and
 * take their times as the recorder takes those of a cause, and of what ends a wait.
 * PINSIGHT_HAND_OVERS says how often. */
#include "unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/paths.h"
#include "format/folder.h"
#include "tracer/record/file/recording.h"
#include "tracer/record/stream.h"

struct shared {
    _Alignas(64) _Atomic uint64_t turn; /* whose it is: even the one's, odd the other's */
    _Atomic uint64_t told;              /* when it was handed over */
};

struct side {
    struct shared *shared;
    uint64_t parity, turns;
    int processor;
    uint64_t early, plain_early, earliest; /* effects before causes; and by a plain look */
};

static uint64_t cause(void) {
    return pinsight_recording.control->has_counter ? pinsight_stream_ticks()
                                                   : pinsight_recording_now(false);
}

static void *play(void *data) {
    struct side *side = data;
    struct shared *shared = side->shared;
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET((unsigned)side->processor, &one);
    pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
    for (uint64_t turn = side->parity; turn < side->turns; turn += 2) {
        unsigned looks = 0;

        while (atomic_load_explicit(&shared->turn, memory_order_acquire) != turn)
            if (++looks % 4096 == 0)
                sched_yield();
        uint64_t plain = cause();
        uint64_t effect = pinsight_recording_now(true);
        uint64_t told = atomic_load_explicit(&shared->told, memory_order_relaxed);

        side->plain_early += plain < told;
        if (effect < told) {
            side->early++;
            if (told - effect > side->earliest)
                side->earliest = told - effect;
        }
        atomic_store_explicit(&shared->told, cause(), memory_order_relaxed);
        atomic_store_explicit(&shared->turn, turn + 1, memory_order_release);
    }
    return NULL;
}

static void hand_overs(void **state) {
    const char *asked = getenv("PINSIGHT_HAND_OVERS");
    static struct shared shared;
    struct side sides[2];
    pthread_t threads[2];
    cpu_set_t all;
    int processors[2], found = 0;
    char output[] = "/tmp/pinsight-order-XXXXXX", why[1024], folder[PATH_MAX];

    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
    for (int i = 0; i < CPU_SETSIZE && found < 2; i++)
        if (CPU_ISSET((unsigned)i, &all))
            processors[found++] = i;
    if (found < 2)
        skip(); /* one processor has one counter */
    assert_non_null(mkdtemp(output));
    assert_int_equal(pinsight_file_folder_make(output, &pinsight_recording.owned, why, sizeof(why)),
                     0);
    assert_true(pinsight_file_folder_path(folder, output));
    int fd = pinsight_open_folder(AT_FDCWD, folder, 0);
    pinsight_recording.control = pinsight_file_control_map(fd);
    close(fd);
    pinsight_path_remove(output);
    assert_non_null(pinsight_recording.control);
    for (uint64_t i = 0; i < 2; i++) {
        sides[i] = (struct side){.shared = &shared,
                                 .parity = i,
                                 .turns = asked ? strtoull(asked, NULL, 10) : 20000,
                                 .processor = processors[i]};
        assert_int_equal(pthread_create(&threads[i], NULL, play, &sides[i]), 0);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    print_message("%llu hand-overs: %llu effects before causes (%llu ticks at most); %llu by a "
                  "plain look at the counter\n",
                  (unsigned long long)sides[0].turns,
                  (unsigned long long)(sides[0].early + sides[1].early),
                  (unsigned long long)(sides[0].earliest > sides[1].earliest ? sides[0].earliest
                                                                             : sides[1].earliest),
                  (unsigned long long)(sides[0].plain_early + sides[1].plain_early));
    assert_int_equal(sides[0].early + sides[1].early, 0);
}

int main(void) {
    return RUN_TESTS(hand_overs);
}
