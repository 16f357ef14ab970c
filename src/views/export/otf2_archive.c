/* The folder of an OTF2 archive; see otf2_archive.h. */
#include "views/export/otf2_archive.h"

#include "base/lazy_library.h"
#include "base/memory.h"

#include <sys/mman.h>
#include <unistd.h>

/* The size in bytes of the buffer for one location's events. */
#define CHUNK OTF2_CHUNK_SIZE_MIN

/* Gives the library memory for a location. On its own, it would keep 128 MiB for each location, and
 * write at the end. The memory is mapped, so that the system has it back when the location is
 * closed. */
static void *take_chunk(void *data, OTF2_FileType type, OTF2_LocationRef location, void **own,
                        uint64_t size) {
    struct pinsight_otf2 *otf2 = data;
    struct pinsight_otf2_spare *spare = &otf2->spare[type];

    if (*own) /* the location's only buffer is full, and the library writes it */
        return NULL;
    if (spare->memory) {
        *own = spare->memory;
        spare->memory = NULL;
    } else {
        void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *own = mapped == MAP_FAILED ? NULL : mapped;
        spare->bytes = size;
    }
    otf2->newest_chunk = *own;
    return *own;
}

OTF2_EvtWriter *pinsight_otf2_writer(struct pinsight_otf2 *otf2, OTF2_LocationRef location) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    OTF2_EvtWriter *writer;

    otf2->newest_chunk = NULL;
    writer = OTF2_Archive_GetEvtWriter(otf2->archive, location);
    /* The library has filled the buffer with zeros. Pages that it does not use again need no
     * memory. A short-lived thread has only a few bytes of events. */
    if (writer && otf2->newest_chunk)
        madvise(otf2->newest_chunk + page, CHUNK - page, MADV_DONTNEED);
    return writer;
}

static void free_spare(struct pinsight_otf2_spare *spare) {
    if (spare->memory)
        munmap(spare->memory, spare->bytes);
    spare->memory = NULL;
}

/* Takes the memory of a location back. The last one is kept for the next location, because the
 * library fills each with zeros, also when it writes a file. All buffers of one kind of file have
 * the same size, see OTF2_Archive_Open(). */
static void give_chunks(void *data, OTF2_FileType type, OTF2_LocationRef location, void **own,
                        bool final) {
    struct pinsight_otf2 *otf2 = data;
    struct pinsight_otf2_spare *spare = &otf2->spare[type];

    if (!*own)
        return;
    free_spare(spare);
    spare->memory = *own;
    *own = NULL;
}

static OTF2_FlushType on_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
                               void *writer, bool final) {
    return OTF2_FLUSH;
}

static const OTF2_MemoryCallbacks memory = {take_chunk, give_chunks};
static const OTF2_FlushCallbacks flush = {on_flush, NULL};

/* Notes an error. Without this function, the library would print it. */
static OTF2_ErrorCode on_error(void *data, const char *file, uint64_t line, const char *function,
                               OTF2_ErrorCode code, const char *format, va_list words) {
    pinsight_otf2_check(data, code);
    return code;
}

int pinsight_otf2_open(struct pinsight_otf2 *otf2) {
    const char *missing = pinsight_lazy_library_open(&pinsight_lazy_otf2);

    if (missing) {
        otf2->export->error = pinsight_format(
            "the OTF2 library cannot be used (%s); install it (Debian and Ubuntu: "
            "libopen-trace-format2-dev; its source: https://www.vi-hps.org/projects/score-p)",
            missing);
        return -1;
    }
    if (pinsight_export_folder_make(&otf2->folder, otf2->export) != 0)
        return -1;
    otf2->others_callback = OTF2_Error_RegisterCallback(on_error, otf2);
    otf2->hears = true;
    otf2->archive = OTF2_Archive_Open(otf2->folder.path, "traces", OTF2_FILEMODE_WRITE, CHUNK,
                                      OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX,
                                      OTF2_COMPRESSION_NONE);
    if (!otf2->archive)
        return pinsight_export_cannot(otf2->export, otf2->folder.path,
                                      OTF2_Error_GetDescription(otf2->failed));
    pinsight_otf2_check(otf2, OTF2_Archive_SetFlushCallbacks(otf2->archive, &flush, NULL));
    pinsight_otf2_check(otf2, OTF2_Archive_SetMemoryCallbacks(otf2->archive, &memory, otf2));
    pinsight_otf2_check(otf2, OTF2_Archive_SetSerialCollectiveCallbacks(otf2->archive));
    pinsight_otf2_check(otf2, OTF2_Archive_SetCreator(otf2->archive, "PInsight"));
    pinsight_otf2_check(otf2, OTF2_Archive_OpenEvtFiles(otf2->archive));
    return otf2->export->error ? -1 : 0;
}

