/* The folder that a run writes its trace into. */
#include "cli/run_output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/safe_files.h"
#include "cli/run_replace.h"

/* Larger numbers belong to folders of other tools and of batch jobs. */
enum { LARGEST_COUNTED = 9999, MOST_NUMBERS = 100000 };

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* Returns whether a name is one of python, python3, python3.12, python3.13t and the like. */
static bool is_interpreter(const char *name) {
    return strncmp(name, "python", 6) == 0 && name[6 + strspn(name + 6, "0123456789.td")] == '\0';
}

/*
 * Returns the script or module among an interpreter's arguments (python(1), COMMAND LINE OPTIONS),
 * or NULL if there is none.
 */
static const char *find_script(char *const *arguments) {
    for (; *arguments != NULL; arguments++) {
        const char *word = *arguments;
        if (word[0] != '-') {
            return word;
        }
        if (word[1] == '-') {
            if (strcmp(word, "--check-hash-based-pycs") == 0 && arguments[1] != NULL) {
                arguments++;
            }
            continue;
        }
        const char *letter = word + 1 + strcspn(word + 1, "cmWX");
        if (*letter == 'c' || word[1] == '\0') {
            return NULL;
        }
        if (*letter == '\0') {
            continue;
        }
        const char *value = letter[1] != '\0' ? letter + 1 : arguments[1];
        if (*letter == 'm') {
            return value;
        }
        arguments += letter[1] == '\0' && value != NULL ? 1 : 0;
    }
    return NULL;
}

static size_t without_suffix(const char *name) {
    static const char *const suffixes[] = {".py", ".pyz", ".pyw"};
    const char *suffix = strrchr(name, '.');

    for (size_t i = 0; suffix != NULL && i < sizeof(suffixes) / sizeof(*suffixes); i++) {
        if (strcmp(suffix, suffixes[i]) == 0) {
            return (size_t)(suffix - name);
        }
    }
    return strlen(name);
}

/* Returns the last part of a path, which may end with slashes. *length excludes a program's suffix.
 * *length is 0 if the path has no name, such as "." */
static const char *program_of(const char *path, size_t *length) {
    size_t end = strlen(path), start;

    while (end > 1 && path[end - 1] == '/') {
        end--;
    }
    for (start = end; start > 0 && path[start - 1] != '/'; start--) {
        continue;
    }
    *length = path[end] == '\0' ? without_suffix(path + start) : end - start;
    if (path[start] == '.' && (*length == 0 || strspn(path + start, ".") >= *length)) {
        *length = 0;
    }
    return path + start;
}

void pinsight_run_output_program(char *name, size_t room, char *const *command) {
    const char *script = is_interpreter(base_name(command[0])) ? find_script(command + 1) : NULL;
    const size_t most = 200;
    size_t length = 0;

    if (script != NULL) {
        script = program_of(script, &length);
    }
    if (length == 0) {
        script = program_of(command[0], &length);
    }
    if (length == 0) {
        script = "program";
        length = strlen(script);
    }
    snprintf(name, room, "%.*s", (int)(length < most ? length : most), script);
}

bool pinsight_run_output_name(char path[PATH_MAX], const char *typed, const char *program,
                              const struct pinsight_job *job, char *why, size_t room) {
    char name[PATH_MAX], here[PATH_MAX], host[256] = "host";
    bool several_hosts = job->unplaced || job->size > job->local_size;
    int n;

    gethostname(host, sizeof(host) - 1);
    if (typed != NULL) {
        n = snprintf(name, sizeof(name), "%s", typed);
    } else if (job->local_size > 1 || several_hosts) {
        n = snprintf(name, sizeof(name), "pinsight-%.200s-%s", program, job->id);
    } else {
        n = snprintf(name, sizeof(name), "pinsight-%.200s", program);
    }
    bool fits = n > 0 && n < (int)sizeof(name);
    if (fits && name[0] != '/') {
        if (getcwd(here, sizeof(here)) == NULL) {
            snprintf(why, room,
                     "the current folder is gone (%s); give the trace folder's whole path with -o",
                     strerror(errno));
            return false;
        }
        fits = pinsight_path_join(path, here, name);
    } else if (fits) {
        strcpy(path, name);
    }
    if (fits && several_hosts) {
        fits = pinsight_path_join(name, path, host);
        strcpy(path, name);
    }
    size_t length = fits ? strlen(path) : 0;
    while (length > 1 && path[length - 1] == '/') {
        path[--length] = '\0';
    }
    if (!fits || length > PATH_MAX - 256) {
        snprintf(why, room, "the path of the trace folder is too long; choose another with -o");
        return false;
    }
    return true;
}

