/*
 * The cost of observing CPython beyond the observer's own callbacks: the interpreter's time for
 * making a callback, and the time for things that happen rarely. A traced process holds its budget
 * with these numbers, and a reader estimates the cost of a whole run.
 */
#ifndef PINSIGHT_BASE_CALLBACK_PRICE_H
#define PINSIGHT_BASE_CALLBACK_PRICE_H

#include <stdint.h>

/* Costs in ns, of one version of CPython. */
struct pinsight_callback_price {
    int from; /* minor version (3.from); valid up to the next line's */
    double function, generator, unwind, call, operator, exception; /* for a callback of each kind */
    double met, task; /* for a new function or callable, and for a new task */
    double byte;      /* per byte of trace, in the kernel */
    double start;     /* for loading the recorder in a process, and ending its trace */
    double import;    /* per imported module: its code runs once, and is instrumented for that */
    double python;    /* share of the time of Python's own code */
};

/* Returns the prices of a runtime such as "CPython 3.13.0"; NULL for NULL and any other runtime.
 * Any thread. */
const struct pinsight_callback_price *pinsight_callback_price(const char *runtime);

/* Numbers of timed callbacks, by kind. */
struct pinsight_callback_kinds {
    uint64_t functions, generators, unwinds, calls, operators, exceptions;
};

/* Returns the interpreter's mean time for making a callback, in ns. `kinds` are a sample of the
 * callbacks; without any, they count as functions. Any thread. */
double pinsight_callback_price_made(const struct pinsight_callback_price *price,
                                    const struct pinsight_callback_kinds *kinds);

#endif
