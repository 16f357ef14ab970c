/* The parallel job of this process; see job.h. */
#include "session/job.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"

/* The variables of one launcher. */
struct launcher {
    const char *name;
    const char *rank;
    const char *size;
    const char *local_rank;
    const char *local_size;
    const char *id[3];
};

static const struct launcher launchers[] = {
    {"openmpi",
     "OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE",
     {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_ess_jobid"}},
    {"mvapich",
     "MV2_COMM_WORLD_RANK",
     "MV2_COMM_WORLD_SIZE",
     "MV2_COMM_WORLD_LOCAL_RANK",
     "MV2_COMM_WORLD_LOCAL_SIZE",
     {"MV2_COMM_WORLD_JOBID", NULL, NULL}},
    {"hydra",
     "PMI_RANK",
     "PMI_SIZE",
     "MPI_LOCALRANKID",
     "MPI_LOCALNRANKS",
     {"PMI_KVSNAME", "HYDRA_JOBID", NULL}},
    {"pals",
     "PALS_RANKID",
     "PMI_SIZE",
     "PALS_LOCAL_RANKID",
     "PALS_LOCAL_SIZE",
     {"PALS_APID", NULL, NULL}},
    {"pmi",
     "PMI_RANK",
     "PMI_SIZE",
     "PMI_LOCAL_RANK",
     "PMI_LOCAL_SIZE",
     {"PMI_JOBID", "PMI_KVSNAME", NULL}},
    {"pmix",
     "PMIX_RANK",
     "PMIX_SIZE",
     "PMIX_LOCAL_RANK",
     "PMIX_LOCAL_SIZE",
     {"PMIX_NAMESPACE", NULL, NULL}},
};

/* Programs that start the processes of a job on a host. */
static const char *const launcher_programs[] = {
    "orted",   "prted",           "prterun",   "mpirun",     "mpiexec", "mpiexec.hydra",
    "orterun", "hydra_pmi_proxy", "pmi_proxy", "slurmstepd", "palsd",   "flux-shell",
};

static int number_of(char *(*get)(const char *name), const char *name, int otherwise) {
    const char *text = get(name);
    char *end;

    if (text == NULL || !isdigit((unsigned char)*text)) {
        return otherwise;
    }
    long number = strtol(text, &end, 10);
    return *end == '\0' && number <= 1 << 24 ? (int)number : otherwise;
}

/*
 * Returns how many tasks run on node `node` of a Slurm step, from a list like "2(x3),1" (srun(1),
 * SLURM_STEP_TASKS_PER_NODE).
 */
static int tasks_on_node(const char *list, int node) {
    while (*list != '\0') {
        char *end;
        long tasks = strtol(list, &end, 10);
        long times = 1;
        if (end == list) {
            return 0;
        }
        if (end[0] == '(' && end[1] == 'x') {
            times = strtol(end + 2, &end, 10);
            end += *end == ')' ? 1 : 0;
        }
        if (node < times) {
            return tasks > 0 && tasks <= 1 << 24 ? (int)tasks : 0;
        }
        node -= (int)times;
        list = *end == ',' ? end + 1 : end;
        if (*end != ',' && *end != '\0') {
            return 0;
        }
    }
    return 0;
}

/* Names the job after the process that started all its processes here, if no variable names it. */
static void name_by_parent(char *id, size_t room) {
    struct pinsight_proc process = {0, 0};
    pid_t pid = getppid();

    pinsight_process_find(pid, &process);
    for (int steps = 0; pid > 1 && steps < 64; steps++) {
        char name[32];
        if (!pinsight_process_name(pid, name, sizeof(name))) {
            break;
        }
        for (size_t i = 0; i < sizeof(launcher_programs) / sizeof(*launcher_programs); i++) {
            if (strcmp(name, launcher_programs[i]) == 0) {
                pinsight_process_find(pid, &process);
                snprintf(id, room, "%d-%" PRIu64, (int)process.pid, process.start);
                return;
            }
        }
        pid = pinsight_process_parent(pid);
    }
    snprintf(id, room, "%d-%" PRIu64, (int)process.pid, process.start);
}

/* Sets the job's identity in a form for file names. A long one keeps its end, which differs
 * most. */
static void set_id(struct pinsight_job *job, const char *text) {
    size_t length = strlen(text);
    size_t most = sizeof(job->id) - sizeof(job->launcher) - 2;

    if (length > most) {
        text += length - most;
    }
    int n = snprintf(job->id, sizeof(job->id), "%s-%s", job->launcher, text);
    for (int i = 0; i < n; i++) {
        unsigned char c = (unsigned char)job->id[i];
        if (!isalnum(c) && c != '.' && c != '-') {
            job->id[i] = '_';
        }
    }
}

static bool look_at_slurm(struct pinsight_job *job, char *(*get)(const char *name)) {
    const char *job_id = get("SLURM_JOB_ID");
    const char *step = get("SLURM_STEP_ID");
    const char *tasks = get("SLURM_STEP_TASKS_PER_NODE");
    char id[96];

    if (tasks == NULL) {
        tasks = get("SLURM_TASKS_PER_NODE"); /* the job's, which a step has by default */
    }
    if (job_id == NULL || step == NULL || tasks == NULL || get("SLURM_LOCALID") == NULL) {
        return false;
    }
    job->local_rank = number_of(get, "SLURM_LOCALID", 0);
    job->local_size = tasks_on_node(tasks, number_of(get, "SLURM_NODEID", 0));
    job->rank = number_of(get, "SLURM_PROCID", 0);
    job->size =
        number_of(get, "SLURM_STEP_NUM_TASKS", number_of(get, "SLURM_NTASKS", job->local_size));
    snprintf(job->launcher, sizeof(job->launcher), "slurm");
    snprintf(id, sizeof(id), "%.40s.%.40s", job_id, step);
    set_id(job, id);
    return true;
}

static void name_job(struct pinsight_job *job, const char *const names[3],
                     char *(*get)(const char *name)) {
    char id[64] = "";

    for (size_t i = 0; i < 3; i++) {
        const char *text = names[i] != NULL ? get(names[i]) : NULL;
        if (text != NULL && *text != '\0') {
            set_id(job, text);
            return;
        }
    }
    name_by_parent(id, sizeof(id));
    set_id(job, id);
}

/* Looks for PMIx, which names the job and the rank, and PMI, which gives their number. Neither puts
 * more into the environment (PMIx 4.1, 10.1); a client would have to ask the server. */
static void look_at_the_unplaced(struct pinsight_job *job, char *(*get)(const char *name)) {
    static const struct {
        const char *launcher, *rank, *size;
        const char *id[3];
        bool needs_id;
    } kinds[] = {
        {"pmix", "PMIX_RANK", "PMIX_SIZE", {"PMIX_NAMESPACE", NULL, NULL}, true},
        {"pmi", "PMI_RANK", "PMI_SIZE", {"PMI_JOBID", "PMI_KVSNAME", NULL}, false},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        int rank = number_of(get, kinds[i].rank, -1);
        int size = number_of(get, kinds[i].size, 0);
        const char *id = kinds[i].needs_id ? get(kinds[i].id[0]) : NULL;
        bool is_one = kinds[i].needs_id ? id != NULL && *id != '\0' && size != 1 : size > 1;
        if (rank < 0 || !is_one || (size > 0 && rank >= size)) {
            continue;
        }
        job->rank = rank;
        job->size = size;
        job->local_size = 2;
        job->unplaced = true;
        snprintf(job->launcher, sizeof(job->launcher), "%s", kinds[i].launcher);
        name_job(job, kinds[i].id, get);
        return;
    }
}

void pinsight_job_look(struct pinsight_job *job, char *(*get)(const char *name)) {
    memset(job, 0, sizeof(*job));
    job->size = 1;
    job->local_size = 1;
    for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++) {
        const struct launcher *launcher = &launchers[i];
        int local_rank = number_of(get, launcher->local_rank, -1);
        int local_size = number_of(get, launcher->local_size, -1);
        if (local_rank < 0 || local_size < 1 || local_rank >= local_size) {
            continue;
        }
        job->local_rank = local_rank;
        job->local_size = local_size;
        job->rank = number_of(get, launcher->rank, local_rank);
        job->size = number_of(get, launcher->size, local_size);
        snprintf(job->launcher, sizeof(job->launcher), "%s", launcher->name);
        name_job(job, launcher->id, get);
        return;
    }
    if (look_at_slurm(job, get)) {
        if (job->local_size >= 1 && job->local_rank < job->local_size) {
            return;
        }
        memset(job, 0, sizeof(*job));
        job->size = 1;
        job->local_size = 1;
        return;
    }
    look_at_the_unplaced(job, get);
}
