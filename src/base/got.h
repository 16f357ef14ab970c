/*
 * Redirects calls of functions in objects that are loaded already. A call goes through a table of
 * addresses in the calling object, which the dynamic linker fills. These functions replace
 * addresses in the tables.
 *
 * This reaches libraries that a preloaded library does not cover: a library loaded with RTLD_LOCAL,
 * and functions that a program finds by weak symbols (mpi4py does).
 */
#ifndef PINSIGHT_BASE_GOT_H
#define PINSIGHT_BASE_GOT_H

#include <link.h>
#include <stdbool.h>

struct pinsight_got_redirection {
    const char *name; /* the list is sorted by name */
    void *real;       /* the library's function; entries with another address stay unchanged */
    void *trampoline; /* the function that is called instead */
};

#define PINSIGHT_GOT_EXCLUDED 2

struct pinsight_got {
    const char *prefix; /* the common prefix of all names */
    const struct pinsight_got_redirection *redirections;
    unsigned count;
    const void *excluded[PINSIGHT_GOT_EXCLUDED]; /* in objects that stay unchanged, or NULL */
    unsigned long long seen;                     /* state of pinsight_got_redirect(); 0 at first */
};

/* Redirects the calls of all loaded objects. Does nothing if no object was loaded since the last
 * call, or with PINSIGHT_PLAIN=1. Calls with the same struct must not overlap. */
void pinsight_got_redirect(struct pinsight_got *got);

/* An address of a function in an object, which the dynamic linker filled in. */
struct pinsight_got_slot {
    const char *name;
    void *value;
    bool is_lazy; /* the first call will fill it in; the value is in the object itself */
    bool is_data; /* it is among the data of the program, not in the table for calls */
};

/* Returns the new value of a slot, or NULL if it stays. */
typedef void *pinsight_got_choose(const struct pinsight_got_slot *slot, void *data);

/* Visits the slots of a relocated object, of which `info` has the address and the parts. Passes
 * `data` on. Any thread; the object must stay loaded meanwhile. Slots are written under the lock of
 * dl_iterate_phdr(). A caller therefore holds no lock that its callbacks take. */
void pinsight_got_visit(const struct dl_phdr_info *info, pinsight_got_choose *choose, void *data);

#endif
