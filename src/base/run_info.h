/*
 * What a run knows of itself and its trace does not: a small text file in the output folder, beside
 * the folders of the CTF trace (readers of CTF look at folders with a file `metadata` only).
 *
 *   pinsight-run.txt: pairs (pairs.h) in any order; unknown keys are ignored.
 *
 * It is written when the program starts and again at the end, and only its owner may read it: the
 * command may have a password among its words. A file without `ended` comes from a run that was
 * killed.
 */
#ifndef PINSIGHT_BASE_RUN_INFO_H
#define PINSIGHT_BASE_RUN_INFO_H

#include <stdbool.h>
#include <stdint.h>

#define PINSIGHT_RUN_INFO_FILE "pinsight-run.txt"
/* The recorder whose processes write their trace themselves, and go on after the command. */
#define PINSIGHT_RECORDER_FILE "file"

struct pinsight_run_info {
    char version[32];
    char command[4096]; /* the words of the command, quoted for a shell, perhaps cut off */
    char recorder[16];  /* its name; "" where there was one alone */
    char session[128];
    char started[32];         /* ISO 8601, UTC */
    char config[4096];        /* the configuration file, "" for none */
    char names[16];           /* inline, registry: as it was when the command started */
    char events[64];          /* likewise */
    char openmp[16];          /* "asked", "default": OpenMP was to be observed; "": it was not */
    char thread_blas[4096];   /* a BLAS on threads of its own, which the command may load; "" */
    char openmp_unseen[1024]; /* why there may be no OpenMP in the trace: a sentence, or "" */
    bool lossless;
    uint64_t max_size; /* bytes per process, 0 for no limit */
    char ring[32];     /* how much is kept of each process; "": all */
    bool one_host;     /* of a job that has a folder for each of its hosts */
    bool ended;        /* what follows is known */
    int exit_status;   /* -1 if a signal ended the command */
    int signal;        /* 0 if none did */
    uint64_t wall_ns;  /* how long the command ran, 0 where that is not known */
    /* The processor time of the command and of all that it waited for; 0 where other runs of the
     * same job have theirs. */
    uint64_t processor_ns;
    uint64_t processors; /* that the command could run on, 0 where that is not known */
    int told_to_end;     /* a signal by which somebody asked for its end, 0 for none */
    bool counted;        /* the recorder said how much was discarded: */
    uint64_t discarded_events;
    uint64_t lost_packets;
    uint64_t lost_bytes; /* of events that could not be written, with the file recorder */
    bool daemon_died;    /* recording ended early */
    bool consumer_died;
    bool incomplete;        /* not everything reached the disk */
    uint64_t missing_count; /* processes that asked to be recorded, and the recorder never took */
    char missing[512];      /* "PID (NAME), ..." of the first of them */
    uint64_t running_count; /* processes that outlived the command */
    char running[512];      /* likewise */
    char inner[1024];       /* folders of `pinsight run` within the command, "" for none */
    /* What the traced processes said of OpenMP that is not recorded, see base/reported.h; "":
     * nothing. Not in the file. */
    char openmp_tool[1024];
    /* What public interfaces alone cost (plain.h), "" for nothing; and why there was no more, ""
     * for PINSIGHT_PLAIN=1. Not in the file either. */
    char plain_missing[512], plain_why[256];
    /* Versions of Python for which there was no extension, "" for none; and whether one that is
     * there could not be loaded. Not in the file either. */
    char no_python[128];
    bool is_not_loaded;
};

/* Writes the file into the folder `output`, replacing an older one at once. Returns 0 or an errno.
 */
int pinsight_run_info_write(const char *output, const struct pinsight_run_info *info);

/* Reads it; false with errno if it cannot be opened. What it does not say is 0, false or "". */
bool pinsight_run_info_read(const char *output, struct pinsight_run_info *info);

/* Fills in what the traced processes said until now. pinsight_run_info_read() does so too. */
void pinsight_run_info_update(const char *output, struct pinsight_run_info *info);

/* Joins the words of a command, quoted for a shell where needed; cut off at `room`. */
void pinsight_run_info_quote(char *const *words, char *text, unsigned room);

#endif
