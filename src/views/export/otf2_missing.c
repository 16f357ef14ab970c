/* The form OTF2 in a build without its library. */
#include "base/memory.h"
#include "views/export/formats.h"

static int begin(struct pinsight_export *export) {
    export->error = pinsight_strdup(
        "this pinsight was built without the OTF2 library; install it (Debian and Ubuntu: "
        "libopen-trace-format2-dev; its source: https://www.vi-hps.org/projects/score-p) and build "
        "pinsight again");
    return -1;
}

const struct pinsight_export_format pinsight_export_otf2 = {
    .name = "otf2",
    .suffix = ".otf2",
    .about = "a folder: Vampir, Scalasca (not in this build)",
    .folder = true,
    .begin = begin,
};
