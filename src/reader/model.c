/* Processes and threads of the model. */
#include "reader/model.h"

#include "reader/adopt.h"
#include "reader/cuda.h"
#include "reader/mem.h"
#include "reader/mpi.h"
#include "reader/openmp.h"
#include "reader/stacks.h"
#include "reader/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pinsight_model *pinsight_model_new(const struct pinsight_model_options *options) {
    struct pinsight_model *model = pinsight_calloc(1, sizeof(*model));

    model->options = *options;
    pinsight_strings_add(&model->strings, "", 0);
    return model;
}

void pinsight_thread_free(struct pinsight_thread *thread) {
    for (size_t which = 0; which < 4; which++)
        free(thread->active[which]);
    pinsight_track_free(thread);
    pinsight_omp_thread_free(thread->openmp);
    pinsight_mpi_thread_free(thread->mpi);
    pinsight_cuda_thread_free(thread);
    free(thread->frames);
    free(thread->imports);
    free(thread);
}

static void free_process(struct pinsight_process *process) {
    for (size_t i = 0; i < process->thread_count; i++)
        pinsight_thread_free(process->thread_list[i]);
    free(process->thread_list);
    free(process->domains);
    pinsight_map_clear(&process->code_ids);
    pinsight_map_clear(&process->codes);
    pinsight_map_clear(&process->callees);
    pinsight_map_clear(&process->paths);
    pinsight_map_clear(&process->addresses);
    pinsight_map_clear(&process->native_numbers);
    pinsight_map_clear(&process->threads);
    free(process);
}

void pinsight_model_free(struct pinsight_model *model) {
    if (!model)
        return;
    pinsight_cuda_free(model); /* streams before the processes that they are of */
    for (size_t i = 0; i < model->process_count; i++)
        free_process(model->processes[i]);
    for (size_t i = 0; i < model->function_count; i++)
        pinsight_spread_free(model->functions[i].spread);
    for (size_t i = 0; i < model->site_count; i++)
        pinsight_spread_free(model->sites[i].spread);
    free(model->processes);
    free(model->functions);
    free(model->callees);
    free(model->sites);
    free(model->groups);
    free(model->nodes);
    free(model->imports);
    free(model->paths);
    free(model->natives);
    pinsight_map_clear(&model->native_map);
    pinsight_openmp_free(model->openmp);
    pinsight_mpi_free(model->mpi);
    pinsight_history_clear(&model->history);
    free(model->tid_threads);
    pinsight_map_clear(&model->function_map);
    pinsight_map_clear(&model->callee_map);
    pinsight_map_clear(&model->site_map);
    pinsight_map_clear(&model->group_map);
    pinsight_map_clear(&model->node_map);
    pinsight_map_clear(&model->import_map);
    pinsight_map_clear(&model->process_map);
    pinsight_map_clear(&model->tid_map);
    pinsight_strings_clear(&model->strings);
    free(model);
}

static uint32_t add_string(struct pinsight_model *model, const char *text) {
    return pinsight_strings_add(&model->strings, text, strlen(text));
}

/* A process that is not found by its pid. */
static struct pinsight_process *add_process(struct pinsight_model *model, uint32_t host,
                                            int64_t pid) {
    struct pinsight_process *process = pinsight_calloc(1, sizeof(*process));

    process->model = model;
    process->index = (uint32_t)model->process_count;
    process->host = host;
    process->pid = pid;
    process->ppid = -1;
    process->rank = -1;
    process->selected = model->options.process < 0 || model->options.process == pid;
    model->processes = pinsight_grow(model->processes, model->process_count,
                                     &model->process_capacity, sizeof(*model->processes));
    model->processes[model->process_count++] = process;
    return process;
}

static struct pinsight_process *new_process(struct pinsight_model *model, uint32_t host,
                                            int64_t pid) {
    struct pinsight_process *process = add_process(model, host, pid);

    pinsight_map_set(&model->process_map, host, (uint32_t)pid, (uint32_t)((uint64_t)pid >> 32),
                     process->index);
    return process;
}

struct pinsight_process *pinsight_model_process(struct pinsight_model *model, uint32_t host,
                                                int64_t pid) {
    struct pinsight_process *process = model->last_process;
    uint32_t index;

    if (process && process->pid == pid && process->host == host)
        return process;
    index =
        pinsight_map_get(&model->process_map, host, (uint32_t)pid, (uint32_t)((uint64_t)pid >> 32));
    process = index == PINSIGHT_MAP_NONE ? new_process(model, host, pid) : model->processes[index];
    model->last_process = process;
    return process;
}

