/* What `pinsight run` does so that a command's OpenMP can be seen. */
#include "cli/run_openmp.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>

#include "base/message.h"
#include "runtimes/command.h"
#include "runtimes/elf.h"
#include "runtimes/libomp.h"
#include "runtimes/objects.h"
#include "runtimes/packages.h"

enum { SEARCH_MS = 150 };

/* Where the shim takes dlopen() over (src/preload/libc/dlopen.S). */
#if defined(__x86_64__) || defined(__aarch64__)
enum { CAN_COME_LATER = true };
#else
enum { CAN_COME_LATER = false };
#endif

static const char install[] =
    "install LLVM's (Debian: apt install libomp5, or libomp-dev; conda: llvm-openmp), or name one "
    "with --libomp PATH";

/* What was found, while it is decided. */
struct look {
    struct pinsight_run_openmp *openmp;
    struct pinsight_command command;
    struct pinsight_objects objects;
    const struct pinsight_object_found *gomp, *iomp, *threads;
    const char *word; /* the command's first */
    bool gomp_later;  /* libgomp comes, if it does, with a package that the program imports */
    bool own_tool;    /* the program defines ompt_start_tool */
};

static void settle(struct pinsight_run_openmp *openmp, const char *stand_in) {
    snprintf(openmp->stand_in, sizeof(openmp->stand_in), "%s", stand_in);
}

static bool defines_tool(const char *program) {
    return pinsight_elf_file_has(program, pinsight_elf_defines, "ompt_start_tool");
}

static void look_at_preloaded(struct pinsight_objects *objects) {
    const char *list = getenv("LD_PRELOAD");
    char *copy = list != NULL ? strdup(list) : NULL, *rest = NULL;

    for (char *name = copy != NULL ? strtok_r(copy, " :\t\n", &rest) : NULL; name != NULL;
         name = strtok_r(NULL, " :\t\n", &rest)) {
        pinsight_objects_add(objects, name);
    }
    free(copy);
}

/* Another tool, or none at all, was asked for by OpenMP's own variables: theirs is the place. */
static bool is_taken(struct look *look, bool asked) {
    const char *tool = getenv("OMP_TOOL"), *libraries = getenv("OMP_TOOL_LIBRARIES");
    struct pinsight_run_openmp *openmp = look->openmp;

    if (tool != NULL && strcasecmp(tool, "disabled") == 0) {
        snprintf(openmp->unseen, sizeof(openmp->unseen),
                 "OpenMP was not recorded: OMP_TOOL=disabled tells its runtime to take no tool. "
                 "Unset OMP_TOOL.");
        snprintf(openmp->message, sizeof(openmp->message),
                 "OpenMP is not recorded: OMP_TOOL=disabled tells its runtime to take no tool; "
                 "unset OMP_TOOL, or say --domains python");
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
    /* libgomp knows no tools, and is observed without being asked. */
    bool only_gomp = openmp->gomp && look->iomp == NULL &&
                     pinsight_objects_first(&look->objects, PINSIGHT_LIBOMP) == NULL;
    if ((!asked && look->objects.found_count == 0) || only_gomp) {
        openmp->message[0] = '\0';
        openmp->unseen[0] = '\0';
    }
    return !only_gomp;
}

/* libgomp stays in place: `why`, and what to do. */
static void leave(struct look *look, const char *why, const char *cure) {
    struct pinsight_run_openmp *openmp = look->openmp;

    settle(openmp, "no");
    snprintf(openmp->message, sizeof(openmp->message),
             "the OpenMP of %.300s cannot be recorded: %.400s; %.250s", look->gomp->path, why,
             cure);
    snprintf(openmp->unseen, sizeof(openmp->unseen),
             "No OpenMP was seen: the program has GCC's libgomp (%.300s), and %.350s. To see it: "
             "%.250s.",
             look->gomp->path, why, cure);
}

/* The same for a reason that has something of what was found in it. */
__attribute__((format(printf, 3, 4))) static void leave_for(struct look *look, const char *cure,
                                                            const char *format, ...) {
    char why[640];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, sizeof(why), format, arguments);
    va_end(arguments);
    leave(look, why, cure);
}

static bool can_be_preloaded(const char *path) {
    return strpbrk(path, " \t\n:") == NULL;
}

static void take(struct look *look, const char *path) {
    struct pinsight_run_openmp *openmp = look->openmp;

    settle(openmp, path);
    if (look->gomp_later) {
        return; /* the shim opens it, and says so, when libgomp is needed */
    }
    snprintf(openmp->preload, sizeof(openmp->preload), "%s", path);
    snprintf(openmp->message, sizeof(openmp->message),
             "LLVM's OpenMP (%.300s) is preloaded in place of libgomp (%.300s), which no tool can "
             "observe; --libomp no leaves it",
             path, look->gomp != NULL ? look->gomp->path : "if the command loads one");
}

