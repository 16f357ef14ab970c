/*
 * The protocol between `pinsight ctl` and a traced process.
 *
 * Each traced process has a datagram socket with an abstract name (unix(7)),
 *
 *   pinsight-ctl/<pid>/<8 hexadecimal digits>
 *
 * A request is one datagram, from a socket that has a name too. The reply is one datagram. Both are
 * pairs (pairs.h). The first line of a request is its verb alone. The reply repeats a line `id N`.
 * The kernel reports the sender of a datagram. A process answers only the user that is its real,
 * effective and saved user; it refuses all others.
 *
 *   status       -> pid, rank, host, program, command, session, output, attached (yes, no), config,
 *                   generation, `domain NAME MODE` for each, windows (that ended), introspections
 *   reload
 *   mode         `mode DOMAIN=MODE`, once or more
 *   introspect   `pause SECONDS` (0 if not given), `script PATH`, `after MODE`, `domain DOMAIN`
 *   resume       ends the pause of an introspection
 *   stop
 *   detach       ends a recording of `pinsight attach` after the reply; then the socket is closed
 *   define       asks for all definitions again, after a rotation of the session
 *
 * Each request may have `wait MS`: the time to wait until the request is in effect. A reply has
 * `result ok`, `failed`, `pending` (accepted, not yet in effect) or `refused` (another user). It
 * may also have `message`, `effect_ns` and `generation`. A client ignores unknown keys of a reply.
 * An unknown key of a request is an error, because the process would not do everything that the
 * client wants.
 *
 * The library in the traced process and the command use this file.
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
