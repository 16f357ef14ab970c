/* Examines a command's OpenMP before it starts; see run_openmp.h. */
#include "cli/run_openmp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runtimes/command.h"
#include "runtimes/elf.h"
#include "runtimes/linker.h"
#include "runtimes/objects.h"
#include "runtimes/packages.h"

enum { SEARCH_MS = 150 };

struct look {
    struct pinsight_run_openmp *openmp;
    struct pinsight_command command;
    struct pinsight_objects objects;
    const struct pinsight_object_found *gomp, *iomp, *threads;
    const char *word;    /* first word of the command */
    const char *no_gomp; /* reason why GCC's OpenMP cannot be recorded; NULL if it can */
};

static void look_at_preloaded(struct pinsight_objects *objects) {
    const char *list = getenv("LD_PRELOAD");
    char *copy = list != NULL ? strdup(list) : NULL, *rest = NULL;

    for (char *name = copy != NULL ? strtok_r(copy, " :\t\n", &rest) : NULL; name != NULL;
         name = strtok_r(NULL, " :\t\n", &rest)) {
        pinsight_objects_add(objects, name);
    }
    free(copy);
}

/* Returns whether OpenMP's own variables ask for another tool, or none, which then has
 * precedence. */
static bool is_taken(struct look *look, bool asked) {
    const char *tool = getenv("OMP_TOOL"), *libraries = getenv("OMP_TOOL_LIBRARIES");
    struct pinsight_run_openmp *openmp = look->openmp;

    if (tool != NULL && strcasecmp(tool, "disabled") == 0) {
        snprintf(openmp->unseen, sizeof(openmp->unseen),
                 "OpenMP was not recorded: OMP_TOOL=disabled makes its runtime take no tool. Unset "
                 "OMP_TOOL.");
        snprintf(openmp->message, sizeof(openmp->message),
                 "OpenMP is not recorded: OMP_TOOL=disabled makes its runtime take no tool; unset "
                 "OMP_TOOL, or say --domains python");
    } else if (libraries != NULL && *libraries != '\0' &&
               strstr(libraries, "libpinsight") == NULL) {
        snprintf(openmp->unseen, sizeof(openmp->unseen),
                 "OpenMP was not recorded: OMP_TOOL_LIBRARIES names another tool (%.200s), which "
                 "keeps its place. Unset it.",
                 libraries);
        snprintf(openmp->message, sizeof(openmp->message),
                 "OpenMP is not recorded: OMP_TOOL_LIBRARIES names another tool (%.200s), which "
                 "keeps its place; unset it, or say --domains python",
                 libraries);
    } else {
        return false;
    }
    /* libgomp knows no tools, and is recorded without these variables. */
    bool only_gomp = look->no_gomp == NULL && look->iomp == NULL &&
                     pinsight_objects_first(&look->objects, PINSIGHT_LIBOMP) == NULL;
    if ((!asked && look->objects.found_count == 0) || only_gomp) {
        openmp->message[0] = '\0';
        openmp->unseen[0] = '\0';
    }
    return !only_gomp;
}

/* Writes the sentence for a run without OpenMP events. A program without OpenMP needs none, unless
 * the user asked for OpenMP. */
static void explain(struct look *look, bool asked) {
    struct pinsight_run_openmp *openmp = look->openmp;

    if (look->threads != NULL) {
        snprintf(openmp->thread_blas, sizeof(openmp->thread_blas), "%s", look->threads->path);
    }
    if (*openmp->unseen != '\0' || !asked) {
        return;
    }
    if (look->no_gomp != NULL && look->gomp != NULL) {
        snprintf(openmp->unseen, sizeof(openmp->unseen),
                 "No OpenMP was seen: the program has GCC's libgomp (%.300s), and %.200s.",
                 look->gomp->path, look->no_gomp);
    } else if (!look->command.is_python && look->objects.found_count == 0) {
        snprintf(openmp->unseen, sizeof(openmp->unseen),
                 "No OpenMP was seen: %.200s links none, and none was seen in the programs that it "
                 "started.",
                 look->word);
    } else {
        snprintf(openmp->unseen, sizeof(openmp->unseen),
                 "No OpenMP was seen: the program loaded no runtime that can be observed (%s"
                 "LLVM's libomp or Intel's libiomp5 with OMPT), or started no parallel region.",
                 look->no_gomp == NULL ? "GCC's libgomp, " : "");
    }
}

