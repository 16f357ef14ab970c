/* Domains of the reader: each event of a table is its domain's, wherever it stands in the table. */
#include "unit.h"

#include "reader/domain.h"

static void each_event_has_its_domain(void **state) {
    size_t count[READER_DOMAINS] = {0};

    (void)state;
    assert_null(reader_domain_of(PINSIGHT_EVENT_UNKNOWN));
    for (int id = PINSIGHT_EVENT_UNKNOWN + 1; id < PINSIGHT_EVENT_COUNT; id++) {
        const struct reader_domain *domain = reader_domain_of((enum pinsight_event_id)id);

        assert_non_null(domain);
        assert_string_equal(domain->table, pinsight_event_descs[id].domain);
        for (size_t i = 0; i < READER_DOMAINS; i++)
            count[i] += domain == reader_domains[i];
    }
    for (size_t i = 0; i < READER_DOMAINS; i++)
        assert_true(count[i] > 0);
}

static void each_domain_takes_events(void **state) {
    (void)state;
    for (size_t i = 0; i < READER_DOMAINS; i++) {
        assert_non_null(reader_domains[i]->ingest);
        assert_ptr_equal(reader_domain_named(reader_domains[i]->name), reader_domains[i]);
    }
    assert_null(reader_domain_named("Fortran"));
}

static void names_are_definitions_of_their_domain(void **state) {
    (void)state;
    for (size_t i = 0; i < READER_DOMAINS; i++) {
        const enum pinsight_event_id *name = reader_domains[i]->names;

        for (; name && *name != PINSIGHT_EVENT_UNKNOWN; name++) {
            assert_ptr_equal(reader_domain_of(*name), reader_domains[i]);
            assert_string_equal(pinsight_event_descs[*name].channel, "definitions");
        }
    }
}

int main(void) {
    return RUN_TESTS(each_event_has_its_domain, each_domain_takes_events,
                     names_are_definitions_of_their_domain);
}
