/* Examines a Python interpreter; see python.h. The rules are those of CPython's getpath and
 * site. */
#include "runtimes/python.h"

#include <ctype.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/safe_files.h"

struct flags {
    bool no_environment; /* -E, -I */
    bool no_user_site;   /* -s, -I */
    bool no_site;        /* -S */
    const char *script;  /* NULL if there is none, or for -c and -m */
};

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

bool pinsight_python_is(const struct pinsight_elf *elf, const char *path) {
    char name[PINSIGHT_ELF_NAME_MAX];

    if (pinsight_elf_defines(elf, "Py_BytesMain")) {
        return true;
    }
    for (size_t i = 0; i < elf->needed_count; i++) {
        if (pinsight_elf_string(elf, elf->needed[i], name, sizeof(name)) &&
            strncmp(name, "libpython", 9) == 0) {
            return true;
        }
    }
    return strncmp(base_of(path), "python", 6) == 0;
}

bool pinsight_python_is_debug(const struct pinsight_elf *elf) {
    char name[PINSIGHT_ELF_NAME_MAX];

    /* As pinsight_plain_is_debug_build(). */
    if (pinsight_elf_defines(elf, "_Py_RefTotal") ||
        pinsight_elf_defines(elf, "_Py_INCREF_IncRefTotal")) {
        return true;
    }
    for (size_t i = 0; i < elf->needed_count; i++) {
        if (pinsight_elf_string(elf, elf->needed[i], name, sizeof(name)) &&
            strncmp(name, "libpython", 9) == 0 && strstr(name, "d.so") != NULL) {
            return true;
        }
    }
    return false;
}

static void read_flags(struct flags *flags, char *const *arguments) {
    for (; arguments != NULL && *arguments != NULL; arguments++) {
        const char *word = *arguments;
        if (word[0] != '-' || word[1] == '\0') {
            flags->script = word[0] != '-' ? word : NULL;
            return;
        }
        if (word[1] == '-') {
            if (strcmp(word, "--check-hash-based-pycs") == 0 && arguments[1] != NULL) {
                arguments++;
            }
            continue;
        }
        for (const char *letter = word + 1; *letter != '\0'; letter++) {
            flags->no_environment = flags->no_environment || *letter == 'E' || *letter == 'I';
            flags->no_user_site = flags->no_user_site || *letter == 's' || *letter == 'I';
            flags->no_site = flags->no_site || *letter == 'S';
            if (*letter == 'c' || *letter == 'm') {
                return;
            }
            if (*letter == 'W' || *letter == 'X') {
                if (letter[1] == '\0' && arguments[1] != NULL) {
                    arguments++;
                }
                break;
            }
        }
    }
}

/* Reads the version after a stem in a name, such as "python3.11" or "libpython3.13t.so.1.0".
 * Returns false if there is none. */
static bool take_version(char version[16], const char *name, const char *stem) {
    size_t length = strlen(stem);

    if (strncmp(name, stem, length) != 0 || name[length] != '3' || name[length + 1] != '.' ||
        !isdigit((unsigned char)name[length + 2])) {
        return false;
    }
    size_t end = length + 2;
    while (isdigit((unsigned char)name[end])) {
        end++;
    }
    end += name[end] == 't';
    return snprintf(version, 16, "%.*s", (int)(end - length), name + length) < 16;
}

static void find_version(struct pinsight_command *command, const char *real, const char *base) {
    struct pinsight_elf elf;
    char name[PINSIGHT_ELF_NAME_MAX], folder[PATH_MAX];

    if (take_version(command->version, base_of(real), "python")) {
        return;
    }
    if (pinsight_elf_open(&elf, real) == 0) {
        for (size_t i = 0; i < elf.needed_count; i++) {
            if (pinsight_elf_string(&elf, elf.needed[i], name, sizeof(name)) &&
                take_version(command->version, name, "libpython")) {
                break;
            }
        }
        pinsight_elf_close(&elf);
    }
    if (*command->version != '\0' || !pinsight_path_join(folder, base, "lib")) {
        return;
    }
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        if (take_version(command->version, entry->d_name, "python")) {
            break;
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
}

static void add_site(struct pinsight_command *command, const char *folder) {
    struct stat about;

    if (*folder == '\0' || command->site_count == PINSIGHT_SITES_MAX || stat(folder, &about) != 0 ||
        !S_ISDIR(about.st_mode)) {
        return;
    }
    for (size_t i = 0; i < command->site_count; i++) {
        struct stat other;
        if (stat(command->sites[i], &other) == 0 && other.st_ino == about.st_ino &&
            other.st_dev == about.st_dev) {
            return;
        }
    }
    command->sites[command->site_count] = strdup(folder);
    command->site_count += command->sites[command->site_count] != NULL;
}

__attribute__((format(printf, 2, 3))) static void add_made(struct pinsight_command *command,
                                                           const char *format, ...) {
    char folder[PATH_MAX];
    va_list arguments;

    va_start(arguments, format);
    int n = vsnprintf(folder, sizeof(folder), format, arguments);
    va_end(arguments);
    if (n > 0 && n < (int)sizeof(folder)) {
        add_site(command, folder);
    }
}

static void add_of_prefix(struct pinsight_command *command, const char *prefix) {
    const char *version = command->version;

    if (strcmp(prefix, "/usr") == 0) { /* Debian's folders */
        add_made(command, "/usr/local/lib/python%s/dist-packages", version);
        add_made(command, "/usr/lib/python3/dist-packages");
        add_made(command, "/usr/local/lib/python%s/site-packages", version); /* Fedora's folders */
        add_made(command, "/usr/local/lib64/python%s/site-packages", version);
    }
    add_made(command, "%s/lib/python%s/site-packages", prefix, version);
    add_made(command, "%s/lib64/python%s/site-packages", prefix, version);
}

/* Writes the folder above a file's folder: "/usr" for "/usr/bin/python3". */
static bool above(char folder[PATH_MAX], const char *path) {
    snprintf(folder, PATH_MAX, "%s", path);
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(folder, '/');
        if (slash == NULL) {
            return false;
        }
        *slash = '\0';
    }
    return true;
}

