/*
 * A call of BLAS that does no work: what recording one costs, in turns, in one process.
 *
 *   calls BATCH ROUNDS
 *       writes {"none": [ns ...], ...} to $PINSIGHT_BENCH_RESULT, or stdout
 *
 *   none       a function that PInsight does not know
 *   bare       a tool that precedes the function, records the same two events and does nothing else
 *   call       a function of BLAS, as PInsight records it
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../floor/clock.h"
#include "dgemm.h"

#define SIZES 101, 111, 111, 20, 30, 40, 1, x, 40, x, 30, 0, x, 30

enum { TURNS = 3, ROUNDS_MAX = 10000 };

static double x[4];

static void none(void) {
    bench_dgemm(SIZES);
}

static void bare(void) {
    bare_dgemm(SIZES);
}

static void call(void) {
    cblas_dgemm(SIZES);
}

static const struct {
    const char *name;
    void (*run)(void);
} turns[TURNS] = {{"none", none}, {"bare", bare}, {"call", call}};

int main(int argc, char **argv) {
    static double ns[TURNS][ROUNDS_MAX];
    int batch = argc > 1 ? atoi(argv[1]) : 100, rounds = argc > 2 ? atoi(argv[2]) : 100;
    const char *path = getenv("PINSIGHT_BENCH_RESULT");
    FILE *file = path ? fopen(path, "w") : stdout;

    if (!file || batch < 1 || rounds < 1 || rounds > ROUNDS_MAX)
        return 1;
    cblas_dgemm(SIZES); /* starts the recorder */
    bare_start();
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < TURNS; i++) {
            int at = round % 2 ? TURNS - 1 - i : i;
            turns[at].run(); /* its code is in the cache */
            double start = clock_ns(CLOCK_MONOTONIC);
            for (int part = 0; part < batch; part++)
                turns[at].run();
            ns[at][round] = (clock_ns(CLOCK_MONOTONIC) - start) / batch;
        }
    for (int at = 0; at < TURNS; at++) {
        fprintf(file, "%s\"%s\": [", at ? ", " : "{", turns[at].name);
        for (int round = 0; round < rounds; round++)
            fprintf(file, "%s%.2f", round ? ", " : "", ns[at][round]);
        fputs("]", file);
    }
    fputs("}\n", file);
    return fclose(file) != 0;
}