static void decide(struct look *look) {
    struct pinsight_libomp libomp;

    if (look->gomp == NULL) {
        return;
    }
    if (look->own_tool) {
        leave(look, "LLVM's would call the program's own ompt_start_tool, which libgomp does not",
              "build it without that tool");
        return;
    }
    if (look->iomp != NULL) {
        leave_for(look, "name Intel's with --libomp, which then serves both",
                  "Intel's OpenMP (%.300s) is there too, beside which LLVM's must not be loaded",
                  look->iomp->path);
        return;
    }
    enum pinsight_libomp_answer answer = pinsight_libomp_find(
        &libomp, &look->objects, look->command.prefix, look->objects.library_path);
    switch (answer) {
    case PINSIGHT_LIBOMP_GOOD:
        if (can_be_preloaded(libomp.path)) {
            take(look, libomp.path);
        } else {
            leave_for(look, "name a link to it with --libomp",
                      "%.500s has a blank or a colon in its name, and cannot be "
                      "preloaded",
                      libomp.path);
        }
        break;
    case PINSIGHT_LIBOMP_NONE:
        leave(look, "there is no LLVM libomp to put in its place", install);
        break;
    case PINSIGHT_LIBOMP_NO_OMPT:
        leave_for(look, install, "%.500s was built without OMPT", libomp.path);
        break;
    case PINSIGHT_LIBOMP_NO_GOMP:
        leave_for(look, install, "%.500s has not got libgomp's entry points", libomp.path);
        break;
    case PINSIGHT_LIBOMP_LACKS_ONE:
        leave_for(look, "build it with clang, or name a libomp that has it with --libomp PATH",
                  "%.400s has no %.200s, which the program needs", libomp.path, libomp.lacks);
        break;
    case PINSIGHT_LIBOMP_MAY_ABORT:
        leave_for(look, "where it has neither of these, name LLVM's with --libomp PATH",
                  "LLVM's ends programs in some calls of %.200s, which it needs "
                  "(reduction(inscan), lastprivate(conditional))",
                  libomp.lacks);
        break;
    }
}

/* Should nothing be seen: why that may be. Where nobody asked for OpenMP, a program without it is
 * nothing to speak of. */
static void explain(struct look *look, bool asked) {
    struct pinsight_run_openmp *openmp = look->openmp;

    if (look->threads != NULL) {
        snprintf(openmp->thread_blas, sizeof(openmp->thread_blas), "%s", look->threads->path);
    }
    if (*openmp->unseen != '\0' || !asked) {
        return;
    }
    if (!look->command.is_python && look->objects.found_count == 0) {
        snprintf(openmp->unseen, sizeof(openmp->unseen),
                 "No OpenMP was seen: %.200s links none, and what it starts is not known "
                 "beforehand.%s",
                 look->word,
                 openmp->gomp ? ""
                              : " Where that uses GCC's libgomp, --libomp PATH puts LLVM's in its "
                                "place.");
    } else {
        snprintf(openmp->unseen, sizeof(openmp->unseen),
                 "No OpenMP was seen: the program loaded no runtime that can be observed (%s"
                 "LLVM's libomp or Intel's libiomp5 with OMPT), or started no parallel region.",
                 openmp->gomp ? "GCC's libgomp, " : "");
    }
}

/* Of all the runtimes that the command may come to: those that were found, the one that is
 * preloaded, and the system's, for what opens it later. */
static bool wants_name(const struct look *look) {
    struct pinsight_libomp libomp;

    if (look->own_tool) {
        return true; /* it may decline, and then the variable is asked */
    }

    for (size_t i = 0; i < look->objects.found_count; i++) {
        const struct pinsight_object_found *found = &look->objects.found[i];
        if ((found->kind == PINSIGHT_LIBOMP || found->kind == PINSIGHT_LIBIOMP) &&
            pinsight_libomp_wants_name(found->path)) {
            return true;
        }
    }
    if (look->openmp->stand_in[0] == '/' && pinsight_libomp_wants_name(look->openmp->stand_in)) {
        return true;
    }
    pinsight_libomp_find(&libomp, NULL, look->command.prefix, look->objects.library_path);
    return *libomp.path != '\0' && pinsight_libomp_wants_name(libomp.path);
}

