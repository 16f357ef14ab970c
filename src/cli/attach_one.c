/* One of the processes that `pinsight attach` records; see attach_one.h. */
#include "cli/attach_one.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/interrupt.h"
#include "attach/remote_exec.h"
#include "attach/thread.h"
#include "base/attached.h"
#include "base/clock.h"
#include "base/ctl_client.h"
#include "base/paths.h"
#include "base/process.h"

enum {
    PATIENCE_MS = 10000,
    ASKED_MS = 300,
    STATUS_MS = 1000,
    ENDS_MS = 2000,
    LOOK_MS = 10,
    MINOR_FIRST = 14
};

bool pinsight_attach_output(int pid, char output[PATH_MAX], bool *attached) {
    size_t count;
    struct pinsight_call *calls = pinsight_calls_find(&count);
    char word[8];
    bool found = false;

    *attached = false;
    output[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        if (calls[i].pid != pid) {
            calls[i].state = PINSIGHT_CALL_GONE; /* will not be asked */
        }
    }
    if (count > 0) {
        pinsight_calls_ask(calls, count, "status\n", STATUS_MS);
    }
    for (size_t i = 0; i < count && !found; i++) {
        if (calls[i].pid == pid && calls[i].state == PINSIGHT_CALL_ANSWERED) {
            found = true;
            pinsight_call_value(&calls[i], "output", output, PATH_MAX);
            *attached = pinsight_call_value(&calls[i], "attached", word, sizeof(word)) &&
                        strcmp(word, "yes") == 0;
        }
    }
    pinsight_calls_free(calls, count);
    return found;
}

/* ---- the script ---- */

struct awaited {
    const struct pinsight_attach_target *target;
    const struct pinsight_attach_how *how;
    char problem[PATH_MAX]; /* path of the file into which the script writes an error */
    bool recorded, failed, ended;
    bool was_recorded; /* failed because the process is recorded, or was so a moment ago */
};

static bool is_done(void *data) {
    struct awaited *awaited = data;
    char output[PATH_MAX];
    bool attached;

    awaited->failed = access(awaited->problem, F_OK) == 0;
    awaited->recorded = !awaited->failed &&
                        pinsight_attach_output(awaited->target->pid, output, &attached) &&
                        attached && strcmp(output, awaited->how->output) == 0;
    char state = pinsight_process_state(awaited->target->pid);
    awaited->ended = state == 0 || state == 'Z' || state == 'X';
    return awaited->failed || awaited->recorded || awaited->ended;
}

/* Writes a text as a literal of Python, in single quotes. */
static void quote(FILE *file, const char *text) {
    fputc('\'', file);
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < 0x20 || byte == '\'' || byte == '\\' || byte >= 0x7F) {
            fprintf(file, "\\x%02x", byte);
        } else {
            fputc(byte, file);
        }
    }
    fputc('\'', file);
}

/* Writes the name of a file, as bytes that os.fsdecode() decodes. */
static void quote_path(FILE *file, const char *path) {
    fputs("fs(b", file);
    quote(file, path);
    fputc(')', file);
}

/*
 * Writes the script for the process, which uses only modules that its interpreter has loaded.
 * Several threads may execute it: the extension begins only once for an output. The script calls
 * nothing after the extension has begun to record.
 */
