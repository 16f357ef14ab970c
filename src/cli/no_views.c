/* What stands in for the verbs that read traces in a build without the reader. */
#include "cli/verbs.h"
#include "session/say.h"

static int complain(const char *verb) {
    pinsight_complain("this build has no `%s`; build it with libbabeltrace2", verb);
    return 1;
}

int pinsight_cmd_report(int argc, char **argv) {
    (void)argc;
    return complain(argv[0]);
}

int pinsight_cmd_diff(int argc, char **argv) {
    (void)argc;
    return complain(argv[0]);
}

int pinsight_cmd_export(int argc, char **argv) {
    (void)argc;
    return complain(argv[0]);
}

int pinsight_cmd_dump(int argc, char **argv) {
    (void)argc;
    return complain(argv[0]);
}
