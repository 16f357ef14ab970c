/* Other profilers; see others.h. */
#include "tracer/cuda/others.h"

#include "base/got.h"
#include "tracer/cuda/cupti.h"

#include <stdatomic.h>
#include <stddef.h>

static void (*_Atomic yielding)(void);

static void yield_once(void) {
    void (*yield)(void) = atomic_exchange(&yielding, NULL);
    if (yield)
        yield();
}

static uint32_t subscribe(void **subscriber, cupti_callback callback, void *data) {
    yield_once();
    return pinsight_cupti.cuptiSubscribe(subscriber, callback, data);
}

static uint32_t subscribe_v2(void **subscriber, cupti_callback callback, void *data, void *how) {
    yield_once();
    return pinsight_cupti.cuptiSubscribe_v2(subscriber, callback, data, how);
}

void pinsight_cuda_others_watch(void (*yield)(void)) {
    static struct pinsight_got_redirection redirections[2];
    static struct pinsight_got got = {.prefix = "cuptiSubscribe", .redirections = redirections};
    if (!got.count) {
        redirections[0] = (struct pinsight_got_redirection){
            "cuptiSubscribe", (void *)pinsight_cupti.cuptiSubscribe, (void *)subscribe};
        redirections[1] = (struct pinsight_got_redirection){
            "cuptiSubscribe_v2", (void *)pinsight_cupti.cuptiSubscribe_v2, (void *)subscribe_v2};
        got.count = pinsight_cupti.cuptiSubscribe_v2 ? 2 : 1;
        got.excluded[0] = (void *)pinsight_cupti.cuptiSubscribe;
        got.excluded[1] = (void *)subscribe;
        atomic_store(&yielding, yield);
    }
    pinsight_got_redirect(&got);
}
