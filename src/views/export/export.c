/* Writes a trace in another form; see export.h. */
#include "views/export/export.h"

#include "base/leftover.h"
#include "base/memory.h"
#include "base/safe_files.h"
#include "reader/trace.h"
#include "views/export/formats.h"
#include "views/profile/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct pinsight_export_format *const pinsight_export_formats[] = {
    &pinsight_export_perfetto,
    &pinsight_export_html,
    &pinsight_export_chrome,
    &pinsight_export_csv,
    &pinsight_export_pstats,
    &pinsight_export_callgrind,
    &pinsight_export_speedscope,
    &pinsight_export_folded,
    &pinsight_export_otf2,
    &pinsight_export_parquet,
    &pinsight_export_parquet_dataset,
    &pinsight_export_ctf,
    NULL,
};

static void fail(struct pinsight_export *export, const char *what, const char *path) {
    export->unread = export->unread || errno == EPIPE;
    if (!export->error)
        export->error = pinsight_format("%s %s: %s", what, path, strerror(errno));
}

static const char *shown_name(const struct pinsight_export *export) {
    return strcmp(export->options->output, "-") != 0 ? export->options->output : "standard output";
}

/* Receives events for forms that are made of events. */
static int on_event(void *data, const struct pinsight_event *event) {
    struct pinsight_export *export = data;

    export->format->event(export, event);
    return 0;
}

/* Looks now and then whether writing failed. No code in between sets errno. */
static void on_turn(void *data) {
    struct pinsight_export *export = data;

    if (export->out && ferror(export->out)) {
        fail(export, "writing failed:", shown_name(export));
        export->stop = true;
    }
}

/* The most names to try, if other users have files of these names. */
enum { MOST_PARTS = 100 };

/* Reads the trace, while the form writes. */
static int read_trace(struct pinsight_export *export) {
    const struct trace_observers observers = {.on_event = export->format->event ? on_event : NULL,
                                              .on_turn = on_turn,
                                              .data = export,
                                              .ended = &export->stop,
                                              .earlier = export->format->event != NULL,
                                              .progress = export->options->progress,
                                              .stop = export->options->stop};
    int rc = trace_read(export->options->trace, export->model, &observers, &export->source);

    if (rc != 0 && !export->error) {
        export->error = export->source.error;
        export->source.error = NULL;
    }
    return rc != 0 || export->stop ? -1 : 0;
}

/* Returns whether a file or a link belongs to this user or to root. */
static bool is_trusted(const struct stat *there) {
    return there->st_uid == geteuid() || there->st_uid == 0;
}

/* Returns the target of a link, which the caller frees; NULL if the output is written by its own
 * name. Another user can put a link where the output is expected: that link is replaced. */
static char *find_target(const char *output) {
    struct stat there;

    if (lstat(output, &there) != 0 || (S_ISLNK(there.st_mode) && !is_trusted(&there)))
        return NULL;
    return realpath(output, NULL);
}

/* Returns whether the output may be written, also through a link. Sets the error if not. A device
 * or a pipe is written to, but never replaced. */
static bool may_write(struct pinsight_export *export) {
    const char *output = export->options->output, *why = NULL;
    struct stat there;

    if (lstat(output, &there) != 0)
        return true;
    if (S_ISLNK(there.st_mode) && is_trusted(&there))
        stat(output, &there); /* a link without a target stays a link */
    if (S_ISDIR(there.st_mode))
        why = "it is a folder; name a file with -o";
    else if (!is_trusted(&there) && (S_ISFIFO(there.st_mode) || S_ISSOCK(there.st_mode)))
        why = "it is a pipe of another user; name a file with -o";
    else if ((S_ISREG(there.st_mode) || S_ISLNK(there.st_mode)) && !export->options->force)
        why = "it is there already; --force replaces it, or name another file with -o";
    if (why)
        export->error = pinsight_format("cannot write %s: %s", output, why);
    return !why;
}

/* Opens NAME.part as a new file, so that no other user can have made it. Replaces the rest of a
 * killed export. Takes another name if another user's file or a folder has this one. The file has
 * the permissions of the file of this user that it replaces. Without one, it is for this user
 * alone, like a trace. Returns -1 with errno if it fails. */
static int open_part(const char *output, char **part) {
    struct stat there;
    bool is_own = lstat(output, &there) == 0 && S_ISREG(there.st_mode) && there.st_uid == geteuid();
    unsigned mode = is_own ? there.st_mode & 0777 : 0600;

    *part = pinsight_format("%s.part", output);
    for (unsigned number = 2; number < MOST_PARTS; number++) {
        if (lstat(*part, &there) == 0 && S_ISREG(there.st_mode) && there.st_uid == geteuid())
            unlink(*part);
        int fd = pinsight_open_to_write(AT_FDCWD, *part, O_WRONLY | O_EXCL, mode);
        if (fd >= 0 || errno != EEXIST)
            return fd;
        free(*part);
        *part = pinsight_format("%s.part-%u", output, number);
    }
    errno = EEXIST;
    return -1;
}

