/*
 * The protocol between a traced process and its helper, pinsight-introspect. They exchange packets
 * on a SOCK_SEQPACKET pair. A packet is one byte for the kind, and text. Both ends are of one
 * build.
 *
 * The helper begins by rotating the session, and reports the result. Then the process may ask for a
 * script, whose end is reported. The helper ends itself and the script on STOP, and when the
 * process's end of the pair is closed.
 */
#ifndef PINSIGHT_FORMAT_INTROSPECT_PROTOCOL_H
#define PINSIGHT_FORMAT_INTROSPECT_PROTOCOL_H

/* The helper's first argument for a dump of the flight recorder. The trace's folder follows. */
#define PINSIGHT_INTROSPECT_DUMP "--dump"
#define PINSIGHT_INTROSPECT_PROGRAM "pinsight-introspect"

enum pinsight_introspect_packet {
    /* Packets from the helper. */
    PINSIGHT_INTROSPECT_CHUNK = 'c',     /* folder of the finished chunk */
    PINSIGHT_INTROSPECT_NO_CHUNK = 'n',  /* the reason why there is no chunk, a sentence */
    PINSIGHT_INTROSPECT_NO_SCRIPT = 'x', /* the reason why the script could not start, a sentence */
    PINSIGHT_INTROSPECT_ENDED = 'e',     /* decimal: exit status, or minus a signal's number */
    /* Packets from the process. */
    PINSIGHT_INTROSPECT_RUN = 'r',  /* path of the script, a zero byte, the configuration file */
    PINSIGHT_INTROSPECT_STOP = 's', /* end the script and the helper */
};

enum {
    PINSIGHT_INTROSPECT_FD = 3, /* the helper's end of the pair */
    PINSIGHT_INTROSPECT_ROTATION_MS = 10000,
    PINSIGHT_INTROSPECT_PATIENCE_MS = 2000, /* from SIGTERM for the script to SIGKILL */
    PINSIGHT_INTROSPECT_PACKET_MAX = 9000,  /* room for two paths */
};

#endif
