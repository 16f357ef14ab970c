/* Threads that write Parquet; see parquet_pool.h. All but the writing is under one lock. */
#include "views/export/parquet_pool.h"

#include "base/leftover.h"
#include "base/machine.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* More threads would wait for the one that reads the trace. */
#define MOST_THREADS 4
/* The most rows that wait, or are being written, before the caller waits. */
#define MOST_WAITING (4 * PINSIGHT_PARQUET_GROUP)

/* A group on its way to a file. */
struct job {
    struct job *next;
    struct pinsight_parquet_file *file;
    struct pinsight_parquet rows;
    bool end;
};

struct worker {
    struct pinsight_parquet_pool *pool;
    pthread_t thread;
    pthread_cond_t work;
    struct job *first, **last;
};

struct pinsight_parquet_pool {
    pthread_mutex_t lock;
    pthread_cond_t room; /* fewer rows wait */
    struct worker workers[MOST_THREADS];
    size_t count;
    uint64_t waiting; /* rows */
    bool ending;
    int error;
    const char *failed; /* path of the first file that could not be written */
};

void pinsight_parquet_file_clear(struct pinsight_parquet_file *file) {
    pinsight_parquet_clear(&file->rows);
    pinsight_parquet_clear(&file->written);
    pinsight_parquet_clear(&file->spare);
    free(file->path);
}

/* Appends to the file. Returns 0, or an errno. */
static int append(struct pinsight_parquet_file *file, bool end) {
    struct pinsight_parquet *parquet = &file->written;
    int flags = O_WRONLY | O_APPEND | (parquet->written ? 0 : O_CREAT | O_EXCL);
    int fd = open(file->path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
    FILE *out = fd >= 0 ? fdopen(fd, "a") : NULL;
    int error = 0;

    if (!out) {
        error = errno;
        if (fd >= 0)
            close(fd);
        return error;
    }
    errno = 0;
    if (!parquet->written)
        pinsight_parquet_begin(parquet, out);
    if (end)
        pinsight_parquet_finish(parquet, out);
    else
        pinsight_parquet_group(parquet, out);
    if (ferror(out))
        error = errno ? errno : EIO;
    if (fclose(out) != 0 && !error)
        error = errno;
    return error;
}

/* Writes a job, without the lock. Returns 0, or an errno. */
static int write_job(struct job *job) {
    struct pinsight_parquet *written = &job->file->written;
    int error;

    written->columns = job->rows.columns;
    written->count = job->rows.count;
    pinsight_parquet_swap_rows(written, &job->rows);
    error = append(job->file, job->end);
    pinsight_parquet_swap_rows(written, &job->rows);
    return error;
}

/* Notes what became of a job, and frees it. Keeps its memory for the file's next group if that will
 * be a large one. */
static void done(struct pinsight_parquet_pool *pool, struct job *job, uint32_t rows, int error) {
    pool->waiting -= rows;
    if (error && !pool->error) {
        pool->error = error;
        pool->failed = job->file->path;
    }
    if (rows == PINSIGHT_PARQUET_GROUP && !job->file->spare.pieces) {
        job->file->spare = job->rows;
        job->rows = (struct pinsight_parquet){0};
    }
    pinsight_parquet_clear(&job->rows);
    free(job);
}

static void *run(void *data) {
    struct worker *worker = data;
    struct pinsight_parquet_pool *pool = worker->pool;

    pthread_mutex_lock(&pool->lock);
    for (;;) {
        struct job *job = worker->first;
        uint32_t rows;
        int error = 0;

        if (!job && pool->ending)
            break;
        if (!job) {
            pthread_cond_wait(&worker->work, &pool->lock);
            continue;
        }
        worker->first = job->next;
        if (!worker->first)
            worker->last = &worker->first;
        rows = job->rows.rows;
        if (!pool->error) {
            pthread_mutex_unlock(&pool->lock);
            error = write_job(job);
            pthread_mutex_lock(&pool->lock);
        }
        done(pool, job, rows, error);
        pthread_cond_signal(&pool->room);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

struct pinsight_parquet_pool *pinsight_parquet_pool_new(void) {
    struct pinsight_parquet_pool *pool = pinsight_calloc(1, sizeof(*pool));
    size_t wanted = pinsight_machine_processors() - 1;
    sigset_t before;

    if (wanted > MOST_THREADS)
        wanted = MOST_THREADS;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->room, NULL);
    pinsight_leftover_block_for_threads(&before);
    while (pool->count < wanted) {
        struct worker *worker = &pool->workers[pool->count];

        worker->pool = pool;
        worker->last = &worker->first;
        pthread_cond_init(&worker->work, NULL);
        if (pthread_create(&worker->thread, NULL, run, worker) != 0) {
            pthread_cond_destroy(&worker->work);
            break;
        }
        pool->count++;
    }
    pinsight_leftover_unblock_signals(&before);
    return pool;
}

/* Moves the rows of a file into a new job. The file gets room for the next rows. */
static struct job *job_of(struct pinsight_parquet_file *file, bool end) {
    struct job *job = pinsight_calloc(1, sizeof(*job));

    job->file = file;
    job->end = end;
    job->rows = file->rows;
    file->rows = file->spare;
    file->spare = (struct pinsight_parquet){0};
    if (!file->rows.pieces)
        pinsight_parquet_make(&file->rows, job->rows.columns, job->rows.count);
    return job;
}

int pinsight_parquet_pool_write(struct pinsight_parquet_pool *pool,
                                struct pinsight_parquet_file *file, size_t number, bool end,
                                const char **path) {
    struct worker *worker = &pool->workers[pool->count ? number % pool->count : 0];
    struct job *job;
    int failed;

    pthread_mutex_lock(&pool->lock);
    while (pool->waiting > MOST_WAITING)
        pthread_cond_wait(&pool->room, &pool->lock);
    job = job_of(file, end);
    pool->waiting += job->rows.rows;
    if (pool->count) {
        *worker->last = job;
        worker->last = &job->next;
        pthread_cond_signal(&worker->work);
    } else {
        uint32_t rows = job->rows.rows;
        int error = pool->error ? 0 : write_job(job);

        done(pool, job, rows, error);
    }
    failed = pool->error;
    *path = pool->failed;
    pthread_mutex_unlock(&pool->lock);
    return failed;
}

int pinsight_parquet_pool_end(struct pinsight_parquet_pool *pool, const char **path) {
    int error;

    if (!pool)
        return 0;
    pthread_mutex_lock(&pool->lock);
    pool->ending = true;
    for (size_t i = 0; i < pool->count; i++)
        pthread_cond_signal(&pool->workers[i].work);
    pthread_mutex_unlock(&pool->lock);
    for (size_t i = 0; i < pool->count; i++) {
        pthread_join(pool->workers[i].thread, NULL);
        pthread_cond_destroy(&pool->workers[i].work);
    }
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->room);
    error = pool->error;
    *path = pool->failed;
    free(pool);
    return error;
}
