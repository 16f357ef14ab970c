/* A stub of an OpenMP runtime; see stub.h. */
#include "stub.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define MOST 8   /* threads of a team */
#define LEVELS 3 /* of regions in a thread */

struct team {
    ompt_data_t data;
    void (*body)(void *data);
    void *argument;
    int size;
};

struct task {
    ompt_data_t data;
    int flags, index;
    struct task *outer;
};

struct worker {
    pthread_t thread;
    sem_t go, arrived;
    struct team *team; /* NULL: the thread is to end */
    int index;
    bool left;
};

/* What the runtime keeps for a thread. */
struct self {
    struct task *task;
    struct worker *worker;             /* NULL in a thread of the program's */
    int level;                         /* regions that it began and has not ended */
    struct worker *pool[LEVELS][MOST]; /* of each level: those outside are at work */
    struct task initial;
};
static __thread struct self self;

static _Atomic(ompt_callback_t) callbacks[64];
static bool refused[64];
static ompt_start_tool_result_t *tool;

extern ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *name);

#define CALL(name, type, ...)                                                                      \
    do {                                                                                           \
        ompt_callback_##type##_t call =                                                            \
            (ompt_callback_##type##_t)atomic_load(&callbacks[ompt_callback_##name]);               \
        if (call)                                                                                  \
            call(__VA_ARGS__);                                                                     \
    } while (0)

/* ---- what a tool is handed ---- */

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback) {
    if ((unsigned)event >= 64 || !callback)
        abort(); /* libomp crashes later, in a thread that is about to call it */
    if (refused[event])
        return ompt_set_never;
    atomic_store(&callbacks[event], callback);
    return ompt_set_always;
}

static int get_task_info(int level, int *flags, ompt_data_t **data, ompt_frame_t **frame,
                         ompt_data_t **parallel, int *index) {
    const struct task *task = self.task;
    (void)frame;
    (void)parallel;
    while (task && level-- > 0)
        task = task->outer;
    if (!task)
        return 0;
    if (flags)
        *flags = task->flags;
    if (data)
        *data = (ompt_data_t *)&task->data;
    if (index)
        *index = task->index;
    return 2;
}

static ompt_interface_fn_t lookup(const char *name) {
    if (strcmp(name, "ompt_set_callback") == 0)
        return (ompt_interface_fn_t)set_callback;
    if (strcmp(name, "ompt_get_task_info") == 0)
        return (ompt_interface_fn_t)get_task_info;
    return NULL;
}

bool stub_load(void) {
    static ompt_data_t none;
    tool = ompt_start_tool(201611, "a stub of a runtime");
    if (tool && !tool->initialize(lookup, 0, &none))
        tool = NULL;
    return tool != NULL;
}

void stub_unload(void) {
    static ompt_data_t none;
    if (tool)
        tool->finalize(&none);
    tool = NULL;
    for (unsigned i = 0; i < 64; i++)
        atomic_store(&callbacks[i], (ompt_callback_t)NULL);
}

void stub_refuse(ompt_callbacks_t event) {
    refused[event] = true;
}

bool stub_has(ompt_callbacks_t event) {
    return atomic_load(&callbacks[event]) != NULL;
}

/* ---- regions ---- */

static void barrier_begin(struct team *team, struct task *task, ompt_sync_region_t type,
                          const void *code) {
    CALL(sync_region, sync_region, type, ompt_scope_begin, &team->data, &task->data, code);
    CALL(sync_region_wait, sync_region, type, ompt_scope_begin, &team->data, &task->data, code);
}

static void barrier_end(ompt_data_t *team, struct task *task, ompt_sync_region_t type,
                        const void *code) {
    CALL(sync_region_wait, sync_region, type, ompt_scope_end, team, &task->data, code);
    CALL(sync_region, sync_region, type, ompt_scope_end, team, &task->data, code);
}

static void begin_part(struct team *team, struct task *task, int index) {
    memset(task, 0, sizeof *task);
    task->flags = ompt_task_implicit;
    task->index = index;
    task->outer = self.task;
    self.task = task;
    CALL(implicit_task, implicit_task, ompt_scope_begin, &team->data, &task->data,
         (unsigned)team->size, (unsigned)index, ompt_task_implicit);
    team->body(team->argument);
    barrier_begin(team, task, ompt_sync_region_barrier_implicit, NULL);
}

static void end_part(struct task *task, ompt_data_t *team) {
    barrier_end(team, task, ompt_sync_region_barrier_implicit, NULL);
    CALL(implicit_task, implicit_task, ompt_scope_end, NULL, &task->data, 0, (unsigned)task->index,
         ompt_task_implicit);
    self.task = task->outer;
}