static void write_script(FILE *file, const struct awaited *awaited) {
    fputs("def pinsight_attach():\n"
          "    import sys, posix\n"
          "    fs = lambda path: path.decode(sys.getfilesystemencoding(), 'surrogateescape')\n"
          "    name = '_pinsight_python'\n"
          "    try:\n"
          "        module = sys.modules.get(name)\n"
          "        if module is None:\n"
          "            import _imp, _frozen_importlib, _frozen_importlib_external\n"
          "            other = sys.version_info[3] in ('alpha', 'beta') or hasattr(sys, "
          "'gettotalrefcount')\n"
          "            usual, plain = ",
          file);
    quote_path(file, awaited->target->extension);
    fputs(", ", file);
    quote_path(file, awaited->target->plain);
    fputs("\n"
          "            path = plain if other or not usual else usual\n"
          "            spec = _frozen_importlib.ModuleSpec(name, "
          "_frozen_importlib_external.ExtensionFileLoader(name, path), origin=path)\n"
          "            module = _imp.create_dynamic(spec)\n"
          "            _imp.exec_dynamic(module)\n"
          "            sys.modules[name] = module\n"
          "        problem = module.attach(",
          file);
    quote_path(file, awaited->how->output);
    fputs(", ", file);
    quote_path(file, awaited->how->config);
    fprintf(file, ", 2, %llu, ", (unsigned long long)pinsight_now_ns());
    quote(file, awaited->how->ring);
    fputs(")\n", file);
    fputs("    except BaseException as error:\n"
          "        problem = '%s: %s' % (type(error).__name__, error)\n"
          "    if problem:\n"
          "        draft = ",
          file);
    quote_path(file, awaited->problem);
    fputs(" + '-draft'\n"
          "        fd = posix.open(draft, posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC, 0o600)\n"
          "        posix.write(fd, problem.encode('utf-8', 'replace'))\n"
          "        posix.close(fd)\n"
          "        posix.rename(draft, draft[:-6])\n"
          "pinsight_attach()\n",
          file);
}

