/*
 * Messages of 8 bytes between two ranks: what one costs, in turns, in one pair of processes.
 *
 *   messages BATCH ROUNDS
 *       rank 0 writes {"message": {"none": [ns ...], ...}, ...} to $PINSIGHT_BENCH_RESULT, or
 * stdout
 *
 * The cases: "message" is half of a round trip (MPI_Send and MPI_Recv on both ranks), "allreduce"
 * one MPI_Allreduce, "nobody" an MPI_Send to MPI_PROC_NULL, which goes to nobody and waits for
 * none. The turns of each:
 *
 *   none, control   the library's own functions (PMPI_*), twice
 *   bare            wrappers that record the same events and do nothing else
 *   OFF ... TRACING PInsight in that mode
 *   loop            the case's events alone, in a C loop: both ranks at the same time, as they are
 *                   in the case
 *
 * Without PInsight there are "none" and "control" alone; without a session that listens to the
 * floor's events no "bare" and no "loop".
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../floor/clock.h"
#include "../floor/recorder.h"
#include "pinsight/pinsight.h"
#include "tracer/record/floor_mpi.h"

enum { ROUNDS_MAX = 4000, PAUSE_US = 1500 };

/* ---- a tool that records, and nothing else ---- */

static uint32_t rank;

static int bare_send(const void *data, int count, MPI_Datatype type, int dest, int tag,
                     MPI_Comm comm) {
    if (pinsight_record_floor_mpi_MPI_Send_begin_enabled())
        pinsight_record_floor_mpi_MPI_Send_begin(rank, (uintptr_t)__builtin_return_address(0), 0, 1,
                                                 dest, tag, 8, 1, 8);
    int result = PMPI_Send(data, count, type, dest, tag, comm);
    if (pinsight_record_floor_mpi_MPI_Send_end_enabled())
        pinsight_record_floor_mpi_MPI_Send_end(result);
    return result;
}

static int bare_recv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                     MPI_Status *status) {
    MPI_Status own, *told = status == MPI_STATUS_IGNORE ? &own : status;
    if (pinsight_record_floor_mpi_MPI_Recv_begin_enabled())
        pinsight_record_floor_mpi_MPI_Recv_begin(rank, (uintptr_t)__builtin_return_address(0), 0, 1,
                                                 source, tag, 8, 1, 8);
    int result = PMPI_Recv(data, count, type, source, tag, comm, told);
    if (pinsight_record_floor_mpi_MPI_Recv_end_enabled())
        pinsight_record_floor_mpi_MPI_Recv_end(result, told->MPI_SOURCE, told->MPI_TAG, 8);
    return result;
}

static void record_allreduce_begin(const void *codeptr) {
    pinsight_record_floor_mpi_MPI_Allreduce_begin(rank, (uintptr_t)codeptr, 0, 1, 1, 8, 8, 8, 3);
}

static int bare_allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm) {
    if (pinsight_record_floor_mpi_MPI_Allreduce_begin_enabled())
        record_allreduce_begin(__builtin_return_address(0));
    int result = PMPI_Allreduce(from, to, count, type, op, comm);
    if (pinsight_record_floor_mpi_MPI_Allreduce_end_enabled())
        pinsight_record_floor_mpi_MPI_Allreduce_end(result);
    return result;
}

/* ---- the cases ---- */

struct calls {
    __typeof__(&PMPI_Send) send;
    __typeof__(&PMPI_Recv) recv;
    __typeof__(&PMPI_Allreduce) allreduce;
};

static char sent[8], got[8];

