/* The registry of domains; see domain.h. */
#include "tracer/core/domain.h"

#include "tracer/core/log.h"
#include "tracer/core/settings.h"
#include "tracer/core/user.h"
#include "tracer/record/table.h"

#include <pthread.h>
#include <strings.h>

/* Filled from the front and never emptied, so that readers need no lock. */
static _Atomic(struct pinsight_domain *) registry[PINSIGHT_DOMAINS_MAX];
static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;

static enum pinsight_mode first_mode(const struct pinsight_domain *domain) {
    char error[1024]; /* the caller reports the error from its own start of the settings */
    if (pinsight_settings_start(error, sizeof error) != 0)
        return PINSIGHT_MODE_OFF;
    return pinsight_settings_mode(domain->name);
}

/* Set when the recorder is known. Later domains are linked when they register. */
static bool is_linked;

static void link_domain(const struct pinsight_domain *domain) {
    static struct pinsight_log_once missing = PINSIGHT_LOG_ONCE_INIT;
    if (domain->record && pinsight_recorder_link(domain->record) != 0)
        pinsight_log_once(&missing,
                          "%s is not recorded: the part of the recorder that is for it is missing; "
                          "install PInsight again",
                          domain->name);
}

void pinsight_domains_link(void) {
    pthread_mutex_lock(&registry_lock);
    is_linked = true;
    for (unsigned slot = 0; slot < PINSIGHT_DOMAINS_MAX; slot++) {
        struct pinsight_domain *domain = atomic_load(&registry[slot]);
        if (domain)
            link_domain(domain);
    }
    pthread_mutex_unlock(&registry_lock);
}

int pinsight_domain_register(struct pinsight_domain *domain) {
    int result = -1;
    pthread_mutex_lock(&registry_lock);
    for (unsigned slot = 0; slot < PINSIGHT_DOMAINS_MAX; slot++) {
        struct pinsight_domain *there = atomic_load(&registry[slot]);
        if (there == domain) {
            result = 0;
            break;
        }
        if (!there) {
            domain->slot = slot;
            if (is_linked)
                link_domain(domain);
            atomic_store(&domain->mode, (int)first_mode(domain));
            atomic_store(&registry[slot], domain);
            result = 0;
            break;
        }
    }
    pthread_mutex_unlock(&registry_lock);
    return result;
}

struct pinsight_domain *pinsight_domain_at(unsigned slot) {
    return slot < PINSIGHT_DOMAINS_MAX ? atomic_load(&registry[slot]) : NULL;
}

struct pinsight_domain *pinsight_domain_find(const char *name) {
    PINSIGHT_EACH_DOMAIN(domain) {
        if (strcasecmp(domain->name, name) == 0)
            return domain;
    }
    return pinsight_user_is(name) ? pinsight_user_domain() : NULL;
}

void pinsight_domains_leaving(void) {
    PINSIGHT_DOMAINS_CALL(leaving);
}

uint64_t pinsight_domains_tend(void) {
    uint64_t next = 0;
    PINSIGHT_EACH_DOMAIN(domain) {
        uint64_t due = domain->tend ? domain->tend(domain) : 0;
        if (due && (!next || due < next))
            next = due;
    }
    return next;
}
