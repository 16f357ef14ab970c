/* Processes and threads of the model. */
#include "reader/model.h"

#include "base/memory.h"
#include "reader/adopt.h"
#include "reader/clock.h"
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
    pinsight_track_free(thread);
    READER_EACH(free_thread, thread);
    free(thread);
}

static void free_process(struct pinsight_process *process) {
    free(process->thread_list);
    free(process->domains);
    pinsight_map_clear(&process->code_ids);
    pinsight_numbers_clear(&process->codes);
    pinsight_numbers_clear(&process->callees);
    PINSIGHT_MAPS_CLEAR(&process->paths, &process->addresses, &process->native_numbers,
                        &process->threads);
    free(process);
}

void pinsight_model_free(struct pinsight_model *model) {
    if (!model)
        return;
    for (size_t i = 0; i < model->process_count; i++)
        for (size_t t = 0; t < model->processes[i]->thread_count; t++)
            pinsight_thread_free(model->processes[i]->thread_list[t]);
    READER_EACH(free, model);
    for (size_t i = 0; i < model->process_count; i++)
        free_process(model->processes[i]);
    for (size_t i = 0; i < model->function_count; i++)
        pinsight_histogram_free(model->functions[i].histogram);
    for (size_t i = 0; i < model->site_count; i++)
        pinsight_histogram_free(model->sites[i].histogram);
    pinsight_map_clear(&model->native_map);
    PINSIGHT_FREE(model->processes, model->functions, model->callees, model->sites, model->groups,
                  model->nodes, model->imports, model->garbage, model->allocated, model->paths,
                  model->natives, model->counted, model->starts.starts, model->children.children,
                  model->counters.counters);
    pinsight_marked_sums_free(model);
    pinsight_host_corrections_clear(&model->corrections);
    pinsight_history_clear(&model->history);
    pinsight_awaits_clear(&model->awaits);
    pinsight_code_folders_free(&model->code_folders);
    PINSIGHT_MAPS_CLEAR(&model->function_map, &model->callee_map, &model->site_map,
                        &model->group_map, &model->node_map, &model->import_map,
                        &model->garbage_map, &model->allocated_map, &model->counted_map,
                        &model->process_map, &model->pid_map, &model->tid_map,
                        &model->counters.map);
    pinsight_stack_pool_clear(&model->rooms);
    free(model->waits);
    free(model->tid_threads);
    pinsight_strings_clear(&model->strings);
    free(model);
}

static uint32_t add_string(struct pinsight_model *model, const char *text) {
    return pinsight_strings_add(&model->strings, text, strlen(text));
}

/* Adds a process that was not found by its pid. */
static struct pinsight_process *add_process(struct pinsight_model *model, uint32_t host,
                                            int64_t pid, uint32_t instance) {
    struct pinsight_process *process = pinsight_calloc(1, sizeof(*process));

    process->model = model;
    process->index = (uint32_t)model->process_count;
    process->host = host;
    process->instance = instance;
    process->pid = pid;
    process->ppid = -1;
    process->rank = -1;
    process->start_path = PINSIGHT_NONE;
    process->selected =
        (model->options.process < 0 || model->options.process == pid) &&
        (!model->options.only ||
         pinsight_map_get(model->options.only, pinsight_model_key(host, pid, instance)) !=
             PINSIGHT_MAP_NONE);
    *PINSIGHT_ADD(model->processes, model->process_count, model->process_capacity) = process;
    return process;
}

static struct pinsight_process *new_process(struct pinsight_model *model, uint32_t host,
                                            int64_t pid, uint32_t instance) {
    struct pinsight_process *process = add_process(model, host, pid, instance);
    uint32_t other = pinsight_map_get(&model->pid_map, pinsight_model_key(host, pid, 0));

    process->same_pid = other == PINSIGHT_MAP_NONE ? NULL : model->processes[other];
    pinsight_map_set(&model->pid_map, pinsight_model_key(host, pid, 0), process->index);
    pinsight_map_set(&model->process_map, pinsight_model_key(host, pid, instance), process->index);
    return process;
}

