/* The word that runs this command again. */
#include "cli/verbs.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/program.h"

const char *pinsight_command_word = "pinsight";

void pinsight_set_command_word(const char *typed) {
    const char *name = strrchr(typed, '/');
    char found[PATH_MAX];
    struct stat a, b;

    if (name == NULL) {
        pinsight_command_word = typed;
        return;
    }
    bool on_path = pinsight_program_find(name + 1, found) == 0 && stat(found, &a) == 0 &&
                   stat(typed, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    pinsight_command_word = on_path ? name + 1 : typed;
}
