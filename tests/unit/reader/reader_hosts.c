/* Offsets of hosts' clocks, against what random hosts have: each with an offset, and messages that
 * take a random time. */
#include "reader/hosts/bounds.h"
#include "reader/hosts/corrections.h"
#include "reader/hosts/offsets.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define MOST_HOSTS 12
#define ROUNDS 3000

static uint32_t seed = 7;

static uint32_t chance(uint32_t below) {
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)(seed >> 8) * below) >> 24);
}

/* Some hosts, and the least time of the messages of some pairs by their clocks. */
struct made {
    size_t hosts, count;
    int64_t ahead_ns[MOST_HOSTS];
    struct pinsight_host_link links[MOST_HOSTS * MOST_HOSTS];
};

static struct made make(void) {
    struct made made = {.hosts = 2 + chance(MOST_HOSTS - 1)};
    uint32_t share = 1 + chance(100), wrong = chance(3);

    for (size_t i = 0; i < made.hosts; i++)
        made.ahead_ns[i] = chance(3) < wrong ? (int64_t)chance(100000) - 50000 : 0;
    for (uint32_t from = 0; from < made.hosts; from++)
        for (uint32_t to = 0; to < made.hosts; to++)
            if (from != to && chance(100) < share)
                made.links[made.count++] = (struct pinsight_host_link){
                    from, to, chance(500) + made.ahead_ns[to] - made.ahead_ns[from]};
    return made;
}

/* The true offsets, beside the fixed host. */
static int64_t truth(const struct made *made, size_t host, size_t fixed) {
    return made->ahead_ns[fixed] - made->ahead_ns[host];
}

/* No offsets of hosts whose messages are possible contradict each other; they satisfy each message;
 * and bounds have the truth between them. */
static void test_possible(void **state) {
    for (int round = 0; round < ROUNDS; round++) {
        const struct made made = make();
        struct pinsight_host_offset offsets[MOST_HOSTS];
        bool fixed[MOST_HOSTS] = {false};
        size_t first = chance((uint32_t)made.hosts);

        fixed[first] = true;
        assert_true(pinsight_offsets_find(made.links, made.count, made.hosts, fixed, 0, offsets));
        assert_int_equal(offsets[first].ns, 0);
        for (size_t i = 0; i < made.count; i++)
            assert_true(made.links[i].least_ns + offsets[made.links[i].to].ns -
                            offsets[made.links[i].from].ns >=
                        0);
        for (size_t i = 0; i < made.hosts; i++) {
            assert_true(offsets[i].least_ns <= truth(&made, i, first));
            assert_true(offsets[i].most_ns >= truth(&made, i, first));
            assert_true(offsets[i].ns >= offsets[i].least_ns &&
                        offsets[i].ns <= offsets[i].most_ns);
        }
    }
    (void)state;
}

/* Returns whether some messages that go in a circle take less than no time together, by the sums of
 * all pairs (Floyd and Warshall), with a slack for each. */
static bool contradicts(const struct made *made, int64_t slack_ns) {
    int64_t sums[MOST_HOSTS][MOST_HOSTS];

    for (size_t i = 0; i < made->hosts; i++)
        for (size_t k = 0; k < made->hosts; k++)
            sums[i][k] = i == k ? 0 : INT64_MAX / 4;
    for (size_t i = 0; i < made->count; i++)
        sums[made->links[i].from][made->links[i].to] = made->links[i].least_ns + slack_ns;
    for (size_t via = 0; via < made->hosts; via++)
        for (size_t i = 0; i < made->hosts; i++)
            for (size_t k = 0; k < made->hosts; k++)
                if (sums[i][via] + sums[via][k] < sums[i][k])
                    sums[i][k] = sums[i][via] + sums[via][k];
    for (size_t i = 0; i < made->hosts; i++)
        if (sums[i][i] < 0)
            return true;
    return false;
}

/* Messages that no offsets allow are noticed, where the fixed host has to do with them. */
static void test_impossible(void **state) {
    int found = 0;

    for (int round = 0; round < ROUNDS; round++) {
        struct made made = make();
        struct pinsight_host_offset offsets[MOST_HOSTS];
        bool fixed[MOST_HOSTS] = {true};
        bool reached;

        for (size_t i = 0; i < made.count; i++)
            made.links[i].least_ns -= chance(400);
        reached = pinsight_offsets_find(made.links, made.count, made.hosts, fixed, 0, offsets);
        if (!contradicts(&made, 0))
            assert_true(reached);
        if (!reached) {
            found++;
            assert_true(
                pinsight_offsets_find(made.links, made.count, made.hosts, fixed, 400, offsets));
        }
    }
    assert_true(found > ROUNDS / 20);
    (void)state;
}

/* A host that is wrong is the only one that is corrected, wherever its number is, and the others
 * are right within what messages take. */
