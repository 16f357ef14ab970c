/*
 * The hosts of a trace, and the difference of their clocks. The clocks were brought together by
 * real time, which differs between hosts by up to milliseconds. A trace of several hosts is read
 * twice: at first for the events that relate hosts alone.
 */
#ifndef PINSIGHT_READER_HOST_CLOCKS_H
#define PINSIGHT_READER_HOST_CLOCKS_H

#include "reader/ctf/result.h"
#include "reader/hosts/corrections.h"

#include <signal.h>

/* Reads a trace for the corrections of its hosts' clocks: none for a trace of one host, or one that
 * cannot be read. `threads` and `stop` are as in struct pinsight_source_options. `progress` shows a
 * line on stderr, which pinsight_progress_end() removes. The caller clears the corrections. Not
 * thread-safe. */
void pinsight_hosts_read(const char *path, unsigned threads, bool progress,
                         const volatile sig_atomic_t *stop,
                         struct pinsight_host_corrections *corrections);

#endif
