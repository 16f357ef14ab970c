/*
 * Calls of all wrappers of a flavour, with a library behind them that is none: what arrives there
 * is compared with what was given, and what comes back with what it gave. calls.py writes the
 * calls.
 */
#ifndef PINSIGHT_TESTS_WRAPPERS_H
#define PINSIGHT_TESTS_WRAPPERS_H

#include "unit.h"

#include "tracer/mpi/real_table.h"
#include "tracer/mpi/shim.h"
#include "tracer/mpi/wrap.h"

/* How everything is called, in one turn. */
struct round {
    const char *name;
    enum pinsight_mode mode;
    bool listens;
    int result; /* of all functions */
    MPI_Comm comm;
    int root, peer, source, tag, recvtag;
    int count;    /* elements */
    int requests; /* of those that take several */
    bool flag;    /* what tests answer */
    bool ignore;  /* the program wants no statuses */
    bool in_place;
    MPI_Op op;
};
extern const struct round *now;

enum { FUNCTIONS = 1000, MOST_REQUESTS = 9 };
extern struct pinsight_mpi_shim
    wrappers_shim;                    /* where the wrappers are, in the order of tested[] */
extern bool wrappers_ever[FUNCTIONS]; /* which were called */

struct tested {
    const char *name;
    void *behind;
    void (*call)(void);
};
extern const struct tested tested[];
extern const unsigned tested_count;

/* Sizes of datatypes that the library was asked for; and what handles of predefined ones have. */
extern unsigned wrappers_sizes_asked;
enum { PREDEFINED = 0x10000 };

/* A handle with that number: a pointer, or an int. */
#define HANDLE(type, number) ((type)(uintptr_t)(number))

/* An address at which there is nothing; another for each argument. */
static inline void *nowhere(unsigned argument) {
    return (void *)(uintptr_t)(0x1000 + 8 * (argument + 1));
}

/* ---- the communicators that there are ---- */

struct model {
    unsigned handle; /* 0 is MPI_COMM_WORLD, and any that has none of its own */
    int size, rank, remote;
};
const struct model *wrappers_model_of(MPI_Comm comm);
extern int64_t wrappers_expected_comm;
void *wrappers_find(const char *name); /* a symbol of the library */

enum { NEIGHBOURS_IN = 3, NEIGHBOURS_OUT = 2 };
int own_rank(void), own_ranks(void);
int ranks(void);      /* that this one has to do with in a collective operation */
bool is_root(void);   /* by the round's communicator and root, */
bool is_member(void); /* of the group that is not the root's, where there are two */
MPI_Comm comm_to_free(void);
int64_t comm_number(void); /* of the round's communicator, in the trace */

/* ---- what is given ---- */

MPI_Datatype type(unsigned number);
uint64_t size_of(MPI_Datatype type);
MPI_Count many(void); /* the round's count, more than an int has room for */
static inline uint64_t times(int64_t count, MPI_Datatype type) {
    return count > 0 ? (uint64_t)count * size_of(type) : 0;
}

/* Memory for `count` of a type, each `value` (of `at_`), and not a byte more; freed by ends(). */
void *room(size_t size);
#define ARRAY(type, count, value)                                                                  \
    ({                                                                                             \
        type *array_ = room((size_t)(count) * sizeof *array_);                                     \
        for (int at_ = 0; at_ < (count); at_++)                                                    \
            array_[at_] = (type)(value);                                                           \
        array_;                                                                                    \
    })
#define SUM(counts, count)                                                                         \
    ({                                                                                             \
        uint64_t sum_ = 0;                                                                         \
        for (int at_ = 0; at_ < (count); at_++)                                                    \
            sum_ += (uint64_t)(counts)[at_];                                                       \
        sum_;                                                                                      \
    })
#define SUM_OF_EACH(counts, types, count)                                                          \
    ({                                                                                             \
        uint64_t sum_ = 0;                                                                         \
        for (int at_ = 0; at_ < (count); at_++)                                                    \
            sum_ += times((counts)[at_], (types)[at_]);                                            \
        sum_;                                                                                      \
    })

MPI_Win known_win(void);
MPI_File known_fh(void);
MPI_Request request_there(bool persistent); /* one that was started, or is to be */
MPI_Request *requests_to_wait_for(void);    /* the round's number, received by */
int *indices(void);                         /* room for as many */
extern MPI_Status statuses[];
uint64_t fresh(void); /* a number that was not there before */

/* ---- a call ---- */

void begins(const char *name);
void gives(unsigned argument, const void *value, size_t size);
void *wrapper(unsigned number);

void arrived(unsigned number);
void arrives(unsigned argument, const void *value, size_t size);
static inline void pointer_arrives(unsigned argument, const void *value) {
    arrives(argument, &value, sizeof value);
}
/* The status may be another, where the program wants none; it is filled in. */
MPI_Status *status_arrives(unsigned argument, MPI_Status *status, int count);
void sets(uint64_t value); /* the library gives something back, in order */

void returned(int result);
void comes_back(uint64_t value, uint64_t before); /* `before` counts where there was an error */
void status_comes_back(int count);
void ends(void);

/* ---- what was recorded of it ---- */

enum { STATUS_SOURCE = 2, STATUS_TAG = 70, STATUS_BYTES = 24 };

bool was_recorded(const char *kind); /* looks at the begin from now on; false where none is due */
void end_of_it(void);                /* at the end */
void field_is(const char *name, int64_t value);
void field_is_set(const char *name, bool set);
void completed(int count);

static inline int64_t as_rank(int rank) {
    return rank == MPI_ANY_SOURCE ? -1 : rank == MPI_PROC_NULL ? -2 : rank == MPI_ROOT ? -3 : rank;
}
static inline int64_t as_tag(int tag) {
    return tag == MPI_ANY_TAG ? -1 : tag;
}

#endif
