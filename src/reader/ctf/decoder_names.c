/* The names of a folder's streams; see decoder_names.h. */
#include "reader/ctf/decoder_names.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/safe_files.h"
#include "format/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool decoder_is_ours(const struct decoder_folder *folder) {
    return folder->found && tsdl_is(folder->trace->tsdl.tracer, "pinsight");
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds a stream, if the folder is one whose streams of that name are read. */
static void add(const struct decoder_folder *folder, const char *name, struct decoder_names *list) {
    static const char channel[] = "definitions_";

    if (name[0] != '.' && strcmp(name, "metadata") != 0 &&
        (folder->found || !strncmp(name, channel, sizeof(channel) - 1)))
        *PINSIGHT_ADD(list->names, list->count, list->capacity) =
            pinsight_format("%s/%s", folder->at, name);
}

static void add_files(const struct decoder_folder *folder, struct decoder_names *list) {
    DIR *dir = opendir(folder->at);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        const char *name = entry->d_name;

        if (decoder_is_ours(folder) && pinsight_buffer_is_name(name))
            name++; /* its stream's name; the stream may have no file yet */
        add(folder, name, list);
    }
    if (dir)
        closedir(dir);
}

static int read_packed(struct decoder_folder *folder) {
    int at = pinsight_open_folder(AT_FDCWD, folder->at, 0);
    int error = at < 0 ? ENOENT : pinsight_packed_read(at, &folder->packed);

    if (at >= 0)
        close(at);
    return error;
}

const struct pinsight_packed_member *decoder_find_packed(struct decoder_folder *folder,
                                                         const char *path) {
    const int error = errno;

    if (folder->found && !folder->packed.count) {
        pinsight_packed_free(&folder->packed);
        read_packed(folder);
    }
    errno = error;
    return pinsight_packed_find(&folder->packed, strrchr(path, '/') + 1);
}

/* Adds the members of the archive. The result gets its damage, and why it cannot be read. */
static void add_members(struct decoder_folder *folder, struct decoder_names *list,
                        struct pinsight_source_result *result) {
    int error = read_packed(folder);

    for (size_t i = 0; i < folder->packed.count; i++)
        add(folder, folder->packed.all[i].name, list);
    if ((error && error != ENOENT) || folder->packed.is_damaged) {
        pinsight_source_warn(
            result, error ? pinsight_format("%s/" PINSIGHT_PACKED_FILE
                                            " cannot be read: %s; its streams are left out",
                                            folder->found->folder, strerror(error))
                          : pinsight_format("%s/" PINSIGHT_PACKED_FILE
                                            " is damaged or cut off, from byte %" PRIu64
                                            " on; the streams that are found in it are reported",
                                            folder->found->folder, folder->packed.sound));
        folder->damaged = true;
        result->damaged_streams++;
    }
}

struct decoder_names decoder_list_names(struct decoder_folder *folder,
                                        struct pinsight_source_result *result) {
    struct decoder_names list = {0};
    size_t kept = 0;

    add_files(folder, &list);
    /* Reads the folder twice. A file that is made during the first reading, and whose buffer is
     * renamed meanwhile, could be missed under both names. */
    if (decoder_is_ours(folder))
        add_files(folder, &list);
    if (folder->found)
        add_members(folder, &list, result);
    if (list.count > 1)
        PINSIGHT_SORT(list.names, list.count, by_name);
    for (size_t i = 0; i < list.count; i++)
        if (kept && !strcmp(list.names[kept - 1], list.names[i]))
            free(list.names[i]);
        else
            list.names[kept++] = list.names[i];
    list.count = kept;
    return list;
}

void decoder_free_names(struct decoder_names *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    *list = (struct decoder_names){0};
}
