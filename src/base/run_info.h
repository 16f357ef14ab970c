/*
 * Facts about a run that its trace does not have. They are in a small text file in the output
 * folder, beside the folders of the CTF trace. Readers of CTF look only at folders with a file
 * `metadata`.
 *
 *   pinsight-run.txt: pairs (pairs.h) in any order; unknown keys are ignored.
 *
 * The file is written when the program starts and again at the end. Only its owner may read it,
 * because the command can contain a password. A file without `ended` comes from a run that was
 * killed.
 */
#ifndef PINSIGHT_BASE_RUN_INFO_H
#define PINSIGHT_BASE_RUN_INFO_H

#include "base/process.h"

#include <stdbool.h>
#include <stdint.h>

#define PINSIGHT_RUN_INFO_FILE "pinsight-run.txt"
/* The name of the file recorder. With it, the processes write the trace themselves and can outlive
 * the command. */
#define PINSIGHT_RECORDER_FILE "file"

struct pinsight_run_info {
    char version[32];
    char command[4096]; /* the words of the command, quoted for a shell, possibly cut off */
    char recorder[16];  /* its name; "" in old runs, which had only one recorder */
    char session[128];
    char started[32];         /* ISO 8601, UTC */
    char config[4096];        /* the configuration file, "" for none */
    char names[16];           /* inline or registry, as set when the command started */
    char events[64];          /* names of the events, as set when the command started */
    char openmp[16];          /* "asked" or "default" if OpenMP was to be observed, else "" */
    char thread_blas[4096];   /* a BLAS with threads of its own that the command may load, or "" */
    char openmp_unseen[1024]; /* why OpenMP may be missing: a sentence, or "" */
    bool lossless;
    uint64_t max_size; /* bytes per process, 0 for no limit */
    bool space_limits; /* max_size is less than the default, because there was little free space */
    char budget[16];   /* allowed cost of the recording, such as "10%", or "" */
    char ring[32];     /* data kept of each process (flight recorder), or "" */
    bool one_host;     /* the run is part of a job that has a folder for each host */
    char runner[80];   /* the process with which the recording ends; see below */
    bool ended;        /* the members below are known */
    int exit_status;   /* -1 if a signal ended the command */
    int signal;        /* 0 if none did */
    uint64_t wall_ns;  /* duration of the command, 0 if unknown */
    /* Processor time of the command and of all processes that it waited for. 0 if other runs of the
     * job have theirs. */
    uint64_t processor_ns;
    char processor[128]; /* model of the processor, "" if it is not known */
    uint64_t processors; /* number of processors that the command could use, 0 if unknown */
    char host[256];      /* name of the machine on which the run started, "" if unknown */
    uint64_t online;     /* number of processors of that machine, 0 if unknown */
    int told_to_end;     /* the signal by which a user asked the run to end, or 0 */
    bool counted;        /* the recorder reported the numbers of discarded data: */
    uint64_t discarded_events;
    uint64_t lost_packets;
    uint64_t lost_bytes; /* bytes of events that the file recorder could not write */
    bool daemon_died;    /* recording ended early */
    bool consumer_died;
    bool incomplete;        /* some data did not reach the disk */
    uint64_t missing_count; /* processes that asked to be recorded but were not */
    char missing[512];      /* the first of them, as "PID (NAME), ..." */
    uint64_t running_count; /* processes that outlived the command */
    char running[512];      /* the first of them, as "PID (NAME), ..." */
    char inner[1024];       /* output folders of `pinsight run` within the command, or "" */
    /* Messages of the traced processes about OpenMP that is not recorded (base/reported.h), or "".
     * Not in the file. */
    char openmp_tool[1024], openmp_newer[1024];
    /* The losses of the plain form (plain.h) and its reason, each "" if there is none. Not in the
     * file. */
    char plain_missing[512], plain_why[256];
    bool has_unseen_tasks; /* a process used asyncio without a GIL (no_gil.h). Not in the file. */
    /* Versions of Python without an extension, or ""; and whether an existing extension could not
     * be loaded. Not in the file. */
    char no_python[128];
    bool is_not_loaded;
};

/* Writes the file into the folder `output`, replacing an older one atomically. Returns 0 or an
 * errno. */
int pinsight_run_info_write(const char *output, const struct pinsight_run_info *info);

/* Reads the file. Members without a line are 0, false or "". Returns false with errno if the file
 * cannot be opened. */
bool pinsight_run_info_read(const char *output, struct pinsight_run_info *info);

/* Updates the members that come from messages of the traced processes. pinsight_run_info_read()
 * does so, too. */
void pinsight_run_info_update(const char *output, struct pinsight_run_info *info);

/* The state of the process with which a recording ends. */
enum pinsight_runner {
    PINSIGHT_RUNNER_UNKNOWN, /* not noted, or of another machine or PID namespace */
    PINSIGHT_RUNNER_ALIVE,
    PINSIGHT_RUNNER_GONE,
};

/* Notes the process with which a recording ends: `pinsight run`, or the process of an attach. */
void pinsight_run_info_set_runner(struct pinsight_run_info *info, pid_t pid);

/* Returns the state of that process. Any thread. */
enum pinsight_runner pinsight_run_info_runner(const struct pinsight_run_info *info);

/* Joins the words of a command, quoted for a shell where needed, cut off at `room` bytes. */
void pinsight_run_info_quote(char *const *words, char *text, unsigned room);

#endif