static void message(const struct calls *mpi, long n) {
    int peer = rank == 0;
    for (long i = 0; i < n; i += 2) { /* a round trip is two messages */
        if (rank == 0)
            mpi->send(sent, 8, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
        mpi->recv(got, 8, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            mpi->send(sent, 8, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
    }
}

static void message_events(long n) {
    for (long i = 0; i < n; i++) {
        pinsight_record_floor_mpi_MPI_Send_begin(rank, 0x1234, 0, 1, 1, 1, 8, 1, 8);
        pinsight_record_floor_mpi_MPI_Send_end(0);
        pinsight_record_floor_mpi_MPI_Recv_begin(rank, 0x1234, 0, 1, 1, 1, 8, 1, 8);
        pinsight_record_floor_mpi_MPI_Recv_end(0, 1, 1, 8);
    }
}

static void allreduce(const struct calls *mpi, long n) {
    double mine = 1, all;
    for (long i = 0; i < n; i++)
        mpi->allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void allreduce_events(long n) {
    for (long i = 0; i < n; i++) {
        record_allreduce_begin((const void *)0x1234);
        pinsight_record_floor_mpi_MPI_Allreduce_end(0);
    }
}

static void nobody(const struct calls *mpi, long n) {
    for (long i = 0; i < n; i++)
        mpi->send(sent, 8, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
}

static void nobody_events(long n) {
    for (long i = 0; i < n; i++) {
        pinsight_record_floor_mpi_MPI_Send_begin(rank, 0x1234, 0, 1, -2, 1, 8, 1, 8);
        pinsight_record_floor_mpi_MPI_Send_end(0);
    }
}

static const struct {
    const char *name;
    void (*run)(const struct calls *mpi, long n);
    void (*events)(long n);
} cases[] = {{"message", message, message_events},
             {"allreduce", allreduce, allreduce_events},
             {"nobody", nobody, nobody_events}};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- the turns ---- */

static const struct calls library = {PMPI_Send, PMPI_Recv, PMPI_Allreduce};
static const struct calls bare = {bare_send, bare_recv, bare_allreduce};
static const struct calls program = {MPI_Send, MPI_Recv, MPI_Allreduce};

static const struct turn {
    const char *name;
    const struct calls *calls; /* NULL: events alone */
    int mode;                  /* -1: PInsight is not called */
    bool records;              /* the floor's events */
} turns[] = {{"none", &library, -1, false},
             {"bare", &bare, -1, true},
             {"TRACING", &program, PINSIGHT_MODE_TRACING, false},
             {"loop", NULL, -1, true},
             {"STANDBY", &program, PINSIGHT_MODE_STANDBY, false},
             {"OFF", &program, PINSIGHT_MODE_OFF, false},
             {"MONITORING", &program, PINSIGHT_MODE_MONITORING, false},
             {"control", &library, -1, false}};
enum { TURNS = sizeof turns / sizeof *turns };

static int (*set_mode)(const char *, enum pinsight_mode);

/* That of the libpinsight that records: the program is linked with one, the run may have another.
 */
static void find_pinsight(void) {
    set_mode = (int (*)(const char *, enum pinsight_mode))dlsym(RTLD_DEFAULT, "pinsight_set_mode");
    if (set_mode && set_mode("MPI", PINSIGHT_MODE_OFF) != 0)
        set_mode = NULL;
}

/* A session is told of a process some time after that has started. */
static bool is_listened_to(void) {
    for (int i = 0; set_mode && i < 500; i++) {
        if (pinsight_record_floor_mpi_MPI_Allreduce_end_enabled() &&
            pinsight_record_floor_mpi_MPI_Send_begin_enabled())
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
    }
    return false;
}

/* ns for one of the case. */
static double measure(int which, const struct turn *turn, long n) {
    if (turn->mode >= 0)
        set_mode("MPI", (enum pinsight_mode)turn->mode);
    PMPI_Barrier(MPI_COMM_WORLD);
    double start = 0;
    for (int part = 0; part < 2; part++) { /* the first warms up */
        long times = part == 0 ? n / 4 + 20 : n;
        start = clock_ns(CLOCK_MONOTONIC);
        if (turn->calls)
            cases[which].run(turn->calls, times);
        else
            cases[which].events(times);
        double took = clock_ns(CLOCK_MONOTONIC) - start;
        start = took / (double)times;
        if (which != 0)
            PMPI_Barrier(MPI_COMM_WORLD);
    }
    if (turn->mode >= 0)
        set_mode("MPI", PINSIGHT_MODE_OFF);
    /* Both spin: the consumer of events, and the mode's news, need a processor now and then. */
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_US * 1000}, NULL);
    return start;
}

int main(int argc, char **argv) {
    static double ns[CASES][TURNS][ROUNDS_MAX];
    long n = argc > 1 ? atol(argv[1]) : 400;
    int rounds = argc > 2 ? atoi(argv[2]) : 100, mine, size;
    FLOOR_RECORDER(floor_mpi);
    MPI_Init(&argc, &argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &mine);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    rank = (uint32_t)mine;
    if (size != 2 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "messages: needs two ranks, and at most %d rounds\n", ROUNDS_MAX);
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    find_pinsight();
    int there[2] = {set_mode != NULL, is_listened_to()}, both[2];
    PMPI_Allreduce(there, both, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < TURNS; i++) {
            int at = round % 2 ? TURNS - 1 - i : i;
            if ((turns[at].mode >= 0 && !both[0]) || (turns[at].records && !both[1]))
                continue;
            for (int which = 0; which < CASES; which++)
                ns[which][at][round] = measure(which, &turns[at], n);
        }
    const char *path = getenv("PINSIGHT_BENCH_RESULT");
    FILE *file = rank != 0 ? NULL : path ? fopen(path, "w") : stdout;
    for (int which = 0; file && which < CASES; which++) {
        fprintf(file, "%s\"%s\": {", which ? "},\n" : "{", cases[which].name);
        for (int at = 0, some = 0; at < TURNS; at++) {
            if (ns[which][at][0] == 0)
                continue;
            fprintf(file, "%s\"%s\": [", some++ ? "],\n " : "", turns[at].name);
            for (int round = 0; round < rounds; round++)
                fprintf(file, "%s%.1f", round ? ", " : "", ns[which][at][round]);
        }
        fprintf(file, "]");
    }
    if (file) {
        fprintf(file, "}}\n");
        fclose(file);
    }
    if (set_mode)
        set_mode("MPI", PINSIGHT_MODE_STANDBY);
    MPI_Finalize();
    return 0;
}