/* Reads pyvenv.cfg beside the interpreter, or one folder above. Each line is `key = value`. */
static bool read_venv(const char *program, char prefix[PATH_MAX], bool *system_sites) {
    char absolute[PATH_MAX], path[PATH_MAX], line[PATH_MAX];
    char *slash;

    if (program[0] == '/') {
        snprintf(absolute, sizeof(absolute), "%s", program);
    } else if (getcwd(line, sizeof(line)) == NULL || !pinsight_path_join(absolute, line, program)) {
        return false;
    }
    if (!above(prefix, absolute) || !pinsight_path_join(path, prefix, "pyvenv.cfg")) {
        return false;
    }
    FILE *file = pinsight_open_to_read(path);
    if (file == NULL) {
        slash = strrchr(absolute, '/');
        *slash = '\0';
        snprintf(prefix, PATH_MAX, "%s", absolute);
        file = pinsight_path_join(path, prefix, "pyvenv.cfg") ? pinsight_open_to_read(path) : NULL;
    }
    if (file == NULL) {
        return false;
    }
    *system_sites = false;
    while (fgets(line, sizeof(line), file) != NULL) {
        char key[64], value[64];
        if (sscanf(line, " %63[^= \t] = %63s", key, value) == 2 &&
            strcmp(key, "include-system-site-packages") == 0) {
            *system_sites = strcasecmp(value, "true") == 0;
        }
    }
    fclose(file);
    return true;
}

static void add_from_environment(struct pinsight_command *command) {
    const char *list = getenv("PYTHONPATH");

    for (const char *at = list; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ":");
        add_made(command, "%.*s", (int)length, at);
        at += length + (at[length] == ':');
    }
}

static void add_user_site(struct pinsight_command *command) {
    const char *base = getenv("PYTHONUSERBASE"), *home = getenv("HOME");

    if (base != NULL && *base != '\0') {
        add_made(command, "%s/lib/python%s/site-packages", base, command->version);
    } else if (home != NULL && *home != '\0') {
        add_made(command, "%s/.local/lib/python%s/site-packages", home, command->version);
    }
}

static void set_script_folder(struct pinsight_command *command, const char *script) {
    char real[PATH_MAX];
    struct stat about;

    if (script == NULL || realpath(script, real) == NULL || stat(real, &about) != 0) {
        return;
    }
    if (!S_ISDIR(about.st_mode)) {
        *strrchr(real, '/') = '\0';
    }
    snprintf(command->script_folder, sizeof(command->script_folder), "%s", real);
}

void pinsight_python_look(struct pinsight_command *command, const char *script,
                          char *const *arguments) {
    struct flags flags = {.script = NULL};
    char real[PATH_MAX], base[PATH_MAX];
    bool system_sites = true;

    read_flags(&flags, arguments);
    set_script_folder(command, script != NULL ? script : flags.script);
    if (realpath(command->program, real) == NULL || !above(base, real)) {
        return;
    }
    find_version(command, real, base);
    if (*command->version == '\0') {
        return;
    }
    bool venv = read_venv(command->program, command->prefix, &system_sites);
    const char *no_user = getenv("PYTHONNOUSERSITE");
    if (!venv) {
        snprintf(command->prefix, sizeof(command->prefix), "%s", base);
    }
    if (!flags.no_environment) {
        add_from_environment(command);
    }
    if (flags.no_site) {
        return;
    }
    if (venv) {
        add_of_prefix(command, command->prefix);
    }
    if (!venv || system_sites) {
        if (!flags.no_user_site && (no_user == NULL || *no_user == '\0')) {
            add_user_site(command);
        }
        add_of_prefix(command, base);
    }
}