static void end_pool(void) {
    for (int i = 0; i < LEVELS * MOST; i++) {
        struct worker *worker = self.pool[i / MOST][i % MOST];
        if (!worker)
            continue;
        worker->team = NULL;
        sem_post(&worker->go);
        pthread_join(worker->thread, NULL);
        sem_destroy(&worker->go);
        sem_destroy(&worker->arrived);
        free(worker);
        self.pool[i / MOST][i % MOST] = NULL;
    }
}

static void *work(void *argument) {
    ompt_data_t data = ompt_data_none;
    struct task task;
    bool has_part = false;
    self.worker = argument;
    CALL(thread_begin, thread_begin, ompt_thread_worker, &data);
    for (;;) {
        sem_wait(&self.worker->go);
        if (has_part)
            end_part(&task, NULL);
        if (!self.worker->team)
            break;
        has_part = true;
        begin_part(self.worker->team, &task, self.worker->index);
        sem_post(&self.worker->arrived);
    }
    end_pool();
    CALL(thread_end, thread_end, &data);
    return NULL;
}

void stub_leave(void) {
    if (!self.worker)
        abort();
    end_pool();
    self.worker->left = true;
    sem_post(&self.worker->arrived);
    pthread_exit(NULL);
}

static struct worker *worker_of(int index) {
    struct worker **place = &self.pool[self.level][index], *worker = *place;
    if (worker)
        return worker;
    worker = calloc(1, sizeof *worker);
    if (!worker)
        abort();
    worker->index = index;
    sem_init(&worker->go, 0, 0);
    sem_init(&worker->arrived, 0, 0);
    if (pthread_create(&worker->thread, NULL, work, worker) != 0)
        abort();
    return *place = worker;
}

void stub_parallel(int threads, void (*body)(void *data), void *argument, const void *code) {
    struct team team = {.body = body, .argument = argument, .size = threads};
    struct task task;
    const int flags = ompt_parallel_invoker_runtime | ompt_parallel_team;
    CALL(parallel_begin, parallel_begin, &self.task->data, NULL, &team.data, (unsigned)threads,
         flags, code);
    for (int i = 1; i < threads; i++) {
        struct worker *worker = worker_of(i);
        worker->team = &team;
        sem_post(&worker->go);
    }
    self.level++;
    begin_part(&team, &task, 0);
    self.level--;
    for (int i = 1; i < threads; i++) {
        struct worker *worker = self.pool[self.level][i];
        sem_wait(&worker->arrived);
        if (worker->left) {
            pthread_join(worker->thread, NULL);
            sem_destroy(&worker->go);
            sem_destroy(&worker->arrived);
            free(worker);
            self.pool[self.level][i] = NULL;
        }
    }
    end_part(&task, &team.data);
    CALL(parallel_end, parallel_end, &team.data, &self.task->data, flags, code);
}

void stub_begin(void) {
    static __thread ompt_data_t data;
    static __thread struct team league;
    memset(&self, 0, sizeof self);
    data.value = league.data.value = 0;
    self.initial.flags = ompt_task_initial;
    CALL(thread_begin, thread_begin, ompt_thread_initial, &data);
    CALL(implicit_task, implicit_task, ompt_scope_begin, &league.data, &self.initial.data, 1, 1,
         ompt_task_initial);
    self.task = &self.initial;
}

void stub_end(void) {
    ompt_data_t data = ompt_data_none;
    end_pool();
    CALL(implicit_task, implicit_task, ompt_scope_end, NULL, &self.initial.data, 0, 1,
         ompt_task_initial);
    self.task = NULL;
    CALL(thread_end, thread_end, &data);
}

void stub_forked(bool tells) {
    memset(&self, 0, sizeof self);
    self.initial.flags = ompt_task_initial;
    self.task = &self.initial;
    if (!tells)
        return;
    ompt_data_t data = ompt_data_none;
    CALL(thread_begin, thread_begin, ompt_thread_initial, &data);
    CALL(implicit_task, implicit_task, ompt_scope_begin, &data, &self.initial.data, 1, 1,
         ompt_task_initial);
}

/* ---- constructs ---- */

void (*_Atomic stub_inside)(void);

static void inside_of_it(void) {
    void (*inside)(void) = atomic_load(&stub_inside);
    if (inside)
        inside();
}

void stub_loop(void (*inside)(void *data), void *argument, const void *code) {
    CALL(work, work, ompt_work_loop, ompt_scope_begin, NULL, &self.task->data, 100, code);
    if (inside)
        inside(argument);
    CALL(work, work, ompt_work_loop, ompt_scope_end, NULL, &self.task->data, 0, code);
}

void stub_masked(const void *code) {
    CALL(masked, masked, ompt_scope_begin, NULL, &self.task->data, code);
    inside_of_it();
    CALL(masked, masked, ompt_scope_end, NULL, &self.task->data, code);
}

