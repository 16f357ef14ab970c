/* The registered domains. */
#include "views/domain.h"

#include <stdatomic.h>

#define DOMAIN(NUMBER, name) extern const struct view_domain view_domain_##name;
#include "reader/domains.def"
#undef DOMAIN

const struct view_domain *const view_domains[READER_DOMAINS] = {
#define DOMAIN(NUMBER, name) [READER_##NUMBER] = &view_domain_##name,
#include "reader/domains.def"
#undef DOMAIN
};

enum reader_domain_number slice_domain(unsigned kind) {
    static _Atomic uint8_t known[PINSIGHT_SLICE_KINDS]; /* the number plus one; 0: unknown yet */
    uint8_t domain = atomic_load_explicit(&known[kind], memory_order_relaxed);

    if (!domain) {
        while (domain + 1 < READER_DOMAINS && !view_domains[domain]->slices[kind])
            domain++;
        atomic_store_explicit(&known[kind], ++domain, memory_order_relaxed);
    }
    return (enum reader_domain_number)(domain - 1);
}

const struct slice_view *slice_view_of(unsigned kind) {
    return view_domains[slice_domain(kind)]->slices[kind];
}

uint32_t slice_runs(const struct pinsight_model *model, const struct pinsight_slice *slice) {
    const struct slice_view *view = slice_view_of(slice->kind);

    return view->runs ? view->runs(model, slice) : slice->id;
}

const struct view_follower *view_follower(void) {
    for (size_t i = 0; i < READER_DOMAINS; i++)
        if (view_domains[i]->follower)
            return view_domains[i]->follower;
    return NULL;
}

bool view_domains_seen(const struct pinsight_report *report) {
    for (size_t i = 0; i < READER_DOMAINS; i++)
        if (view_domains[i]->seen && view_domains[i]->seen(report))
            return true;
    return false;
}

int64_t view_thread_number(const struct pinsight_thread *thread,
                           enum reader_domain_number *domain) {
    int64_t number = -1;

    for (size_t i = 0; number < 0 && i < READER_DOMAINS; i++) {
        *domain = (enum reader_domain_number)i;
        if (view_domains[i]->thread_number)
            number = view_domains[i]->thread_number(thread);
    }
    return number;
}

int64_t view_process_rank(const struct pinsight_process *process) {
    int64_t rank = process->rank;

    for (size_t i = 0; rank < 0 && i < READER_DOMAINS; i++)
        if (view_domains[i]->rank)
            rank = view_domains[i]->rank(process);
    return rank;
}