struct pinsight_process *pinsight_model_process_of(struct pinsight_model *model, uint32_t host,
                                                   int64_t pid, uint32_t instance) {
    struct pinsight_process *process = model->last_process;
    uint32_t index;

    if (process && process->pid == pid && process->host == host && process->instance == instance)
        return process;
    index = pinsight_map_get(&model->process_map, pinsight_model_key(host, pid, instance));
    process = index == PINSIGHT_MAP_NONE ? new_process(model, host, pid, instance)
                                         : model->processes[index];
    model->last_process = process;
    return process;
}

/* Removes the threads of a process from their OS thread ids. */
static void unbind_tids(struct pinsight_model *model, const struct pinsight_process *process) {
    for (size_t i = 0; i < model->tid_count; i++)
        if (model->tid_threads[i] && model->tid_threads[i]->process == process)
            model->tid_threads[i] = NULL;
    model->last_tid_thread = NULL;
    model->changes++;
}

void pinsight_model_unbind(struct pinsight_model *model, const struct pinsight_thread *thread) {
    for (size_t i = 0; i < model->tid_count; i++)
        if (model->tid_threads[i] == thread)
            model->tid_threads[i] = NULL;
    model->last_tid_thread = NULL;
    model->changes++;
}

void pinsight_model_forget_recent(struct pinsight_model *model) {
    model->changes++;
    memset(model->recent, 0, sizeof(model->recent));
    model->awaits.thread = NULL;
}

/* Ends a process that has ended, or that executes another program. The calls of the process end
 * with its last event. Later events with its pid belong to another process. */
static void end_process(struct pinsight_process *process) {
    struct pinsight_model *model = process->model;

    for (size_t i = 0; i < process->thread_count; i++)
        model->open_at_end += pinsight_model_close(process->thread_list[i], process->last_ns);
    READER_EACH(end_process, process);
    unbind_tids(model, process);
}

