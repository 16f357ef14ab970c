/* The budget of the recording; see budget.h. */
#include "tracer/python/budget.h"

#include "base/callback_price.h"
#include "tracer/core/clock.h"
#include "tracer/core/log.h"
#include "tracer/core/mode.h"
#include "tracer/core/resolve.h"
#include "tracer/python/balance.h"
#include "tracer/python/versions.h"

#include <limits.h>
#include <string.h>
#include <time.h>

/* A budget is in thousandths of a percent. */
#define WHOLE 100000.0

/* The timed callbacks from one look at the processor's clock to the next. */
#define PERIOD 16

/* The cost is judged over at least this much processor time. */
#define SHORTEST_NS 5000000.0

/* Something is done when the cost since the start has used up this part of the budget, and the cost
 * since the last look exceeds the second part. The latter is also the aim. */
#define NEARLY 0.8
#define AIM 0.5

/* A function is left out only if it has this many samples: one stands for 2,000 calls. */
#define FEWEST_SAMPLES 2

/* The part of the samples to be removed that counts as much. */
#define MUCH 0.25

/* The recording ends after this many looks that found too high a cost and little to leave out. A
 * look that leaves much out makes up for some of them, because the next one may, too. */
#define VAIN_LOOKS 20
#define VAIN_LOOKS_FORGIVEN 4

/* The functions and callables with the most samples. One without a place takes a sample from each
 * of the others, so that frequent ones stay (Misra and Gries, 1982). */
#define CANDIDATES 64
struct budget_candidate {
    struct pinsight_python_lexgion *lexgion;
    uint32_t samples;
};

static struct {
    struct budget_candidate top[CANDIDATES];
    uint32_t samples;             /* all of them, also of those without a place */
    double start_ns;              /* processor time of the process at the start */
    double cost_ns, processor_ns; /* at the last look that judged */
    unsigned vain;
    unsigned timed; /* callbacks */
    bool is_high;   /* at that look */
    bool started;
    char rule[PATH_MAX + 16]; /* the place of the setting */
} budget;

static double processor_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

void pinsight_budget_read_settings(void) {
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    uint32_t wanted =
        pinsight_resolve_budget(&pinsight_python_domain, budget.rule, sizeof budget.rule);
    bool can = PINSIGHT_HAS_MONITORING && PINSIGHT_HAS_GIL;
    if (wanted && !can)
        pinsight_log_once(&once,
                          "budget has no effect in this process: it needs CPython 3.12 or later, "
                          "with a GIL");
    pinsight_python.budget = can ? wanted : 0;
    if (pinsight_python.budget && !budget.started) {
        budget.started = true;
        budget.start_ns = processor_ns();
    }
}

/* Adds a sample of a function or callable that begins. */
static void add_sample(struct pinsight_python_lexgion *lexgion) {
    struct budget_candidate *place = NULL;
    budget.samples++;
    if (lexgion->state.ask_each || lexgion->state.over_budget)
        return;
    for (struct budget_candidate *at = budget.top; at < budget.top + CANDIDATES; at++) {
        if (at->samples && at->lexgion == lexgion) {
            at->samples++;
            return;
        }
        place = at->samples ? place : at;
    }
    if (place)
        *place = (struct budget_candidate){lexgion, 1};
    else
        for (struct budget_candidate *at = budget.top; at < budget.top + CANDIDATES; at++)
            at->samples--;
}

void pinsight_budget_forget(const struct pinsight_python_lexgion *lexgion) {
    for (struct budget_candidate *at = budget.top; at < budget.top + CANDIDATES; at++)
        if (at->samples && at->lexgion == lexgion)
            at->samples = 0;
}

void pinsight_budget_fork_child(void) {
    memset(budget.top, 0, sizeof budget.top);
    budget.samples = budget.vain = 0;
    budget.is_high = false;
    budget.start_ns = budget.cost_ns = budget.processor_ns = 0; /* its processor time starts at 0 */
}

/* Returns the cost of the recording since the start, in ns. */
static double cost_ns(void) {
    const struct pinsight_callback_cost *cost = &pinsight_python.cost;
    const struct pinsight_callback_price *price = pinsight_callback_price("CPython " PY_VERSION);
    const struct pinsight_callback_kinds kinds = {
        cost->kinds[PINSIGHT_CALLBACK_FUNCTION], cost->kinds[PINSIGHT_CALLBACK_GENERATOR],
        cost->kinds[PINSIGHT_CALLBACK_UNWIND],   cost->kinds[PINSIGHT_CALLBACK_CALL],
        cost->kinds[PINSIGHT_CALLBACK_OPERATOR], cost->kinds[PINSIGHT_CALLBACK_EXCEPTION]};
    double callback = pinsight_callback_mean(cost) * pinsight_clock_rate() +
                      pinsight_callback_price_made(price, &kinds);
    return (double)pinsight_callback_count(cost) * callback + (double)cost->met * price->met +
           (double)cost->tasks * price->task +
           (double)atomic_load(&pinsight_python.engine.recorded_bytes) * price->byte +
           (double)pinsight_python.imported * price->import + price->start;
}

/* Leaves out the most frequent functions and callables, until `part` of the samples has gone away.
 * Returns whether this removed much of it. */
static bool leave_out(double part) {
    double wanted = part * budget.samples, left = wanted;
    while (left > 0) {
        struct budget_candidate *most = budget.top;
        for (struct budget_candidate *at = budget.top; at < budget.top + CANDIDATES; at++)
            most = at->samples > most->samples ? at : most;
        if (most->samples < FEWEST_SAMPLES)
            break;
        most->lexgion->numbered_version = 0;
        pinsight_lexgion_leave_out(&pinsight_python.engine, &most->lexgion->state, budget.rule);
        left -= most->samples;
        budget.samples -= most->samples;
        most->samples = 0;
    }
    return left <= (1 - MUCH) * wanted;
}

static void look(void) {
    double limit = pinsight_python.budget / WHOLE, now = processor_ns() - budget.start_ns;
    if (!pinsight_python.budget || pinsight_python.applied != PINSIGHT_MODE_TRACING ||
        now - budget.processor_ns < SHORTEST_NS)
        return;
    double cost = cost_ns(), recent = cost - budget.cost_ns;
    double program = now - cost > 0 ? now - cost : 0;
    double recent_program = now - budget.processor_ns - recent;
    budget.is_high = cost > NEARLY * limit * program && recent > AIM * limit * recent_program;
    budget.cost_ns = cost;
    budget.processor_ns = now;
    if (!budget.is_high || recent <= limit * recent_program)
        budget.vain = 0;
    if (budget.is_high && leave_out(1 - AIM * limit * recent_program / recent))
        budget.vain -= budget.vain < VAIN_LOOKS_FORGIVEN ? budget.vain : VAIN_LOOKS_FORGIVEN;
    else if (budget.is_high && recent > limit * recent_program && cost > limit * program)
        budget.vain++;
    for (struct budget_candidate *at = budget.top; at < budget.top + CANDIDATES; at++)
        at->samples /= 2;
    budget.samples /= 2;
    if (budget.vain < VAIN_LOOKS)
        return;
    pinsight_python.budget = 0;
    pinsight_domain_set_mode(&pinsight_python_domain, PINSIGHT_MODE_STANDBY, "budget");
}

bool pinsight_budget_sample(const struct pinsight_python_thread *thread, uint32_t depth) {
    bool begins = thread && thread->depth == depth + 1;
    if (begins)
        add_sample(pinsight_entry_lexgion(&thread->entries[depth]));
    if (++budget.timed % PERIOD == 0)
        look();
    return !begins && budget.is_high;
}