/* Opens the output, under a name of its own until it is complete. Returns this name, which the
 * caller frees, or NULL if the output is written in place or an error was set. */
static char *open_output(struct pinsight_export *export) {
    char *target = find_target(export->options->output), *part = NULL;
    const char *output = target ? target : export->options->output;
    struct stat there;
    sigset_t signals;

    export->target = target;
    if (export->format->folder)
        return NULL;
    if (!strcmp(export->options->output, "-")) {
        export->out = stdout;
        return NULL;
    }
    if (!may_write(export))
        return NULL;
    if (lstat(output, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode)) {
        export->out = fopen(output, "w"); /* may wait long for the other end of a pipe */
    } else {
        pinsight_leftover_block_signals(&signals);
        int fd = open_part(output, &part);
        export->out = fd >= 0 ? fdopen(fd, "w") : NULL;
        if (export->out)
            pinsight_leftover_note(part);
        pinsight_leftover_unblock_signals(&signals);
    }
    if (!export->out) {
        fail(export, "cannot write", part ? part : output);
        free(part);
        return NULL;
    }
    setvbuf(export->out, NULL, _IOFBF, 1 << 20);
    return part;
}

/* Renames the part to the output's name. Without --force, it does not replace a file that was made
 * meanwhile. Returns 0, or an error number. */
static int keep_output(const struct pinsight_export *export, const char *part) {
    const char *output = export->target ? export->target : export->options->output;

    if (!export->options->force && !export->target) {
        if (renameat2(AT_FDCWD, part, AT_FDCWD, output, RENAME_NOREPLACE) == 0)
            return 0;
        if (errno == EEXIST)
            return EEXIST;
    }
    return rename(part, output) == 0 ? 0 : errno;
}

/* Closes the output. A failure, such as a full disk, shows here at the latest. */
static int close_output(struct pinsight_export *export, char *part, int rc) {
    int error = 0;

    if (!export->out)
        return rc;
    if (fflush(export->out) != 0 || ferror(export->out))
        error = errno;
    if (export->out != stdout && fclose(export->out) != 0 && !error)
        error = errno;
    export->out = NULL;
    if (rc == 0 && !error && part)
        error = keep_output(export, part);
    if (error && !export->error) {
        errno = error;
        fail(export, "writing failed:", shown_name(export));
    }
    if (export->error && part)
        unlink(part);
    if (part)
        pinsight_leftover_forget(part);
    return export->error ? -1 : 0;
}

int pinsight_export_write(struct pinsight_export *export,
                          const struct pinsight_export_format *format,
                          const struct pinsight_export_options *options) {
    struct pinsight_model_options model = {
        .thread = options->thread, .process = options->process, .region = options->region};
    char *part;
    int rc;

    *export = (struct pinsight_export){.format = format, .options = options};
    export->model = pinsight_model_new(&model);
    export->timeline = format->timeline;
    export->timeline.data = export;
    pinsight_slice_texts_make(&export->texts, export->model);
    part = open_output(export);
    rc = export->error ? -1 : 0;
    if (rc == 0) {
        export->own = pinsight_calloc(1, format->profile ? sizeof(struct pinsight_contexts)
                                                         : format->own_size + 1);
        if (format->profile)
            pinsight_profile_begin(export);
        else
            rc = format->begin(export);
    }
    pinsight_model_show(export->model, &export->timeline);
    if (rc == 0)
        rc = read_trace(export);
    if (rc == 0 && format->profile)
        pinsight_profile_finish(export);
    else if (rc == 0 && format->finish)
        rc = format->finish(export);
    rc = close_output(export, part, rc);
    free(part);
    return rc;
}

void pinsight_export_clear(struct pinsight_export *export) {
    /* After an error, open slices are not written any more. Tracks are freed before the things that
     * they refer to. */
    export->timeline.begin = NULL;
    export->timeline.end = NULL;
    pinsight_model_free(export->model);
    if (export->own && export->format->profile)
        pinsight_contexts_clear(export->own);
    else if (export->own && export->format->clear)
        export->format->clear(export);
    free(export->own);
    pinsight_slice_texts_clear(&export->texts);
    pinsight_source_result_clear(&export->source);
    PINSIGHT_FREE(export->error, export->target, export->note);
}