struct pinsight_process *pinsight_model_process_info(struct pinsight_model *model, uint32_t host,
                                                     int64_t pid, uint64_t ns, int64_t ppid,
                                                     int32_t rank, const char *hostname,
                                                     const char *program, const char *command,
                                                     const char *version,
                                                     const struct pinsight_process_mark *mark) {
    static const struct pinsight_process_mark none;
    const struct pinsight_process_mark known = mark ? *mark : none;
    struct pinsight_process *process = pinsight_model_process_of(model, host, pid, known.instance);
    uint32_t program_name = add_string(model, program);
    uint32_t command_name = add_string(model, command);

    if (process->has_info &&
        (process->program != program_name || process->command != command_name ||
         (known.program && process->program_number && known.program != process->program_number))) {
        end_process(process);
        process = new_process(model, host, pid, known.instance);
        model->last_process = process;
    }
    process->namespace = known.namespace;
    process->program_number = known.program;
    pinsight_model_forget_recent(model);
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

/* Returns whether a process began before `child`, and is a better candidate for its parent than
 * `than`. */
static bool began_between(const struct pinsight_process *process,
                          const struct pinsight_process *than,
                          const struct pinsight_process *child) {
    return process->announced_ns <= child->announced_ns &&
           (process->announced_ns > than->announced_ns || than->announced_ns > child->announced_ns);
}

struct pinsight_process *pinsight_model_parent(const struct pinsight_process *process) {
    const struct pinsight_model *model = process->model;
    struct pinsight_process *parent = NULL;
    uint32_t index;

    if (!process->has_info || process->ppid <= 0)
        return NULL;
    index = pinsight_map_get(&model->pid_map, pinsight_model_key(process->host, process->ppid, 0));
    if (index == PINSIGHT_MAP_NONE)
        return NULL;
    /* The last process that began before it, because the pid may have been used again. */
    for (struct pinsight_process *other = model->processes[index]; other; other = other->same_pid)
        if (other != process && other->namespace == process->namespace &&
            pinsight_process_is_there(other) && (!parent || began_between(other, parent, process)))
            parent = other;
    return parent;
}

bool pinsight_model_selects(const struct pinsight_process *process, int64_t number, uint32_t tid) {
    int64_t wanted = process->model->options.thread;

    return process->selected && (wanted < 0 || wanted == number || wanted == (int64_t)tid);
}

struct pinsight_thread *pinsight_model_thread(struct pinsight_process *process, int64_t number,
                                              uint32_t tid) {
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
        thread->last_path = PINSIGHT_NONE;
        thread->tid = tid;
        thread->os_threads = tid ? 1 : 0;
        thread->selected = pinsight_model_selects(process, number, tid);
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

static void bind_tid(struct pinsight_model *model, uint32_t tid, struct pinsight_thread *thread) {
    const uint32_t host = thread->process->host, instance = thread->process->instance;
    uint32_t index = pinsight_map_get(&model->tid_map, host, tid, instance);

    if (index == PINSIGHT_MAP_NONE) {
        model->tid_threads = pinsight_grow(model->tid_threads, model->tid_count,
                                           &model->tid_capacity, sizeof(*model->tid_threads));
        index = (uint32_t)model->tid_count++;
        pinsight_map_set(&model->tid_map, host, tid, instance, index);
    }
    model->tid_threads[index] = thread;
    model->last_tid_thread = NULL;
    model->changes++;
}

static struct pinsight_thread *thread_by_tid(struct pinsight_model *model, uint32_t host,
                                             uint32_t instance, uint32_t tid,
                                             struct pinsight_process *process) {
    uint32_t index;

    if (model->last_tid_thread && model->last_tid == tid && model->last_tid_host == host &&
        model->last_tid_instance == instance)
        return model->last_tid_thread;
    index = pinsight_map_get(&model->tid_map, host, tid, instance);
    if (index == PINSIGHT_MAP_NONE || !model->tid_threads[index]) {
        if (!process) {
            process = add_process(model, host, 0, instance);
            process->orphan = true;
        }
        bind_tid(model, tid, pinsight_model_thread(process, -1, tid));
        index = pinsight_map_get(&model->tid_map, host, tid, instance);
    }
    model->last_tid = tid;
    model->last_tid_host = host;
    model->last_tid_instance = instance;
    model->last_tid_thread = model->tid_threads[index];
    return model->last_tid_thread;
}

struct pinsight_thread *pinsight_model_thread_by_tid(struct pinsight_model *model, uint32_t host,
                                                     uint32_t tid,
                                                     struct pinsight_process *process) {
    return thread_by_tid(model, host, process ? process->instance : 0, tid, process);
}

struct pinsight_thread *pinsight_model_thread_of_instance(struct pinsight_model *model,
                                                          uint32_t host, uint32_t instance,
                                                          uint32_t tid) {
    return thread_by_tid(model, host, instance, tid, NULL);
}

struct pinsight_thread *pinsight_model_thread_there(const struct pinsight_process *process,
                                                    uint32_t tid) {
    const struct pinsight_model *model = process->model;
    uint32_t index = pinsight_map_get(&model->tid_map, process->host, tid, process->instance);
    struct pinsight_thread *thread = index == PINSIGHT_MAP_NONE ? NULL : model->tid_threads[index];

    return thread && thread->process == process ? thread : NULL;
}

/* Returns whether the OS thread has ended, so that another thread may have its id. */
static bool is_over(const struct pinsight_thread *thread) {
    for (size_t i = 0; i < READER_DOMAINS; i++)
        if (reader_domains[i]->is_over && reader_domains[i]->is_over(thread))
            return true;
    return false;
}

/* Gives a thread without Python the number with which it runs Python for the first time. An example
 * is a member of an OpenMP team that calls back. The data and open slices of the thread stay. Does
 * nothing if another thread has had the number. */
static void number_thread(struct pinsight_thread *thread, int64_t number) {
    struct pinsight_process *process = thread->process;
    struct pinsight_map *threads = &process->threads;
    uint32_t index = pinsight_map_get(threads, thread->tid, 0, 1);
    uint32_t low = (uint32_t)number, high = (uint32_t)((uint64_t)number >> 32);

    if (number < 0 || index == PINSIGHT_MAP_NONE || process->thread_list[index] != thread ||
        pinsight_map_get(threads, low, high, 0) != PINSIGHT_MAP_NONE)
        return;
    pinsight_map_set(threads, low, high, 0, index);
    thread->number = number;
    thread->selected = pinsight_model_selects(process, number, thread->tid);
}

struct pinsight_thread *pinsight_model_thread_info(struct pinsight_model *model,
                                                   struct pinsight_process *process, uint32_t tid,
                                                   int64_t number, const char *name, uint64_t ns) {
    uint32_t index = pinsight_map_get(&model->tid_map, process->host, tid, process->instance);
    struct pinsight_thread *bound = index == PINSIGHT_MAP_NONE ? NULL : model->tid_threads[index];
    struct pinsight_thread *thread;
    char placeholder[40];
    bool same;

    if (bound && bound->process->orphan && !pinsight_adopt(process, number, bound))
        model->unmatched_begins += pinsight_model_close(bound, ns);
    same = bound && bound->process == process && bound->tid == tid && !is_over(bound);
    if (same && bound->number < 0)
        number_thread(bound, number);
    thread = pinsight_model_thread(process, number, tid);
    if (thread->tid != tid) {
        /* The number has passed to another OS thread. The open calls of the old one have ended. */
        if (thread->tid)
            model->unmatched_begins += pinsight_model_close(thread, ns);
        thread->tid = tid;
        thread->name = 0;
        thread->os_threads++;
        if (process->selected && model->options.thread == (int64_t)tid)
            thread->selected = true;
    }
    /* The native work of an OS thread moves with it. */
    if (same && bound != thread) {
        if (bound->number < 0)
            pinsight_track_move(bound, thread, ns);
        READER_EACH(move, bound, thread);
    }
    /* "thread-7" stands for an unknown name. */
    snprintf(placeholder, sizeof(placeholder), "thread-%" PRId64, number);
    if (name[0] && (!thread->name || strcmp(name, placeholder) != 0))
        thread->name = add_string(model, name);
    pinsight_starts_name(thread);
    bind_tid(model, tid, thread);
    return thread;
}

struct pinsight_process_domain *pinsight_model_domain(struct pinsight_process *process,
                                                      const char *name) {
    uint32_t number = add_string(process->model, name);

    for (size_t i = 0; i < process->domain_count; i++)
        if (process->domains[i].name == number)
            return &process->domains[i];
    process->domains = pinsight_grow(process->domains, process->domain_count,
                                     &process->domain_capacity, sizeof(*process->domains));
    process->domains[process->domain_count] = (struct pinsight_process_domain){.name = number};
    return &process->domains[process->domain_count++];
}

uint64_t pinsight_model_close(struct pinsight_thread *thread, uint64_t ns) {
    uint64_t closed = 0;

    pinsight_track_close(thread, ns);
    for (size_t i = 0; i < READER_DOMAINS; i++)
        if (reader_domains[i]->close)
            closed += reader_domains[i]->close(thread, ns);
    return closed;
}

void pinsight_model_pause(struct pinsight_process *process, uint64_t from_ns, uint64_t to_ns) {
    uint64_t pause = to_ns > from_ns ? to_ns - from_ns : 0;

    for (size_t i = 0; i < process->thread_count; i++) {
        struct pinsight_thread *thread = process->thread_list[i];

        pinsight_stack_pause(thread, from_ns + pause / 2, pause);
        pinsight_clock_pause(thread, from_ns + pause / 2, pause);
        READER_EACH(pause, thread, from_ns + pause / 2, pause);
    }
}

/* Extends the time of the model by the events of a selected process. */
static void add_times(struct pinsight_model *model, const struct pinsight_process *process) {
    uint64_t begin_ns = pinsight_process_since(process, process->first_ns);

    if (!process->selected || !process->events)
        return;
    if (!model->has_time || begin_ns < model->first_ns)
        model->first_ns = begin_ns;
    if (!model->has_time || process->last_ns > model->last_ns)
        model->last_ns = process->last_ns;
    model->has_time = true;
}

void pinsight_model_finish(struct pinsight_model *model) {
    for (size_t i = 0; i < model->process_count; i++) {
        struct pinsight_process *process = model->processes[i];

        READER_EACH(end_trace, process);
        for (size_t t = 0; t < process->thread_count; t++)
            model->open_at_end += pinsight_model_close(process->thread_list[t], process->last_ns);
        READER_EACH(end_process, process);
        add_times(model, process);
    }
    READER_EACH(finish, model);
}

static const char *name_of(const struct pinsight_model *model, bool known, uint32_t name) {
    return known ? pinsight_strings_text(&model->strings, name) : "(name not recorded)";
}

const char *pinsight_function_name(const struct pinsight_model *model, uint32_t function) {
    return name_of(model, model->functions[function].known, model->functions[function].name);
}

const char *pinsight_callee_name(const struct pinsight_model *model, uint32_t callee) {
    return name_of(model, model->callees[callee].known, model->callees[callee].name);
}