static void test_majority(void **state) {
    for (int round = 0; round < 300; round++) {
        struct pinsight_bounds bounds = {0};
        struct pinsight_host_corrections found;
        uint32_t hosts = 3 + chance(17), wrong = chance(hosts);
        int64_t ahead =
            chance(2) ? 10000 + (int64_t)chance(1000000) : -10000 - (int64_t)chance(1000000);

        for (int i = 0; i < 2000; i++) {
            uint32_t from = chance(hosts), to = i % 3 ? (from + 1) % hosts : chance(hosts);
            uint64_t ns = UINT64_C(1700000000000000000) + (uint64_t)i * 1000;

            pinsight_bounds_add(&bounds, from, ns + (uint64_t)(from == wrong ? ahead : 0), to,
                                ns + 100 + chance(300) + (uint64_t)(to == wrong ? ahead : 0));
        }
        pinsight_bounds_finish(&bounds);
        /* Some numbers are of no host with messages. */
        pinsight_host_corrections_find(&bounds, hosts + 3, &found);
        assert_int_equal(found.count, hosts + 3);
        for (uint32_t i = 0; i < hosts + 3; i++)
            assert_int_equal(found.items[i].point_count, i == wrong);
        assert_true(llabs(found.items[wrong].points[0].ns + ahead) <= found.items[wrong].unsure_ns);
        assert_true(found.items[wrong].unsure_ns <= 1000);
        pinsight_host_corrections_clear(&found);
        pinsight_bounds_clear(&bounds);
    }
    (void)state;
}

/* Of many wrong hosts, each message arrives after it was sent, by the corrected clocks. Numbers
 * without messages have no correction. */
static void test_many_wrong(void **state) {
    for (int round = 0; round < 300; round++) {
        struct pinsight_bounds bounds = {0};
        struct pinsight_host_corrections found;
        int64_t ahead[20];
        uint32_t hosts = 4 + chance(16);

        for (uint32_t i = 0; i < hosts; i++)
            ahead[i] = chance(2) ? (int64_t)chance(200000) - 100000 : (int64_t)chance(600) - 300;
        for (int i = 0; i < 2000; i++) {
            uint32_t from = chance(hosts), to = i % 3 ? (from + 1) % hosts : 0;
            uint64_t ns = UINT64_C(1700000000000000000) + (uint64_t)i * 1000;

            pinsight_bounds_add(&bounds, from, ns + (uint64_t)ahead[from], to,
                                ns + 100 + chance(300) + (uint64_t)ahead[to]);
        }
        pinsight_bounds_finish(&bounds);
        pinsight_host_corrections_find(&bounds, hosts + 40, &found);
        for (size_t i = 0; i < bounds.pair_count && found.count; i++)
            for (size_t k = 0; k < bounds.pairs[i].count; k++) {
                const struct pinsight_bound *item = &bounds.pairs[i].items[k];
                const struct pinsight_host_correction *from = &found.items[bounds.pairs[i].from];
                const struct pinsight_host_correction *to = &found.items[bounds.pairs[i].to];

                assert_true(item->took_ns + (to->points ? to->points->ns : 0) -
                                (from->points ? from->points->ns : 0) >=
                            0);
            }
        for (size_t i = hosts; i < found.count; i++)
            assert_int_equal(found.items[i].point_count, 0);
        pinsight_host_corrections_clear(&found);
        pinsight_bounds_clear(&bounds);
    }
    (void)state;
}

/* Of many bounds, few are kept; and those that a line within a short time meets first. */
static void test_bounds(void **state) {
    for (int round = 0; round < 30; round++) {
        struct pinsight_bounds bounds = {0};
        int64_t took[4000], slope = (int64_t)chance(2000) - 1000, least[2] = {INT64_MAX, INT64_MAX};
        size_t count = 500 + chance(3500);

        for (size_t i = 0; i < count; i++) {
            uint64_t ns = 1000000 + i * 100;

            took[i] = 5000 + slope * (int64_t)i / 100 + chance(3000) * chance(10);
            pinsight_bounds_add(&bounds, 4, ns, 9, ns + (uint64_t)took[i]);
        }
        pinsight_bounds_add(&bounds, 4, 5, 4, 3);
        pinsight_bounds_finish(&bounds);
        assert_int_equal(bounds.pair_count, 1);
        assert_true(bounds.pairs[0].count < 100 && bounds.pairs[0].count == bounds.total);
        /* The least distance from lines of two slopes. */
        for (int line = 0; line < 2; line++) {
            int64_t kept = INT64_MAX, rate = line ? slope : -3 * slope;

            for (size_t i = 0; i < count; i++)
                if (took[i] * 100 - rate * (int64_t)i < least[line])
                    least[line] = took[i] * 100 - rate * (int64_t)i;
            for (size_t i = 0; i < bounds.pairs[0].count; i++) {
                const struct pinsight_bound *item = &bounds.pairs[0].items[i];
                int64_t at = (int64_t)(item->from_ns - 1000000) / 100;

                if (item->took_ns * 100 - rate * at < kept)
                    kept = item->took_ns * 100 - rate * at;
            }
            assert_int_equal(kept, least[line]);
        }
        pinsight_bounds_clear(&bounds);
    }
    (void)state;
}

