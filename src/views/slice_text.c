/* What a slice of the timeline is called; see slice_text.h. */
#include "views/slice_text.h"

#include "reader/mem.h"
#include "reader/mpi.h"
#include "reader/native.h"
#include "reader/native_lines.h"
#include "reader/openmp.h"
#include "reader/paths.h"
#include "views/program_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *string(const struct pinsight_model *model, uint32_t number) {
    return pinsight_strings_text(&model->strings, number);
}

void pinsight_slice_texts_make(struct pinsight_slice_texts *texts,
                               const struct pinsight_model *model) {
    *texts = (struct pinsight_slice_texts){.model = model};
}

void pinsight_slice_texts_clear(struct pinsight_slice_texts *texts) {
    for (size_t i = 0; i < texts->region_count; i++)
        free(texts->regions[i]);
    free(texts->regions);
    pinsight_native_lines_free(texts->lines);
    *texts = (struct pinsight_slice_texts){0};
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

/* "parallel in dgemm_kernel", "parallel in libopenblas.so.0+0x4010". */
static char *region_name(struct pinsight_slice_texts *texts, const char *what,
                         const struct pinsight_native *native) {
    const char *object = string(texts->model, native->object), *file = "";
    const char *symbol = string(texts->model, native->symbol), *found = NULL;
    int32_t line = 0;

    if (!native->known)
        return pinsight_format("%s at 0x%" PRIx64, what, native->address);
    if (!texts->lines)
        texts->lines = pinsight_native_lines_new(0);
    found = pinsight_native_line(texts->lines, object, native->offset, symbol, &file, &line);
    if (found && *found)
        symbol = found;
    if (*symbol)
        return pinsight_format("%s in %s", what, symbol);
    return pinsight_format("%s in %s+0x%" PRIx64, what, last_part(object), native->offset);
}

static const char *region(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice) {
    const struct pinsight_model *model = texts->model;
    static const char *const kinds[] = {"parallel", "teams", "target"};
    uint32_t number = slice->id;
    const struct pinsight_omp_region *sums;

    if (number == PINSIGHT_NONE)
        return "parallel";
    if (number >= texts->region_count) {
        size_t count = model->openmp->region_count;

        texts->regions = pinsight_realloc(texts->regions, count, sizeof(*texts->regions));
        memset(texts->regions + texts->region_count, 0,
               (count - texts->region_count) * sizeof(*texts->regions));
        texts->region_count = count;
    }
    sums = &model->openmp->regions[number];
    if (!texts->regions[number] && sums->native != PINSIGHT_NONE)
        texts->regions[number] =
            region_name(texts, kinds[sums->kind % 3], &model->natives[sums->native]);
    return texts->regions[number] ? texts->regions[number] : kinds[sums->kind % 3];
}

static const char *wait_name(uint32_t wait) {
    static const char *const names[] = {"wait: implicit barrier", "wait: barrier", "wait: taskwait",
                                        "wait: taskgroup",        "wait: lock",    "wait: critical",
                                        "wait: atomic",           "wait: ordered"};

    return wait < sizeof(names) / sizeof(names[0]) ? names[wait] : "wait";
}

static const char *or_unknown(const char *name) {
    return *name ? name : "?";
}

/* The user's line that native work came from. */
static void users_line(const struct pinsight_model *model, uint32_t path,
                       struct pinsight_slice_text *text) {
    uint32_t frame = path == PINSIGHT_NONE ? PINSIGHT_NONE : pinsight_path_users_line(model, path);
    const struct pinsight_path *place;

    if (frame == PINSIGHT_NONE)
        return;
    place = &model->paths[frame];
    text->line = place->line;
    if (place->function != PINSIGHT_NONE)
        text->file = string(model, model->functions[place->function].file);
}

static void of_c_call(const struct pinsight_model *model, const struct pinsight_site *site,
                      struct pinsight_slice_text *text) {
    const struct pinsight_callee *callee = &model->callees[site->callee];

    text->name = or_unknown(string(model, callee->name));
    text->module = string(model, callee->module);
    text->line = site->line;
    if (site->caller != PINSIGHT_NONE)
        text->file = string(model, model->functions[site->caller].file);
}

void pinsight_slice_text(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                         struct pinsight_slice_text *text) {
    static const char *const categories[PINSIGHT_SLICE_KINDS] = {
        "python", "c",    "import", "region", "openmp", "openmp",
        "openmp", "wait", "mpi",    "cuda",   "device"};
    const struct pinsight_model *model = texts->model;
    const struct pinsight_function *function;

    *text = (struct pinsight_slice_text){
        .name = "?", .category = categories[slice->kind], .file = "", .module = ""};
    switch (slice->kind) {
    case PINSIGHT_SLICE_FUNCTION:
        function = &model->functions[slice->id];
        text->name = or_unknown(string(model, function->name));
        text->file = string(model, function->file);
        text->module = string(model, function->module);
        text->line = function->line;
        return;
    case PINSIGHT_SLICE_C_CALL:
        of_c_call(model, &model->sites[slice->id], text);
        return;
    case PINSIGHT_SLICE_IMPORT:
    case PINSIGHT_SLICE_MARKED:
        text->name = or_unknown(string(model, slice->id));
        return;
    case PINSIGHT_SLICE_REGION:
    case PINSIGHT_SLICE_PART:
        text->name = region(texts, slice);
        break;
    case PINSIGHT_SLICE_TASK:
        text->name = "task";
        break;
    case PINSIGHT_SLICE_WAIT:
        text->name = wait_name(slice->id);
        break;
    case PINSIGHT_SLICE_CUDA:
        text->name = or_unknown(
            string(model, model->cuda->functions[model->cuda->sites[slice->id].function].name));
        break;
    case PINSIGHT_SLICE_WORK:
        text->name = or_unknown(string(model, model->cuda->works[slice->id].name));
        break;
    default:
        text->name = or_unknown(
            string(model, model->mpi->functions[model->mpi->sites[slice->id].function].name));
    }
    users_line(model, slice->path, text);
}

/* "GPU 0 stream 7"; contexts are told apart where the device has others. */
static char *stream_name(const struct pinsight_model *model,
                         const struct pinsight_cuda_stream *stream, char *buffer, size_t size) {
    if (pinsight_map_get(&model->cuda->device_map, stream->process->index, stream->device, 0) > 1)
        snprintf(buffer, size, "GPU %" PRIu32 " context %" PRIu32 " stream %" PRIu32,
                 stream->device, stream->context, stream->number);
    else
        snprintf(buffer, size, "GPU %" PRIu32 " stream %" PRIu32, stream->device, stream->number);
    return buffer;
}

char *pinsight_track_name(const struct pinsight_model *model, const struct pinsight_track *track,
                          char *buffer, size_t size) {
    const struct pinsight_thread *thread = track->thread;
    const char *name;

    if (!thread)
        return stream_name(model, track->stream, buffer, size);
    name = string(model, thread->name);
    if (*name)
        snprintf(buffer, size, "%s", name);
    else if (thread->number >= 0)
        snprintf(buffer, size, "thread %" PRId64, thread->number);
    else if (thread->openmp)
        snprintf(buffer, size, "OpenMP thread %" PRIu32, thread->openmp->number);
    else
        snprintf(buffer, size, "thread %" PRIu32, thread->tid);
    return buffer;
}

struct pinsight_row_place pinsight_row_place_of(const struct pinsight_track *track) {
    const struct pinsight_cuda_stream *stream = track->stream;

    if (stream)
        return (struct pinsight_row_place){.pid = stream->process->pid,
                                           .python_thread = -1,
                                           .device = stream->device,
                                           .context = stream->context,
                                           .stream = stream->number};
    return (struct pinsight_row_place){.pid = track->thread->process->pid,
                                       .python_thread = track->thread->number,
                                       .device = -1,
                                       .context = -1,
                                       .stream = -1,
                                       .tid = track->thread->tid};
}

static int32_t rank_of(const struct pinsight_process *process) {
    if (process->rank < 0 && process->mpi && process->mpi->rank != PINSIGHT_MPI_NO_RANK)
        return (int32_t)process->mpi->rank;
    return process->rank;
}

int32_t pinsight_track_rank(const struct pinsight_track *track) {
    return rank_of(pinsight_track_process(track));
}

char *pinsight_track_process_name(const struct pinsight_model *model,
                                  const struct pinsight_process *process, char *buffer,
                                  size_t size) {
    char program[256];
    int32_t rank = rank_of(process);

    pinsight_program_name(string(model, process->program), string(model, process->command), program,
                          sizeof(program));
    if (rank >= 0)
        snprintf(buffer, size, "rank %" PRId32 " (%s)", rank, or_unknown(program));
    else
        snprintf(buffer, size, "%s (%" PRId64 ")", or_unknown(program), process->pid);
    return buffer;
}
