/*
 * The protocol between `pinsight ctl` and a traced process.
 *
 * Each traced process has a datagram socket with an abstract name (unix(7)),
 *
 *   pinsight-ctl/<pid>/<8 hexadecimal digits>
 *
 * A request is one datagram from a socket that has a name too. The reply is one datagram. Both are
 * pairs (pairs.h). The first line of a request is its verb alone. A line `id N` is repeated in the
 * reply. The kernel reports the sender of a datagram. A process answers only the user that is its
 * real, effective and saved user; it refuses all others.
 *
 *   status       -> pid, rank, host, program, command, session, output, attached (yes, no), config,
 *                   generation,
 *                   `domain NAME MODE` for each, windows (that ended), introspections
 *   reload
 *   mode         `mode DOMAIN=MODE`, once or more
 *   introspect   `pause SECONDS` (0 if not given), `script PATH`, `after MODE`, `domain DOMAIN`
 *   resume       ends the pause of an introspection
 *   stop
 *   detach       what `pinsight attach` began ends, a moment later: then the socket is gone
 *   define       the session was rotated: definitions are wanted again
 *
 * Each request may have `wait MS`: the time to wait until the order is in effect. A reply has
 * `result ok`, `failed`, `pending` (ordered, and not in effect yet) or `refused` (another user),
 * and where they apply `message`, `effect_ns` and `generation`. Unknown keys of a reply are
 * ignored. An unknown key of a request is an error, because the process would not do what was asked
 * for.
 *
 * Used by the library in the traced process and by the command.
 */
#ifndef PINSIGHT_BASE_CTL_H
#define PINSIGHT_BASE_CTL_H

#define PINSIGHT_CTL_PREFIX "pinsight-ctl/"
#define PINSIGHT_CTL_NAME_ROOM 48

/* The longest datagram, in bytes. */
#define PINSIGHT_CTL_MAX 32768

/* Returns the process number in a socket's name (without the leading zero byte), or 0 if the name
 * is not one of these. */
int pinsight_ctl_name_pid(const char *name);

#endif