/* Adds messages of two hosts in both directions, over a run. The second clock is ahead by so much.
 */
static void add_messages(struct pinsight_bounds *bounds, uint64_t run_ns,
                         int64_t (*ahead)(uint64_t)) {
    for (int i = 0; i < 4000; i++) {
        uint64_t ns = UINT64_C(1700000000000000000) + run_ns / 4000 * (uint64_t)i;
        uint64_t took = 10000 + chance(1000) * chance(200),
                 back = 10000 + chance(1000) * chance(200);

        pinsight_bounds_add(bounds, 1, ns, 2, ns + took + (uint64_t)ahead(ns + took));
        pinsight_bounds_add(bounds, 2, ns + (uint64_t)ahead(ns), 1, ns + back);
    }
    pinsight_bounds_finish(bounds);
}

static int64_t drift_ppm, curve;

static int64_t drifts(uint64_t ns) {
    int64_t since = (int64_t)(ns - UINT64_C(1700000000000000000));

    return 30000000 + since / 1000000 * drift_ppm +
           (curve ? since / 1000 * (since / 1000000) / curve : 0);
}

/* A clock that drifts is corrected to within the time that messages take, over the whole run. */
static void check_drift(int64_t ppm, int64_t with_curve, uint64_t run_ns) {
    struct pinsight_bounds bounds = {0};
    struct pinsight_host_corrections found;

    drift_ppm = ppm;
    curve = with_curve;
    add_messages(&bounds, run_ns, drifts);
    pinsight_host_corrections_find(&bounds, 3, &found);
    assert_int_equal(found.count, 3);
    assert_int_equal(found.items[0].point_count + found.items[1].point_count, 0);
    for (int i = 0; i < 200; i++) {
        uint64_t ns = UINT64_C(1700000000000000000) + run_ns / 200 * (uint64_t)i;
        int64_t ahead = drifts(ns);
        int64_t left =
            ahead + pinsight_clock_correction(found.items[2].points, found.items[2].point_count,
                                              ns + (uint64_t)ahead);

        assert_true(llabs(left) <= 10000);
    }
    assert_int_equal(found.left_ns, 0);
    pinsight_host_corrections_clear(&found);
    pinsight_bounds_clear(&bounds);
}

static void test_drift(void **state) {
    check_drift(0, 0, UINT64_C(10000000000));
    check_drift(20, 0, UINT64_C(10000000000));
    check_drift(-200, 0, UINT64_C(10000000000));
    check_drift(20, 0, UINT64_C(3600000000000));
    check_drift(0, 1000000, UINT64_C(100000000000));
    (void)state;
}

static int64_t jumps(uint64_t ns) {
    return ((ns - UINT64_C(1700000000000000000)) / 1250000000) % 2 ? 50000000 : 46000000;
}

/* A clock that is set again and again is no clock that drifts. The correction is right to within
 * what it says, which has the part that it misses. */
static void test_jumps(void **state) {
    struct pinsight_bounds bounds = {0};
    struct pinsight_host_corrections found;

    add_messages(&bounds, UINT64_C(10000000000), jumps);
    pinsight_host_corrections_find(&bounds, 3, &found);
    assert_int_equal(found.count, 3);
    assert_true(found.left_ns > 1900000 && found.left_ns < 2100000);
    for (int i = 0; i < 200; i++) {
        uint64_t ns = UINT64_C(1700000000050000000) + UINT64_C(50000000) * (uint64_t)i;
        int64_t left = jumps(ns) + pinsight_clock_correction(found.items[2].points,
                                                             found.items[2].point_count, ns);

        assert_true(llabs(left) <= found.items[2].unsure_ns);
    }
    assert_true(found.items[2].unsure_ns < 2200000);
    pinsight_host_corrections_clear(&found);
    pinsight_bounds_clear(&bounds);
    (void)state;
}

/* Clocks that the messages allow stay; and so do all where messages were related wrongly. */
static int64_t nearly_right(uint64_t ns) {
    return (int64_t)(ns % 9000);
}

static void test_left_alone(void **state) {
    struct pinsight_bounds bounds = {0};
    struct pinsight_host_corrections found;

    add_messages(&bounds, 1000000000, nearly_right);
    pinsight_host_corrections_find(&bounds, 3, &found);
    assert_int_equal(found.count, 0);
    pinsight_bounds_clear(&bounds);
    add_messages(&bounds, 1000000000, drifts);
    bounds.unsure = true;
    pinsight_host_corrections_find(&bounds, 3, &found);
    assert_int_equal(found.count, 0);
    pinsight_bounds_clear(&bounds);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_possible), cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_majority), cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_drift),    cmocka_unit_test(test_left_alone),
        cmocka_unit_test(test_jumps),    cmocka_unit_test(test_many_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