/* Returns whether a runtime finds a tool only if OMP_TOOL_LIBRARIES names it. Such a runtime calls
 * no ompt_start_tool except its own (Ubuntu's libomp). */
static bool asks_only_itself(const char *path) {
    return pinsight_elf_file_has(path, pinsight_elf_binds, "ompt_start_tool");
}

/* Returns whether any runtime that the command may load needs the variable. The candidates are the
 * runtimes that were found, and the system's, which may be opened later. If the program's own tool
 * declines, the runtime reads the variable, too. */
static bool wants_name(const struct look *look) {
    static const char *const names[] = {"libomp.so.5", "libomp.so"};
    const struct pinsight_linker_paths paths = {.library_path = look->objects.library_path};
    const char *program = look->command.program;
    char path[PATH_MAX];

    if (*program != '\0' &&
        pinsight_elf_file_has(program, pinsight_elf_defines, "ompt_start_tool")) {
        return true;
    }
    for (size_t i = 0; i < look->objects.found_count; i++) {
        const struct pinsight_object_found *found = &look->objects.found[i];
        if ((found->kind == PINSIGHT_LIBOMP || found->kind == PINSIGHT_LIBIOMP) &&
            asks_only_itself(found->path)) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (pinsight_linker_find(names[i], &paths, path)) {
            return asks_only_itself(path);
        }
    }
    return false;
}

/* Returns whether the command may load a BLAS. It may if its Python has one, or if its program is
 * unknown or starts others. */
static bool may_have_blas(const struct look *look) {
    static const char *const shells[] = {"sh", "bash", "dash", "zsh", "ksh", "fish", "make", NULL};
    const char *slash = strrchr(look->command.program, '/');

    if (look->objects.has_blas || look->objects.cut_short || *look->command.program == '\0') {
        return true;
    }
    for (const char *const *shell = shells; *shell != NULL; shell++) {
        if (strcmp(slash != NULL ? slash + 1 : look->command.program, *shell) == 0) {
            return true;
        }
    }
    return false;
}

void pinsight_run_openmp_look(struct pinsight_run_openmp *openmp, const char *no_gomp, bool asked,
                              char *const *command) {
    static struct look look;

    memset(openmp, 0, sizeof(*openmp));
    memset(&look, 0, sizeof(look));
    look.openmp = openmp;
    look.word = command[0];
    look.no_gomp = no_gomp;
    look.objects.library_path = getenv("LD_LIBRARY_PATH");
    look_at_preloaded(&look.objects);
    pinsight_command_look(&look.command, command);
    if (*look.command.program != '\0') {
        pinsight_objects_add(&look.objects, look.command.program);
    }
    if (look.command.is_python) {
        pinsight_packages_look(&look.objects, &look.command, SEARCH_MS);
    }
    look.gomp = pinsight_objects_first(&look.objects, PINSIGHT_LIBGOMP);
    look.iomp = pinsight_objects_first(&look.objects, PINSIGHT_LIBIOMP);
    look.threads = pinsight_objects_first(&look.objects, PINSIGHT_BLAS_PTHREAD);
    bool taken = is_taken(&look, asked);
    explain(&look, asked);
    openmp->blas = may_have_blas(&look);
    openmp->named = !taken && wants_name(&look);
    pinsight_objects_free(&look.objects);
    pinsight_command_free(&look.command);
}
