/*
 * What `pinsight ctl` and a traced process say to each other.
 *
 * Each traced process has a datagram socket with an abstract name (unix(7)),
 *
 *   pinsight-ctl/<pid>/<8 hexadecimal digits>
 *
 * A request is one datagram from a socket that has a name too, and so is the reply. Both are lines
 * `key value`; in a value, a newline is written \n and a backslash \\. The first line of a request
 * is its verb alone; a line `id N` comes back in the reply. The kernel says whose a datagram is:
 * a process answers its own user, and tells others no more than that.
 *
 *   status       -> pid, rank, host, program, command, session, output, config, generation,
 *                   `domain NAME MODE` for each, windows (that ended), introspections
 *   reload
 *   mode         `mode DOMAIN=MODE`, once or more
 *   introspect   `pause SECONDS` (0 if not given), `script PATH`, `after MODE`, `domain DOMAIN`
 *   resume       ends the pause of an introspection
 *   stop
 *   define       the session was rotated: definitions are wanted again
 *
 * Each may have `wait MS`: how long to wait until what was ordered is in effect. A reply has
 * `result ok`, `failed`, `pending` (ordered, and not in effect yet) or `refused` (another user),
 * and where they mean something `message`, `effect_ns` and `generation`. Unknown keys of a reply
 * are ignored; those of a request are an error, since what was asked for would not be done.
 *
 * Used by the library in the traced process and by the command; allocates nothing.
 */
#ifndef PINSIGHT_CORE_CTL_H
#define PINSIGHT_CORE_CTL_H

#include <stdbool.h>
#include <stddef.h>

#define PINSIGHT_CTL_PREFIX "pinsight-ctl/"
#define PINSIGHT_CTL_NAME_ROOM 48

/* The longest datagram, in bytes. */
#define PINSIGHT_CTL_MAX 32768

/* Lines that are being written. */
struct pinsight_ctl_writer {
    char *text; /* the caller's; ends with a zero byte after every call */
    size_t used, room;
    bool full; /* a line was left out */
};

void pinsight_ctl_write(struct pinsight_ctl_writer *writer, char *text, size_t room);

/* Adds a line; a value that has no room for all of it is left out whole. `format` is printf's; the
 * formatted value may have 8 KiB, and is cut off there. */
void pinsight_ctl_put(struct pinsight_ctl_writer *writer, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Lines that are being read. */
struct pinsight_ctl_reader {
    char *at, *end;
};

/* Reads a datagram of any bytes, which is changed; text[length] must be writable. */
void pinsight_ctl_read(struct pinsight_ctl_reader *reader, char *text, size_t length);

/* The next line: its first word, and the rest of it, perhaps "", without escapes. Empty lines are
 * passed over. Both strings lie in the datagram. False at the end. */
bool pinsight_ctl_next(struct pinsight_ctl_reader *reader, const char **key, const char **value);

/* The process number in a socket's name (without the leading zero byte); 0 if it is none of ours.
 */
int pinsight_ctl_name_pid(const char *name);

#endif