void stub_unreported_single(const void *code) {
    CALL(work, work, ompt_work_single_executor, ompt_scope_begin, NULL, &self.task->data, 1, code);
}

void stub_unended_loop(const void *code) {
    CALL(work, work, ompt_work_loop, ompt_scope_begin, NULL, &self.task->data, 100, code);
}

/* Nobody waits for anybody in it. */
void stub_barrier(const void *code) {
    static struct team none;
    barrier_begin(&none, self.task, ompt_sync_region_barrier_explicit, code);
    inside_of_it();
    barrier_end(&none.data, self.task, ompt_sync_region_barrier_explicit, code);
}

void stub_reduction(const void *code) {
    CALL(reduction, sync_region, ompt_sync_region_reduction, ompt_scope_begin, NULL,
         &self.task->data, code);
    inside_of_it();
    CALL(reduction, sync_region, ompt_sync_region_reduction, ompt_scope_end, NULL, &self.task->data,
         code);
}

void stub_critical(const void *code) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    ompt_wait_id_t id = (uintptr_t)&lock;
    CALL(mutex_acquire, mutex_acquire, ompt_mutex_critical, 0, 0, id, code);
    pthread_mutex_lock(&lock);
    CALL(mutex_acquired, mutex, ompt_mutex_critical, id, code);
    pthread_mutex_unlock(&lock);
    CALL(mutex_released, mutex, ompt_mutex_critical, id, code);
}

void stub_nest_lock(const void *code) {
    ompt_wait_id_t id = (uintptr_t)&self;
    CALL(mutex_acquire, mutex_acquire, ompt_mutex_nest_lock, 0, 0, id, code);
    CALL(mutex_acquired, mutex, ompt_mutex_nest_lock, id, code);
    CALL(nest_lock, nest_lock, ompt_scope_begin, id, code);
    CALL(nest_lock, nest_lock, ompt_scope_end, id, code);
    CALL(mutex_released, mutex, ompt_mutex_nest_lock, id, code);
}

void stub_test_lock(const void *code) {
    ompt_wait_id_t id = (uintptr_t)&self + 1;
    CALL(mutex_acquire, mutex_acquire, ompt_mutex_test_lock, 0, 0, id, code);
    CALL(mutex_acquired, mutex, ompt_mutex_test_lock, id, code);
    CALL(mutex_released, mutex, ompt_mutex_lock, id, code);
}

void stub_task(void (*inside)(void *data), void *argument, const void *code) {
    struct task task = {.flags = ompt_task_explicit | ompt_task_undeferred, .outer = self.task};
    ompt_dependence_t dependence = {.dependence_type = ompt_dependence_type_inout};
    dependence.variable.ptr = &task;
    CALL(task_create, task_create, &task.outer->data, NULL, &task.data, task.flags, 1, code);
    CALL(dependences, dependences, &task.data, &dependence, 1);
    CALL(task_schedule, task_schedule, &task.outer->data, ompt_task_switch, &task.data);
    self.task = &task;
    if (inside)
        inside(argument);
    self.task = task.outer;
    CALL(task_schedule, task_schedule, &task.data, ompt_task_complete, &task.outer->data);
}

void stub_target(const void *code) {
    ompt_data_t target = ompt_data_none;
    ompt_id_t operation = 0;
    if (stub_has(ompt_callback_target_emi)) {
        CALL(target_emi, target_emi, ompt_target, ompt_scope_begin, 0, &self.task->data, NULL,
             &target, code);
        CALL(target_data_op_emi, target_data_op_emi, ompt_scope_begin, NULL, &target, &operation,
             ompt_target_data_transfer_to_device, &target, 1, &target, 0, 8, code);
        CALL(target_data_op_emi, target_data_op_emi, ompt_scope_end, NULL, &target, &operation,
             ompt_target_data_transfer_to_device, &target, 1, &target, 0, 8, code);
        CALL(target_submit_emi, target_submit_emi, ompt_scope_begin, &target, &operation, 1);
        CALL(target_submit_emi, target_submit_emi, ompt_scope_end, &target, &operation, 1);
        inside_of_it();
        CALL(target_emi, target_emi, ompt_target, ompt_scope_end, 0, &self.task->data, NULL,
             &target, code);
        return;
    }
    CALL(target, target, ompt_target, ompt_scope_begin, 0, &self.task->data, 17, code);
    CALL(target_data_op, target_data_op, 17, 1, ompt_target_data_transfer_to_device, &target, 1,
         &target, 0, 8, code);
    CALL(target_submit, target_submit, 17, 2, 1);
    CALL(target, target, ompt_target, ompt_scope_end, 0, &self.task->data, 17, code);
}