/* Returns the script as text, which the caller frees. Returns NULL without memory. */
static char *make_script(const struct awaited *awaited) {
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    if (file == NULL) {
        return NULL;
    }
    write_script(file, awaited);
    if (fclose(file) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static bool write_file(const char *path, const char *text) {
    size_t size = strlen(text);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0) {
        return false;
    }
    ssize_t written = write(fd, text, size);
    return close(fd) == 0 && written == (ssize_t)size;
}

static void read_problem(struct awaited *awaited, char *why, size_t room) {
    char text[2048] = "";
    int fd = open(awaited->problem, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    if (fd >= 0) {
        ssize_t got = read(fd, text, sizeof(text) - 1);
        text[got > 0 ? got : 0] = '\0';
        close(fd);
    }
    awaited->was_recorded = strcmp(text, PINSIGHT_RECORDED_ALREADY) == 0;
    if (strstr(text, "static TLS") != NULL) {
        snprintf(why, room,
                 "process %d has no room for the thread data of another library (%s); start it "
                 "with GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096, or with `pinsight run`",
                 awaited->target->pid, text);
    } else {
        snprintf(why, room, "process %d (%s) cannot be recorded: %s", awaited->target->pid,
                 awaited->target->name, *text != '\0' ? text : "it does not say why");
    }
}

static void explain(enum pinsight_remote how, int error,
                    const struct pinsight_attach_target *target, char *why, size_t room) {
    int pid = target->pid;

    switch (how) {
    case PINSIGHT_REMOTE_OFF:
        snprintf(why, room,
                 "process %d (%s) refuses scripts from outside (PYTHON_DISABLE_REMOTE_DEBUG or -X "
                 "disable-remote-debug); start it without that, or with `pinsight run`",
                 pid, target->name);
        break;
    case PINSIGHT_REMOTE_GONE:
        snprintf(why, room,
                 "process %d (%s) has no interpreter now: it is just starting or ending; try again",
                 pid, target->name);
        break;
    case PINSIGHT_REMOTE_SILENT:
        snprintf(
            why, room,
            "process %d (%s) ran no Python in %d s: each of its threads is in C code or waits; "
            "nothing was changed in it. Try again when it does, or start it with `pinsight "
            "run`",
            pid, target->name, PATIENCE_MS / 1000);
        break;
    case PINSIGHT_REMOTE_TOO_LONG:
        snprintf(why, room,
                 "the path of the output folder is too long; choose another one with -o");
        break;
    default:
        if (error == ENOEXEC) {
            snprintf(
                why, room,
                "process %d (%s) cannot start to be recorded while it runs: its Python exports no "
                "functions, or is of another processor; start it with `pinsight run`",
                pid, target->name);
        } else if (error == EPERM) {
            pinsight_target_refused(pid, "attach", why, room);
        } else if (error == ETIMEDOUT) {
            snprintf(why, room,
                     "process %d (%s) did not stop within %d s: it waits in the kernel, or gets no "
                     "processor; nothing was changed in it. Try again later",
                     pid, target->name, PINSIGHT_THREAD_STOPS_S);
        } else {
            snprintf(why, room, "process %d (%s) cannot be reached: %s", pid, target->name,
                     strerror(error));
        }
        break;
    }
}

/* Returns whether the interpreter can be asked to execute a script (PEP 768). */
static bool can_be_asked(const struct pinsight_attach_target *target) {
    return (target->runtime.version >> 16 & 0xff) >= MINOR_FIRST && target->runtime.has_offsets;
}

/* Makes the process execute the script. Asks the interpreter if that is possible. If it is
 * impossible, or if all threads wait, interrupts a thread. If the interpreter refuses scripts, does
 * nothing more. */
static enum pinsight_remote have_executed(const struct pinsight_attach_target *target,
                                          const char *script, const char *text,
                                          struct awaited *awaited) {
    bool interrupts = pinsight_interrupt_possible();

    if (can_be_asked(target)) {
        enum pinsight_remote how = pinsight_remote_exec(
            &target->runtime, script, interrupts ? ASKED_MS : PATIENCE_MS, is_done, awaited);
        if (how != PINSIGHT_REMOTE_SILENT || !interrupts) {
            return how;
        }
    }
    return pinsight_interrupt(target->pid, text, PATIENCE_MS, is_done, awaited);
}

/* Makes the process begin to record, in one attempt. Returns whether it records; otherwise writes
 * the reason to `why`. */
static bool begin(struct awaited *awaited, char *why, size_t room) {
    const struct pinsight_attach_target *target = awaited->target;
    const char *output = awaited->how->output;
    char name[64], script[PATH_MAX];

    snprintf(name, sizeof(name), ".attach-%d-problem", target->pid);
    bool fits = pinsight_path_join(awaited->problem, output, name);
    snprintf(name, sizeof(name), ".attach-%d.py", target->pid);
    fits = fits && pinsight_path_join(script, output, name);
    char *text = fits ? make_script(awaited) : NULL;
    if (text == NULL || !write_file(script, text)) {
        snprintf(why, room, "the folder %s cannot be written: %s; choose another one with -o",
                 output, strerror(fits ? errno : ENAMETOOLONG));
        free(text);
        return false;
    }
    enum pinsight_remote how = have_executed(target, script, text, awaited);
    int error = errno;
    free(text);
    if (how != PINSIGHT_REMOTE_DONE) {
        explain(how, error, target, why, room);
    } else if (awaited->failed) {
        read_problem(awaited, why, room);
        unlink(awaited->problem);
    } else if (!awaited->recorded) {
        snprintf(why, room, "process %d (%s) ended meanwhile", target->pid, target->name);
    }
    /* The file stays, because a thread that was about to execute it may still open it. */
    return how == PINSIGHT_REMOTE_DONE && awaited->recorded;
}

bool pinsight_attach_one(const struct pinsight_attach_target *target,
                         const struct pinsight_attach_how *how, char *why, size_t room) {
    int64_t until = pinsight_now_ms() + ENDS_MS;
    bool ends;

    if (!can_be_asked(target) && !pinsight_interrupt_possible()) {
        snprintf(why, room,
                 "process %d (%s) runs Python %s, and on this machine only 3.14 and later can "
                 "start to be recorded while they run; start it with `pinsight run`",
                 target->pid, target->name, target->tag);
        return false;
    }
    /* A recording that `pinsight detach` ended may not have ended in the process yet. */
    do {
        struct awaited awaited = {.target = target, .how = how};
        char other[PATH_MAX];
        bool attached;

        if (begin(&awaited, why, room)) {
            return true;
        }
        ends = awaited.was_recorded && !pinsight_attach_output(target->pid, other, &attached) &&
               pinsight_now_ms() < until;
        pinsight_sleep_ms(ends ? LOOK_MS : 0);
    } while (ends);
    return false;
}
