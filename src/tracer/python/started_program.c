/* The program that a Python runs; see started_program.h. */
#include "tracer/python/started_program.h"

#include "base/process.h"
#include "tracer/python/starting_lines.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The most ancestors that are looked at. */
#define MOST_ANCESTORS 16

static const char *const runners[] = {
    "IPython",   "accelerate", "celery",    "coverage",  "dask",      "debugpy",  "deepspeed",
    "flask",     "gunicorn",   "horovod",   "hypercorn", "ipykernel", "jupyter",  "jupyter_core",
    "lightning", "mpi4py",     "nbconvert", "notebook",  "papermill", "pinsight", "pip",
    "pytest",    "ray",        "streamlit", "torch",     "uvicorn"};

bool pinsight_started_is_runner(const struct pinsight_started *started) {
    for (size_t i = 0; i < sizeof(runners) / sizeof(*runners); i++)
        if (strcmp(started->package, runners[i]) == 0)
            return true;
    return false;
}

/* Reads a file of /proc/PID, with a zero byte behind it. Returns its length, 0 if it cannot be
 * read. */
static size_t read_of(pid_t pid, const char *name, char *text, size_t room) {
    char path[64];
    size_t used = 0;
    ssize_t got;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    while (file >= 0 && used < room - 1 && (got = read(file, text + used, room - 1 - used)) > 0)
        used += (size_t)got;
    if (file >= 0)
        close(file);
    text[used] = '\0';
    return used;
}

/* Takes the top package of a module. */
static void take_package(struct pinsight_started *started, const char *module, size_t length) {
    size_t first = strcspn(module, ".");

    if (length > first)
        length = first;
    if (length >= sizeof started->package)
        length = 0;
    memcpy(started->package, module, length);
    started->package[length] = '\0';
}

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

/* Handles a script that an installer wrote as a command for a package. The first imported module
 * belongs to the package. Returns false for a script of the user. */
static bool take_command(struct pinsight_started *started, const char *path) {
    char text[4096];
    const char *slash = strrchr(path, '/');
    bool is_bin = slash && slash - path >= 4 && strncmp(slash - 4, "/bin", 4) == 0;
    int file = is_bin ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    ssize_t got = file >= 0 ? read(file, text, sizeof text) : -1;

    if (file >= 0)
        close(file);
    if (got <= 0 || (size_t)got >= sizeof text || memchr(text, '\0', (size_t)got))
        return false;
    text[got] = '\0';
    if (strncmp(text, "#!", 2) != 0 || !strstr(text, "sys.exit("))
        return false;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "from ", 5) != 0)
            continue;
        const char *module = line + 5;
        size_t length = strcspn(module, " \t\n");
        if (strncmp(module + length, " import ", 8) != 0 || is_word(module, length, "__future__"))
            continue;
        if (!is_word(module, length, "pkg_resources") &&
            !is_word(module, length, "importlib.metadata") &&
            !is_word(module, length, "importlib_metadata"))
            take_package(started, module, length);
        return true;
    }
    return false;
}

static void take_file(struct pinsight_started *started, const char *name) {
    char full[PATH_MAX];
    bool is_command =
        (realpath(name, full) && take_command(started, full)) || take_command(started, name);

    if (strlen(name) >= sizeof started->file)
        return;
    strcpy(started->file, name);
    started->kind = is_command ? PINSIGHT_STARTED_COMMAND : PINSIGHT_STARTED_SCRIPT;
}

/* Takes the package that the given code imports and calls, if the code does nothing else. */
static void take_code(struct pinsight_started *started, const char *code) {
    size_t length = 0;
    const char *module = pinsight_starting_lines_module(code, &length);

    if (module)
        take_package(started, module, length);
}

/* Handles code on the standard input, if it is a file. The process's own position in it stays. */
static void take_input(struct pinsight_started *started, pid_t pid) {
    char path[64], code[4096];
    struct stat about;

    snprintf(path, sizeof path, "/proc/%d/fd/0", (int)pid);
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode) &&
        (size_t)about.st_size < sizeof code - 1 && read_of(pid, "fd/0", code, sizeof code))
        take_code(started, code);
}

/* Takes what runpy, or a profiler or debugger of the standard library, runs: `name` is its module,
 * and its words follow. */
static void take_run(struct pinsight_started *started, const char *name, const char *end) {
    static const char *const running[] = {"runpy", "cProfile", "profile", "pdb", "trace"};
    size_t number = 0, count = sizeof(running) / sizeof(*running);
    const char *word = name + strlen(name) + 1;

    while (number < count && strcmp(name, running[number]) != 0)
        number++;
    if (number == count || word >= end)
        return;
    started->package[0] = '\0';
    if (number == 0) {
        take_package(started, word, strlen(word));
        return;
    }
    for (; word < end && word[0] == '-'; word += strlen(word) + 1) {
        if (word[1] == 'm') {
            const char *module = word[2] ? word + 2 : word + 3;
            if (module < end)
                take_package(started, module, strlen(module));
            return;
        }
        if (strchr("os", word[1]) && word[1] && !word[2]) /* the file, and the order of a profile */
            word += strlen(word) + 1;
    }
    if (word < end)
        take_file(started, word);
}

void pinsight_started_find(pid_t pid, struct pinsight_started *started) {
    char words[8192];
    const char *end = words + read_of(pid, "cmdline", words, sizeof words);

    started->kind = PINSIGHT_STARTED_CODE;
    started->package[0] = started->file[0] = '\0';
    /* As CPython reads them. */
    for (const char *word = words + strlen(words) + 1; word < end; word += strlen(word) + 1) {
        if (word[0] != '-') {
            take_file(started, word);
            return;
        }
        if (strcmp(word, "--check-hash-based-pycs") == 0)
            word += strlen(word) + 1;
        if (word >= end || word[1] == '-')
            continue;
        const char *flag = word + 1;
        flag += strcspn(flag, "cmWX");
        const char *value = *flag && flag[1] ? flag + 1 : word + strlen(word) + 1;
        if (*flag == 'c') {
            if (value < end)
                take_code(started, value);
            return;
        }
        if (word[1] == '\0')
            break;
        if (*flag == 'm') {
            started->kind = PINSIGHT_STARTED_MODULE;
            if (value < end) {
                take_package(started, value, strlen(value));
                take_run(started, value, end);
            }
            return;
        }
        if (*flag && !flag[1])
            word = value;
        if (word >= end)
            return;
    }
    take_input(started, pid);
}

/* Returns whether a process is a Python that a run of PInsight started. */
static bool is_recorded_python(pid_t pid) {
    static const char variable[] = "PINSIGHT_OUTPUT=";
    char path[64], program[PATH_MAX], environment[64 << 10];

    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    ssize_t length = readlink(path, program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    const char *slash = strrchr(program, '/');
    if (!slash || strncmp(slash + 1, "python", 6) != 0)
        return false;
    const char *end = environment + read_of(pid, "environ", environment, sizeof environment);
    for (const char *at = environment; at < end; at += strlen(at) + 1)
        if (strncmp(at, variable, sizeof variable - 1) == 0)
            return true;
    return false;
}

bool pinsight_started_by_program(const struct pinsight_started *own) {
    pid_t pid = getppid();

    for (int i = 0; i < MOST_ANCESTORS && pid > 1 && is_recorded_python(pid); i++) {
        struct pinsight_started parent;

        pinsight_started_find(pid, &parent);
        if (!pinsight_started_is_runner(&parent) &&
            (!own->package[0] || strcmp(parent.package, own->package) != 0))
            return true;
        pid = pinsight_process_parent(pid);
    }
    return false;
}