/* Returns the largest N of the existing folders PATH-N. */
static unsigned last_number(const char *path) {
    const char *name = base_name(path);
    size_t length = strlen(name);
    char folder[PATH_MAX];
    unsigned last = 0;

    snprintf(folder, sizeof(folder), "%.*s", (int)(name - path), path);
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        const char *rest = entry->d_name + length;
        if (strncmp(entry->d_name, name, length) != 0 || *rest != '-') {
            continue;
        }
        size_t digits = strspn(rest + 1, "0123456789");
        unsigned number = digits > 0 && digits <= 4 && rest[1 + digits] == '\0'
                              ? (unsigned)strtoul(rest + 1, NULL, 10)
                              : 0;
        last = number > last && number < LARGEST_COUNTED ? number : last;
    }
    if (entries != NULL) {
        closedir(entries);
    }
    return last;
}

/* Makes the folder PATH-N with the next number, while other runs may make folders, too. Returns 0
 * or an errno. */
static int make_next(char path[PATH_MAX]) {
    size_t length = strlen(path);
    int error = EEXIST;

    for (unsigned number = last_number(path) + 1; error == EEXIST && number < MOST_NUMBERS;
         number++) {
        snprintf(path + length, PATH_MAX - length, "-%u", number);
        error = pinsight_make_folder(AT_FDCWD, path, 0755);
    }
    return error;
}

/* Another user's link may lead to any folder of this user, and elsewhere the next time. */
static bool is_link_of_another(const char *path) {
    struct stat about;

    return lstat(path, &about) == 0 && S_ISLNK(about.st_mode) && about.st_uid != geteuid() &&
           about.st_uid != 0;
}

/* Returns whether the run may use a folder that existed before. */
static bool can_take(const char *path, bool force, char *why, size_t room) {
    int folder = pinsight_open_folder(AT_FDCWD, path, 0);
    bool can_write = folder >= 0 && access(path, W_OK | X_OK) == 0;
    int error = errno;
    enum pinsight_owned owned = can_write ? pinsight_try_owner(folder) : PINSIGHT_OWN;

    if (folder >= 0) {
        close(folder);
    }
    if (!can_write) {
        snprintf(why, room, "the trace folder %s cannot be written: %s; choose another with -o",
                 path, strerror(error));
    } else if (is_link_of_another(path)) {
        snprintf(why, room,
                 "the trace folder %s cannot be used: it is a link of another user; name a new one "
                 "with -o",
                 path);
    } else if (owned == PINSIGHT_OF_ANOTHER || owned == PINSIGHT_FOR_OTHERS) {
        snprintf(why, room, "the trace folder %s cannot be used: %s; name a new one with -o", path,
                 pinsight_not_own(owned));
    } else if (!pinsight_path_is_empty_folder(path) && force) {
        return pinsight_run_replace(path, why, room);
    } else if (!pinsight_path_is_empty_folder(path)) {
        snprintf(why, room,
                 "the trace folder %s is not empty; --force removes a trace that is there, or name "
                 "a new folder with -o",
                 path);
    } else {
        return true;
    }
    return false;
}

bool pinsight_run_output_make(char path[PATH_MAX], bool may_number, bool force, bool *made,
                              char *why, size_t room) {
    struct stat about;

    *made = may_number || stat(path, &about) != 0;
    if (!*made && !S_ISDIR(about.st_mode)) {
        snprintf(why, room, "%s is a file; name a new or an empty folder with -o", path);
        return false;
    }
    if (!*made) {
        return can_take(path, force, why, room);
    }
    int error = may_number ? make_next(path) : pinsight_path_make(path, 0755);
    if (error != 0) {
        snprintf(why, room, "the trace folder %s cannot be made: %s; choose another with -o", path,
                 strerror(error));
        return false;
    }
    return true;
}

void pinsight_run_output_straighten(char path[PATH_MAX]) {
    char real[PATH_MAX];
    size_t length = strlen(path);
    bool crooked = strstr(path, "/../") != NULL || strstr(path, "/./") != NULL ||
                   (length > 2 && strcmp(path + length - 3, "/..") == 0) ||
                   (length > 1 && strcmp(path + length - 2, "/.") == 0);

    if (crooked && realpath(path, real) != NULL) {
        strcpy(path, real);
    }
}

uint64_t pinsight_run_output_room(const char *path) {
    const uint64_t least = UINT64_C(1) << 20;
    struct statvfs disk;

    if (statvfs(path, &disk) != 0) {
        return UINT64_MAX;
    }
    uint64_t room = (uint64_t)disk.f_bavail * disk.f_frsize / 10;
    return room > least ? room : least;
}

const char *pinsight_run_output_short(const char *path) {
    char here[PATH_MAX];
    size_t length = getcwd(here, sizeof(here)) != NULL ? strlen(here) : 0;

    /* "/" is not shortened. A name that begins with a dash would be taken for an option. */
    if (length > 1 && strncmp(path, here, length) == 0 && path[length] == '/' &&
        path[length + 1] != '-') {
        return path + length + 1;
    }
    return path;
}
