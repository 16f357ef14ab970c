/*
 * Functions that the objects of the process call, and that are to lead elsewhere: their calls go
 * through an object's table of addresses, which the dynamic linker fills in, and what stands there
 * is replaced. So a library is stood in front of that cannot be preloaded: one that is loaded with
 * RTLD_LOCAL, or whose functions a program looks for by weak symbols (mpi4py does).
 */
#ifndef PINSIGHT_BASE_GOT_H
#define PINSIGHT_BASE_GOT_H

struct pinsight_got_led {
    const char *name; /* sorted by this */
    void *real;       /* the library's; a table that has another address is left alone */
    void *trampoline; /* what is to be called */
};

#define PINSIGHT_GOT_APART 2

struct pinsight_got {
    const char *prefix; /* of all names */
    const struct pinsight_got_led *led;
    unsigned count;
    const void *apart[PINSIGHT_GOT_APART]; /* addresses in objects that are left alone, or NULL */
    unsigned long long seen;               /* pinsight_got_lead's own; 0 at first */
};

/* Leads calls in the objects that are loaded. Does nothing where none was loaded since the last
 * time, or with PINSIGHT_PLAIN=1. Not at the same time as another call with the same struct. */
void pinsight_got_lead(struct pinsight_got *got);

#endif