/* The threads of a process are gone; those of the others keep theirs. */
static void unbind_tids(struct pinsight_model *model, const struct pinsight_process *process) {
    for (size_t i = 0; i < model->tid_count; i++)
        if (model->tid_threads[i] && model->tid_threads[i]->process == process)
            model->tid_threads[i] = NULL;
    model->last_tid_thread = NULL;
}

void pinsight_model_unbind(struct pinsight_model *model, const struct pinsight_thread *thread) {
    for (size_t i = 0; i < model->tid_count; i++)
        if (model->tid_threads[i] == thread)
            model->tid_threads[i] = NULL;
    model->last_tid_thread = NULL;
}

struct pinsight_process *pinsight_model_process_info(struct pinsight_model *model, uint32_t host,
                                                     int64_t pid, uint64_t ns, int64_t ppid,
                                                     int32_t rank, const char *hostname,
                                                     const char *program, const char *command,
                                                     const char *version) {
    struct pinsight_process *process = pinsight_model_process(model, host, pid);
    uint32_t program_name = add_string(model, program);
    uint32_t command_name = add_string(model, command);

    if (process->has_info &&
        (process->program != program_name || process->command != command_name)) {
        for (size_t i = 0; i < process->thread_count; i++)
            model->open_at_end += pinsight_stacks_close(process->thread_list[i], ns);
        pinsight_cuda_end_process(process);
        unbind_tids(model, process);
        process = new_process(model, host, pid);
        model->last_process = process;
    }
    if (!process->announced_ns)
        process->announced_ns = ns;
    if (!process->has_info) {
        model->sole_process = model->announced_count++ ? NULL : process;
    }
    process->has_info = true;
    process->ppid = ppid;
    process->rank = rank;
    process->hostname = add_string(model, hostname);
    process->program = program_name;
    process->command = command_name;
    process->version = add_string(model, version);
    return process;
}

struct pinsight_thread *pinsight_model_thread(struct pinsight_process *process, int64_t number,
                                              uint32_t tid) {
    struct pinsight_model *model = process->model;
    struct pinsight_thread *thread = process->last_thread;
    uint64_t key = number < 0 ? tid : (uint64_t)number;
    uint32_t index;

    if (thread && thread->number == number && number >= 0)
        return thread;
    index = pinsight_map_get(&process->threads, (uint32_t)key, (uint32_t)(key >> 32), number < 0);
    if (index == PINSIGHT_MAP_NONE) {
        thread = pinsight_calloc(1, sizeof(*thread));
        thread->process = process;
        thread->number = number;
        thread->tid = tid;
        thread->os_threads = tid ? 1 : 0;
        thread->selected =
            process->selected && (model->options.thread < 0 || model->options.thread == number ||
                                  model->options.thread == (int64_t)tid);
        process->thread_list =
            pinsight_grow(process->thread_list, process->thread_count, &process->thread_capacity,
                          sizeof(*process->thread_list));
        index = (uint32_t)process->thread_count++;
        process->thread_list[index] = thread;
        pinsight_map_set(&process->threads, (uint32_t)key, (uint32_t)(key >> 32), number < 0,
                         index);
    }
    process->last_thread = process->thread_list[index];
    return process->last_thread;
}

static void bind_tid(struct pinsight_model *model, uint32_t host, uint32_t tid,
                     struct pinsight_thread *thread) {
    uint32_t index = pinsight_map_get(&model->tid_map, host, tid, 0);

    if (index == PINSIGHT_MAP_NONE) {
        model->tid_threads = pinsight_grow(model->tid_threads, model->tid_count,
                                           &model->tid_capacity, sizeof(*model->tid_threads));
        index = (uint32_t)model->tid_count++;
        pinsight_map_set(&model->tid_map, host, tid, 0, index);
    }
    model->tid_threads[index] = thread;
    model->last_tid_thread = NULL;
}

struct pinsight_thread *pinsight_model_thread_by_tid(struct pinsight_model *model, uint32_t host,
                                                     uint32_t tid,
                                                     struct pinsight_process *process) {
    uint32_t index;

    if (model->last_tid_thread && model->last_tid == tid && model->last_tid_host == host)
        return model->last_tid_thread;
    index = pinsight_map_get(&model->tid_map, host, tid, 0);
    if (index == PINSIGHT_MAP_NONE || !model->tid_threads[index]) {
        if (!process) {
            process = add_process(model, host, 0);
            process->orphan = true;
        }
        bind_tid(model, host, tid, pinsight_model_thread(process, -1, tid));
        index = pinsight_map_get(&model->tid_map, host, tid, 0);
    }
    model->last_tid = tid;
    model->last_tid_host = host;
    model->last_tid_thread = model->tid_threads[index];
    return model->last_tid_thread;
}

