/* Searches the native libraries of installed Python packages; see packages.h. */
#include "runtimes/packages.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/paths.h"

/* The extension modules of a package are in its folder, or one level below. Deeper folders (tests,
 * vendored code) are skipped. */
enum { FOLDERS_MAX = 6000, DEPTH_MAX = 2 };

struct package_search {
    struct pinsight_objects *objects;
    int64_t until_ms;
    unsigned folders;
};

/* Packages that have or load an OpenMP or a BLAS. These packages are searched first, because a
 * limit may end the search. */
static const char *const known[] = {
    "numpy.libs",
    "numpy",
    "scipy.libs",
    "scipy",
    "scikit_learn.libs",
    "sklearn",
    "torch",
    "torch.libs",
    "xgboost",
    "xgboost.libs",
    "lightgbm",
    "lightgbm.libs",
    "numba",
    "faiss",
    "faiss_cpu.libs",
    "cv2",
    "opencv_python.libs",
    "numexpr",
    "jaxlib",
    "tensorflow",
};

static bool is_known(const char *name) {
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        if (strcmp(name, known[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), n = strlen(end);

    return length >= n && strcmp(text + length - n, end) == 0;
}

static bool is_library(const char *name) {
    const char *at = strstr(name, ".so");

    return at != NULL && (at[3] == '\0' || at[3] == '.');
}

/* Returns whether a folder is irrelevant: a cache, a description of a package, tests. */
static bool is_passed_over(const char *name) {
    static const char *const names[] = {"__pycache__", "tests", "test", "include", "share",
                                        "datasets",    "data",  "docs", "locale",  "bin"};

    if (name[0] == '.' && strcmp(name, ".libs") != 0) {
        return true;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return ends_with(name, ".dist-info") || ends_with(name, ".egg-info") ||
           ends_with(name, ".data");
}

static bool is_folder(const char *path, const struct dirent *entry) {
    struct stat about;

    if (entry->d_type == DT_DIR) {
        return true;
    }
    return (entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN) && stat(path, &about) == 0 &&
           S_ISDIR(about.st_mode);
}

static bool is_over(struct package_search *search) {
    if (search->folders >= FOLDERS_MAX || pinsight_now_ms() >= search->until_ms) {
        search->objects->cut_short = true;
        return true;
    }
    return false;
}

/* Searches a folder. `depth` is the number of levels below it that are searched. */
static void look_in(struct package_search *search, const char *folder, int depth,
                    bool known_already) {
    char path[PATH_MAX];

    if (is_over(search)) {
        return;
    }
    DIR *dir = opendir(folder);
    if (dir == NULL) {
        return;
    }
    search->folders++;
    for (struct dirent *entry; !search->objects->cut_short && (entry = readdir(dir)) != NULL;) {
        const char *name = entry->d_name;
        bool may_be_library = is_library(name);
        if ((name[0] == '.' && !may_be_library && strcmp(name, ".libs") != 0) ||
            (known_already && is_known(name)) || !pinsight_path_join(path, folder, name)) {
            continue;
        }
        if (may_be_library && !is_over(search)) {
            pinsight_objects_add(search->objects, path);
        } else if (depth > 0 && !is_passed_over(name) && !ends_with(name, ".py") &&
                   is_folder(path, entry)) {
            look_in(search, path, depth - 1, false);
        }
    }
    closedir(dir);
}

/* Packages of pip that consist of a runtime (intel-openmp), and those of conda, are in
 * <prefix>/lib. NumPy's MKL opens such a runtime by its name. */
static void look_in_prefix(struct package_search *search, const struct pinsight_command *command) {
    static const char *const names[] = {"libiomp5.so"};
    char folder[PATH_MAX], path[PATH_MAX];

    if (*command->prefix == '\0' || strcmp(command->prefix, "/usr") == 0 ||
        !pinsight_path_join(folder, command->prefix, "lib")) {
        return;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (pinsight_path_join(path, folder, names[i])) {
            pinsight_objects_add(search->objects, path);
        }
    }
}

void pinsight_packages_look(struct pinsight_objects *objects,
                            const struct pinsight_command *command, int limit_ms) {
    struct package_search search = {objects, pinsight_now_ms() + limit_ms, 0};
    char path[PATH_MAX];

    if (*command->script_folder != '\0') {
        look_in(&search, command->script_folder, 0, false);
    }
    look_in_prefix(&search, command);
    for (size_t i = 0; i < command->site_count; i++) {
        for (size_t j = 0; j < sizeof(known) / sizeof(*known); j++) {
            if (pinsight_path_join(path, command->sites[i], known[j])) {
                look_in(&search, path, DEPTH_MAX, false);
            }
        }
    }
    for (size_t i = 0; i < command->site_count; i++) {
        look_in(&search, command->sites[i], DEPTH_MAX, true);
    }
}
