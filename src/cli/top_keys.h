/* The keys of `pinsight top` on a terminal: they sort, find, freeze and quit. The terminal passes
 * each key at once, and does not show it. Not thread-safe. */
#ifndef PINSIGHT_CLI_TOP_KEYS_H
#define PINSIGHT_CLI_TOP_KEYS_H

#include "views/report/report.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

struct pinsight_top_keys {
    bool on; /* the terminal passes keys */
    struct termios before;
    unsigned sort;  /* index of the order */
    bool is_frozen; /* no further screen is read */
    bool is_typing; /* keys are letters of `find` */
    bool has_quit;
    char find[64]; /* "": every function */
    size_t find_length;
};

/* Takes the keys of the terminal, if stdin and stdout are one, in the foreground. */
void pinsight_top_keys_start(struct pinsight_top_keys *keys);

/* Gives the terminal its former state. Async-signal-safe. */
void pinsight_top_keys_end(struct pinsight_top_keys *keys);

/* Waits for a time in seconds, and longer while the screen is frozen. Returns early after a key
 * that changes the screen, with true; and if *stop is not 0, or after q. */
bool pinsight_top_keys_wait(struct pinsight_top_keys *keys, double seconds,
                            const volatile sig_atomic_t *stop);

/* Returns the order of functions that the user chose. */
enum pinsight_sort pinsight_top_keys_sort(const struct pinsight_top_keys *keys);

/* Writes the line about the keys. */
void pinsight_top_keys_print(const struct pinsight_top_keys *keys, FILE *out, bool colour);

#endif