struct pinsight_thread *pinsight_model_thread_info(struct pinsight_model *model,
                                                   struct pinsight_process *process, uint32_t tid,
                                                   int64_t number, const char *name, uint64_t ns) {
    uint32_t index = pinsight_map_get(&model->tid_map, process->host, tid, 0);
    struct pinsight_thread *bound = index == PINSIGHT_MAP_NONE ? NULL : model->tid_threads[index];
    struct pinsight_thread *thread;
    char placeholder[40];

    if (bound && bound->process->orphan && !pinsight_adopt(process, number, bound))
        model->unmatched_begins += pinsight_stacks_close(bound, ns);
    thread = pinsight_model_thread(process, number, tid);
    if (thread->tid != tid) {
        /* The number went to another OS thread; what the old one left open has ended. */
        if (thread->tid)
            model->unmatched_begins += pinsight_stacks_close(thread, ns);
        thread->tid = tid;
        thread->name = 0;
        thread->os_threads++;
        if (process->selected && model->options.thread == (int64_t)tid)
            thread->selected = true;
    }
    /* What OpenMP, MPI and CUDA do in an OS thread goes with it. */
    if (bound && bound != thread && bound->openmp && !thread->openmp && bound->process == process &&
        bound->tid == tid) {
        thread->openmp = bound->openmp;
        thread->openmp->thread = thread;
        bound->openmp = NULL;
    }
    if (bound && bound != thread && bound->mpi && !thread->mpi && bound->process == process &&
        bound->tid == tid) {
        thread->mpi = bound->mpi;
        pinsight_mpi_thread_moved(thread->mpi, thread);
        bound->mpi = NULL;
    }
    if (bound && bound != thread && bound->process == process && bound->tid == tid)
        pinsight_cuda_move(bound, thread);
    /* "thread-7" stands for a name that is not known (yet). */
    snprintf(placeholder, sizeof(placeholder), "thread-%" PRId64, number);
    if (name[0] && (!thread->name || strcmp(name, placeholder) != 0))
        thread->name = add_string(model, name);
    bind_tid(model, process->host, tid, thread);
    return thread;
}

struct pinsight_domain *pinsight_model_domain(struct pinsight_process *process, const char *name) {
    uint32_t number = add_string(process->model, name);

    for (size_t i = 0; i < process->domain_count; i++)
        if (process->domains[i].name == number)
            return &process->domains[i];
    process->domains = pinsight_grow(process->domains, process->domain_count,
                                     &process->domain_capacity, sizeof(*process->domains));
    process->domains[process->domain_count] = (struct pinsight_domain){.name = number};
    return &process->domains[process->domain_count++];
}

void pinsight_model_finish(struct pinsight_model *model) {
    for (size_t i = 0; i < model->process_count; i++) {
        struct pinsight_process *process = model->processes[i];
        uint64_t begin_ns;

        for (size_t t = 0; t < process->thread_count; t++) {
            struct pinsight_thread *thread = process->thread_list[t];

            pinsight_track_close(thread, process->last_ns);
            /* Regions and calls of MPI before the calls that they are in. */
            if (thread->openmp)
                model->open_at_end += pinsight_openmp_close(thread->openmp, process->last_ns);
            if (thread->mpi)
                model->open_at_end += pinsight_mpi_close(thread->mpi, process->last_ns);
            model->open_at_end += pinsight_cuda_close(thread, process->last_ns);
            model->open_at_end += pinsight_stacks_close(thread, process->last_ns);
        }
        pinsight_cuda_end_process(process);
        if (!process->selected || !process->events)
            continue;
        begin_ns = process->first_ns;
        if (process->announced_ns && process->announced_ns < begin_ns)
            begin_ns = process->announced_ns;
        if (!model->has_time || begin_ns < model->first_ns)
            model->first_ns = begin_ns;
        if (!model->has_time || process->last_ns > model->last_ns)
            model->last_ns = process->last_ns;
        model->has_time = true;
    }
    pinsight_mpi_finish(model);
}