/* A runtime that the user named. */
static bool take_named(struct look *look, const char *named) {
    struct pinsight_run_openmp *openmp = look->openmp;
    struct pinsight_libomp libomp;

    memset(&libomp, 0, sizeof(libomp));
    if (realpath(named, libomp.path) == NULL) {
        snprintf(openmp->message, sizeof(openmp->message),
                 "--libomp %.500s: there is no such file; it takes auto, no or the path of a "
                 "libomp",
                 named);
        return false;
    }
    bool is_intel = look->iomp != NULL && strcmp(look->iomp->path, libomp.path) == 0;
    switch (pinsight_libomp_check(&libomp, &look->objects)) {
    case PINSIGHT_LIBOMP_GOOD:
    case PINSIGHT_LIBOMP_MAY_ABORT: /* the user knows the program */
        break;
    case PINSIGHT_LIBOMP_LACKS_ONE:
        snprintf(openmp->message, sizeof(openmp->message),
                 "--libomp %.400s: it has no %.200s, which the program takes from libgomp; name a "
                 "newer one",
                 named, libomp.lacks);
        return false;
    case PINSIGHT_LIBOMP_NO_OMPT:
        snprintf(openmp->message, sizeof(openmp->message),
                 "--libomp %.400s: it has no OMPT, so nothing of it can be recorded; name an LLVM "
                 "libomp that has (Debian: apt install libomp5)",
                 named);
        return false;
    default:
        snprintf(openmp->message, sizeof(openmp->message),
                 "--libomp %.400s: is no OpenMP runtime of this machine's kind with libgomp's "
                 "entry points; name an LLVM libomp (Debian: apt install libomp5)",
                 named);
        return false;
    }
    if (look->iomp != NULL && !is_intel) {
        snprintf(openmp->message, sizeof(openmp->message),
                 "--libomp %.300s: the command has Intel's OpenMP (%.300s), beside which a second "
                 "one aborts; name Intel's",
                 named, look->iomp->path);
        return false;
    }
    if (!can_be_preloaded(libomp.path)) {
        snprintf(openmp->message, sizeof(openmp->message),
                 "--libomp %.400s: a path with a blank or a colon cannot be preloaded; name a "
                 "link to it",
                 named);
        return false;
    }
    take(look, libomp.path);
    return true;
}

bool pinsight_run_openmp_look(struct pinsight_run_openmp *openmp, const char *libomp, bool gomp,
                              bool asked, char *const *command) {
    static struct look look;
    bool good = true, taken = false;

    memset(openmp, 0, sizeof(*openmp));
    if (libomp == NULL) {
        libomp = gomp ? "no" : "auto";
    }
    bool automatic = strcmp(libomp, "auto") == 0;
    openmp->gomp = gomp && strcmp(libomp, "no") == 0;
    memset(&look, 0, sizeof(look));
    look.openmp = openmp;
    look.word = command[0];
    look.objects.library_path = getenv("LD_LIBRARY_PATH");
    look_at_preloaded(&look.objects);
    bool preloaded = pinsight_objects_first(&look.objects, PINSIGHT_LIBOMP) != NULL ||
                     pinsight_objects_first(&look.objects, PINSIGHT_LIBIOMP) != NULL;
    settle(openmp, "none");
    pinsight_command_look(&look.command, command);
    if (*look.command.program != '\0') {
        pinsight_objects_add(&look.objects, look.command.program);
        look.own_tool = defines_tool(look.command.program);
    }
    if (look.command.is_python) {
        look.gomp_later =
            CAN_COME_LATER && pinsight_objects_first(&look.objects, PINSIGHT_LIBGOMP) == NULL;
        pinsight_packages_look(&look.objects, &look.command, SEARCH_MS);
    }
    look.gomp = pinsight_objects_first(&look.objects, PINSIGHT_LIBGOMP);
    look.iomp = pinsight_objects_first(&look.objects, PINSIGHT_LIBIOMP);
    look.threads = pinsight_objects_first(&look.objects, PINSIGHT_BLAS_PTHREAD);
    if (preloaded || (!automatic && strcmp(libomp, "no") == 0)) {
        const char *outer = getenv("PINSIGHT_LIBOMP"); /* a run around this one preloaded it */
        settle(openmp, preloaded && outer != NULL && outer[0] == '/' ? outer
                       : openmp->gomp                                ? "gomp"
                                                                     : "no");
    }
    if (!automatic && strcmp(libomp, "no") != 0) {
        look.gomp_later = false; /* it is to be there in any case */
        good = take_named(&look, libomp);
    } else if ((taken = is_taken(&look, asked))) {
        settle(openmp, openmp->gomp ? "gomp" : "no"); /* it is said */
    } else if (automatic && !preloaded) {
        decide(&look);
    } else if (!automatic && look.gomp != NULL && !openmp->gomp) {
        leave(&look, "--libomp no leaves it in place", "leave that option out");
        openmp->message[0] = '\0';
    }
    explain(&look, asked);
    openmp->named = !taken && wants_name(&look);
    pinsight_objects_free(&look.objects);
    pinsight_command_free(&look.command);
    return good;
}

void pinsight_run_openmp_ended(const struct pinsight_run_openmp *openmp, int status) {
    bool aborted = (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) ||
                   (WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGABRT); /* of a shell */

    if (openmp->stand_in[0] == '/' && aborted) {
        pinsight_note(
            "the command was ended by SIGABRT while LLVM's OpenMP stood in for GCC's, which "
            "aborts in what it does not support; if it does not so with --libomp no, say "
            "that");
    }
}
