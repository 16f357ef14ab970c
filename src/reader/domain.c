/* The registered domains. */
#include "reader/domain.h"

#include <string.h>

#define DOMAIN(NUMBER, name) extern const struct reader_domain reader_domain_##name;
#include "reader/domains.def"
#undef DOMAIN

const struct reader_domain *const reader_domains[READER_DOMAINS] = {
#define DOMAIN(NUMBER, name) [READER_##NUMBER] = &reader_domain_##name,
#include "reader/domains.def"
#undef DOMAIN
};

const struct reader_domain *reader_domain_of(enum pinsight_event_id id) {
    const char *table = pinsight_event_descs[id].domain;

    for (size_t i = 0; table && i < READER_DOMAINS; i++)
        if (!strcmp(reader_domains[i]->table, table))
            return reader_domains[i];
    return NULL;
}

const struct reader_domain *reader_domain_named(const char *name) {
    for (size_t i = 0; i < READER_DOMAINS; i++)
        if (!strcmp(reader_domains[i]->name, name))
            return reader_domains[i];
    return NULL;
}
