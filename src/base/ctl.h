/*
 * What `pinsight ctl` and a traced process say to each other.
 *
 * Each traced process has a datagram socket with an abstract name (unix(7)),
 *
 *   pinsight-ctl/<pid>/<8 hexadecimal digits>
 *
 * A request is one datagram from a socket that has a name too, and so is the reply. Both are pairs
 * (pairs.h). The first line of a request
 * is its verb alone; a line `id N` comes back in the reply. The kernel says whose a datagram is:
 * a process answers its own user, who is its real, effective and saved one, and tells others no
 * more than that.
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
 * Used by the library in the traced process and by the command.
 */
#ifndef PINSIGHT_BASE_CTL_H
#define PINSIGHT_BASE_CTL_H

#define PINSIGHT_CTL_PREFIX "pinsight-ctl/"
#define PINSIGHT_CTL_NAME_ROOM 48

/* The longest datagram, in bytes. */
#define PINSIGHT_CTL_MAX 32768

/* The process number in a socket's name (without the leading zero byte); 0 if it is none of ours.
 */
int pinsight_ctl_name_pid(const char *name);

#endif
