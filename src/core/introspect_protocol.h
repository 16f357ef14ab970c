/*
 * What a traced process and its helper, pinsight-introspect, say to each other: packets on a
 * SOCK_SEQPACKET pair, one byte for the kind and text after it. Both ends are of one build.
 *
 * The helper begins by rotating the session and says what came of it. Then the process asks for a
 * script or says nothing; the script's end is reported. The helper ends, and ends the script, when
 * it is told to stop and when the process's end of the pair is closed.
 */
#ifndef PINSIGHT_CORE_INTROSPECT_PROTOCOL_H
#define PINSIGHT_CORE_INTROSPECT_PROTOCOL_H

/* Its first word where it is to dump a flight recorder; the trace's folder follows. */
#define PINSIGHT_INTROSPECT_DUMP "--dump"
#define PINSIGHT_INTROSPECT_PROGRAM "pinsight-introspect"

enum pinsight_introspect_packet {
    /* From the helper. */
    PINSIGHT_INTROSPECT_CHUNK = 'c',     /* folder of the finished chunk */
    PINSIGHT_INTROSPECT_NO_CHUNK = 'n',  /* why there is none, a sentence */
    PINSIGHT_INTROSPECT_NO_SCRIPT = 'x', /* why the script could not start, a sentence */
    PINSIGHT_INTROSPECT_ENDED = 'e',     /* decimal: exit status, or minus a signal's number */
    /* From the process. */
    PINSIGHT_INTROSPECT_RUN = 'r',  /* path of the script, a zero byte, the configuration file */
    PINSIGHT_INTROSPECT_STOP = 's', /* end the script, and yourself */
};

enum {
    PINSIGHT_INTROSPECT_FD = 3, /* the helper's end of the pair */
    PINSIGHT_INTROSPECT_ROTATION_MS = 10000,
    PINSIGHT_INTROSPECT_PATIENCE_MS = 2000, /* from SIGTERM for the script to SIGKILL */
    PINSIGHT_INTROSPECT_PACKET_MAX = 9000,  /* two paths */
};

#endif
