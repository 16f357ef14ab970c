/* Replaces the verbs that read traces in a build without the reader. */
#include "base/message.h"
#include "cli/options.h"
#include "cli/verbs.h"

static int not_built(int argc, char **argv) {
    pinsight_error("this build has no `%s`: it was built without the reader of traces", argv[0]);
    return argc > 0;
}

int pinsight_cmd_report(int argc, char **argv) {
    return not_built(argc, argv);
}

int pinsight_cmd_top(int argc, char **argv) {
    return not_built(argc, argv);
}

int pinsight_cmd_diff(int argc, char **argv) {
    return not_built(argc, argv);
}

int pinsight_cmd_compare(int argc, char **argv) {
    return not_built(argc, argv);
}

int pinsight_cmd_export(int argc, char **argv) {
    return not_built(argc, argv);
}

int pinsight_cmd_sql(int argc, char **argv) {
    return not_built(argc, argv);
}

int pinsight_cmd_store(int argc, char **argv) {
    return not_built(argc, argv);
}

int pinsight_cmd_pack(int argc, char **argv) {
    return not_built(argc, argv);
}

int pinsight_cmd_view(int argc, char **argv) {
    return not_built(argc, argv);
}

int pinsight_cmd_rows(int argc, char **argv) {
    return not_built(argc, argv);
}

int pinsight_cmd_dump(int argc, char **argv) {
    return not_built(argc, argv);
}

#define WITHOUT(of_verb)                                                                           \
    { .name = of_verb, .about = "not in this build", .usage = "" }
const struct cli_verb cli_report = WITHOUT("report");
const struct cli_verb cli_top = WITHOUT("top");
const struct cli_verb cli_diff = WITHOUT("diff");
const struct cli_verb cli_compare = WITHOUT("compare");
const struct cli_verb cli_export = WITHOUT("export");
const struct cli_verb cli_sql = WITHOUT("sql");
const struct cli_verb cli_store = WITHOUT("store");
const struct cli_verb cli_pack = WITHOUT("pack");
const struct cli_verb cli_view = WITHOUT("view");
const struct cli_verb cli_dump = WITHOUT("dump");