/* Writes the local definitions of a location. The file is empty, but readers look for it. */
static void write_local_definitions(struct pinsight_otf2 *otf2, OTF2_LocationRef location) {
    OTF2_DefWriter *writer =
        otf2->failed == OTF2_SUCCESS ? OTF2_Archive_GetDefWriter(otf2->archive, location) : NULL;

    if (writer)
        pinsight_otf2_check(otf2, OTF2_Archive_CloseDefWriter(otf2->archive, writer));
}

static void write_all_local_definitions(struct pinsight_otf2 *otf2) {
    pinsight_otf2_check(otf2, OTF2_Archive_OpenDefFiles(otf2->archive));
    for (size_t i = 0; i < otf2->location_count; i++)
        write_local_definitions(otf2, otf2->locations[i].id);
    for (size_t i = 0; i < otf2->absent_count; i++)
        write_local_definitions(otf2, otf2->absent[i]);
    if (otf2->failed == OTF2_SUCCESS)
        pinsight_otf2_check(otf2, OTF2_Archive_CloseDefFiles(otf2->archive));
}

/* Writes the rest. After an error, the archive is not touched any more, because the library would
 * write from freed buffers. */
static void write_rest(struct pinsight_otf2 *otf2) {
    for (size_t i = 0; i < otf2->location_count && otf2->failed == OTF2_SUCCESS; i++)
        if (otf2->locations[i].writer)
            pinsight_otf2_check(
                otf2, OTF2_Archive_CloseEvtWriter(otf2->archive, otf2->locations[i].writer));
    if (otf2->failed == OTF2_SUCCESS)
        pinsight_otf2_close_marks(otf2);
    if (otf2->failed == OTF2_SUCCESS)
        pinsight_otf2_check(otf2, OTF2_Archive_CloseEvtFiles(otf2->archive));
    if (otf2->failed == OTF2_SUCCESS)
        write_all_local_definitions(otf2);
    if (otf2->failed == OTF2_SUCCESS) {
        pinsight_otf2_check(otf2, OTF2_Archive_Close(otf2->archive));
        otf2->archive = NULL;
    }
}

int pinsight_otf2_close(struct pinsight_otf2 *otf2) {
    write_rest(otf2);
    if (otf2->export->error)
        return -1;
    return pinsight_export_folder_keep(&otf2->folder, otf2->export);
}

void pinsight_otf2_abandon(struct pinsight_otf2 *otf2) {
    /* After an error, the archive stays until the process ends, see write_rest(). volatile makes
     * the compiler keep the pointer. */
    static OTF2_Archive *volatile abandoned;

    if (otf2->archive && otf2->failed == OTF2_SUCCESS) { /* for example, the trace cannot be read */
        OTF2_Archive_Close(otf2->archive);
    } else {
        abandoned = otf2->archive;
        (void)abandoned;
    }
    otf2->archive = NULL;
    if (otf2->hears)
        OTF2_Error_RegisterCallback(otf2->others_callback, NULL);
    otf2->hears = false;
    for (size_t i = 0; i < sizeof(otf2->spare) / sizeof(otf2->spare[0]); i++)
        free_spare(&otf2->spare[i]);
    pinsight_export_folder_clear(&otf2->folder);
}
