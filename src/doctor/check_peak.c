/* Measures the floating-point peak of the processor, and keeps it for reports. Operations are
 * divided by processor time, so other programs on the machine matter little. */
#include "base/machine.h"
#include "base/peak.h"
#include "doctor/checks.h"
#include "doctor/peak_kernel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Each of the four measurements ends after WALL_NS, or if a thread has measured for WANTED_NS. */
#define WALL_NS UINT64_C(250000000)
#define WANTED_NS UINT64_C(100000000)
#define SLICE_NS UINT64_C(1000000)
/* Slices before the measurement, in which the clock of the processor rises. */
enum { WARM_UP = 20, THREADS_MAX = 4096 };

static const char area[] = "Processor";

/* Threads that measure at once. */
struct team {
    atomic_uint size, ready;
    atomic_bool is_over; /* one of them has ended: the others do not run beside all any more */
};

struct measuring {
    enum pinsight_precision precision;
    struct team *team; /* NULL: the thread is alone, and the best slice is its result */
    pthread_t thread;
    double mflops; /* the result */
};

static uint64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Returns the processor time of a number of rounds in ns, at least 1. */
static uint64_t slice(const struct measuring *measuring, uint64_t rounds) {
    uint64_t before = now(CLOCK_THREAD_CPUTIME_ID), ns;

    pinsight_peak_kernel()->run[measuring->precision](rounds);
    ns = now(CLOCK_THREAD_CPUTIME_ID) - before;
    return ns > 0 ? ns : 1;
}

/* Returns whether the clock of the processor has risen and the others have started. */
static bool is_warm(const struct team *team, unsigned slices) {
    return slices >= WARM_UP &&
           (team == NULL || atomic_load(&team->ready) >= atomic_load(&team->size));
}

static void *measure(void *data) {
    struct measuring *measuring = data;
    struct team *team = measuring->team;
    const double operations = pinsight_peak_kernel()->operations[measuring->precision];
    const uint64_t until = now(CLOCK_MONOTONIC) + WALL_NS;
    uint64_t rounds = 1000, all_ns = 0, all_rounds = 0;

    while (slice(measuring, rounds) < SLICE_NS)
        rounds *= 2;
    if (team != NULL)
        atomic_fetch_add(&team->ready, 1);
    for (unsigned i = 0; !is_warm(team, i) && now(CLOCK_MONOTONIC) < until; i++)
        slice(measuring, rounds);
    do {
        uint64_t ns = slice(measuring, rounds);
        double mflops = operations * (double)rounds * 1e3 / (double)ns;
        all_ns += ns;
        all_rounds += rounds;
        if (team != NULL)
            measuring->mflops = operations * (double)all_rounds * 1e3 / (double)all_ns;
        else if (mflops > measuring->mflops)
            measuring->mflops = mflops;
    } while (all_ns < WANTED_NS && now(CLOCK_MONOTONIC) < until &&
             !(team != NULL && atomic_load(&team->is_over)));
    if (team != NULL)
        atomic_store(&team->is_over, true);
    return NULL;
}

static double measure_one(enum pinsight_precision precision) {
    struct measuring one = {.precision = precision};

    measure(&one);
    return one.mflops;
}

/* Runs `wanted` threads at once. Returns how many could be started. */
static unsigned measure_all(enum pinsight_precision precision, unsigned wanted, double *mflops) {
    struct measuring *all = calloc(wanted, sizeof(*all));
    struct team team = {.size = wanted};
    unsigned started = 0;

    for (; all != NULL && started < wanted; started++) {
        all[started] = (struct measuring){.precision = precision, .team = &team};
        if (pthread_create(&all[started].thread, NULL, measure, &all[started]) != 0)
            break;
    }
    atomic_store(&team.size, started);
    *mflops = 0;
    for (unsigned i = 0; i < started; i++) {
        pthread_join(all[i].thread, NULL);
        *mflops += all[i].mflops;
    }
    free(all);
    return started;
}

static void keep(struct pinsight_findings *findings, const struct pinsight_peak *peak) {
    char path[PATH_MAX];
    bool is_there = pinsight_peak_path(peak->processor, path);
    int error = pinsight_peak_keep(peak);

    if (error == 0)
        pinsight_findings_add(findings, area, "peak_kept", PINSIGHT_FOUND_OK, NULL,
                              "kept for pinsight report --blas in %s", path);
    else
        pinsight_findings_add(findings, area, "peak_kept", PINSIGHT_FOUND_WARNING,
                              "set XDG_CACHE_HOME to a folder that you can write to",
                              "the peak could not be kept in %s: %s",
                              is_there ? path : "a folder of yours", strerror(error));
}

void pinsight_check_peak(struct pinsight_findings *findings) {
    static const char *const names[] = {[PINSIGHT_DOUBLE] = "double", [PINSIGHT_SINGLE] = "single"};
    static const char *const checks[] = {
        [PINSIGHT_DOUBLE] = "peak_double", [PINSIGHT_SINGLE] = "peak_single"};
    size_t processors = pinsight_machine_processors();
    struct pinsight_peak peak = {.processors = processors < THREADS_MAX ? processors : THREADS_MAX};

    findings->measured = true;
    pinsight_processor_model(peak.processor, sizeof(peak.processor));
    pinsight_findings_add(findings, area, "processor", PINSIGHT_FOUND_OK, NULL,
                          "%s; measured with %s", peak.processor, pinsight_peak_kernel()->name);
    for (unsigned i = 0; i < PINSIGHT_PRECISIONS; i++) {
        double one = measure_one(i), all = one;
        if (peak.processors > 1)
            peak.processors = measure_all(i, (unsigned)peak.processors, &all);
        peak.one_mflops[i] = (uint64_t)one;
        peak.all_mflops[i] = (uint64_t)(all > one ? all : one);
        peak.processors = peak.processors > 0 ? peak.processors : 1;
        char more[64] = "";
        if (peak.processors > 1)
            snprintf(more, sizeof(more), ", %.1f GFLOP/s on %u", (double)peak.all_mflops[i] / 1e3,
                     (unsigned)peak.processors);
        pinsight_findings_add(findings, area, checks[i], PINSIGHT_FOUND_OK, NULL,
                              "%s precision: %.1f GFLOP/s on one processor%s", names[i], one / 1e3,
                              more);
    }
    keep(findings, &peak);
}
