/* Records events of PInsight's providers without a Python: for tests of the reader and for its
 * speed. One session must listen; what is recorded is known exactly.
 *
 *   tracegen inline|registry|calls|mixed COUNT [THREADS [FUNCTIONS]]
 *   tracegen script FILE
 *
 * COUNT is the number of calls (a begin and an end) per thread. FILE has one event a line:
 *   process PID COMMAND | thread PID TID NUMBER NAME
 *   code CODE ID NAME FILE LINE MODULE | callee NUMBER NAME MODULE
 *   fb|fe NAME FILE LINE ID THREAD HOW | cb NAME CALLEE FILE LINE ID THREAD
 *   ce NAME CALLEE FILE LINE ID THREAD HOW
 *   b|e TID CODE HOW | rcb TID CALLEE LINE | rce TID CALLEE HOW
 *   ib MODULE THREAD | ie MODULE THREAD HOW
 *   domain PID DOMAIN RUNTIME MECHANISM | mode PID DOMAIN TO REASON
 *   config PID GENERATION PATH REASON FAILED MESSAGE
 *   window PID DOMAIN KIND NUMBER NAME FILE LINE EXECUTIONS RECORDED CAUSE RULE AFTER
 *   look PID NUMBER CAUSE PAUSE_NS SCRIPT
 *   looked PID NUMBER CHUNK HOW STATUS STOPPED RUNNING RELOADED MODE MESSAGE
 *   path NUMBER PARENT CODE LINE | native PID NUMBER ADDRESS OBJECT OFFSET SYMBOL
 *   @N WORD... (in thread N, 0 is the main one; the events of OpenMP, see tracegen_openmp.c):
 *     tb TYPE | pb REGION TASK ADDRESS PATH | pe REGION | ib REGION TASK TEAM_SIZE | ie REGION TASK
 *     in REGION TASK TEAM_SIZE | jb REGION SYNC_KIND | je REGION SYNC_KIND ENDS_TASK
 *     bb|be REGION SYNC_KIND | xb|xe REGION | ca|ch|cr REGION
 *     tc REGION TASK NEW_TASK PATH | ts REGION TASK NEXT_TASK STATUS
 *   profile PID TID NUMBER KIND NUMBER NAME FILE LINE CALLS INCLUSIVE EXCLUSIVE
 *   totals PID DOMAIN LOST DROPPED LIMIT REACHED [OUTSIDE] | sleep MICROSECONDS
 * Words have no spaces; %xx stands for a byte. PID 0 is this process, TID 0 its main thread. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracegen_openmp.h"

#include "tracer/record/core.h"
#include "tracer/record/openmp.h"
#include "tracer/record/python.h"
#include "tracer/record/recorder.h"

static long count;
static long function_count = 300;
static const char *mode;
static char (*qualnames)[64], (*filenames)[96];

static void define(void) {
    qualnames = calloc((size_t)function_count, sizeof(*qualnames));
    filenames = calloc((size_t)function_count, sizeof(*filenames));
    pinsight_record_core_process_info(getpid(), getppid(), -1, "host", "/usr/bin/python3",
                                      "python3 generated.py", "0", 0, 0, "");
    for (long i = 0; i < function_count; i++) {
        snprintf(qualnames[i], sizeof(*qualnames), "Simulation.step.<locals>.advance%ld", i);
        snprintf(filenames[i], sizeof(*filenames),
                 "/home/user/project/src/simulation/solver/time_integration%ld.py", i % 20);
        pinsight_record_python_code_info((uint32_t)i + 1, (uint64_t)i + 1, qualnames[i],
                                         filenames[i], (int)i + 1, "simulation.solver");
        pinsight_record_python_callee_info((uint32_t)i + 1, "numpy.dot", "numpy");
    }
}

static void one_call(long i, int32_t thread, uint32_t tid) {
    long k = i * 7 % function_count;
    const char *name = qualnames[k], *file = filenames[k];
    uint64_t id = (uint64_t)k + 1;

    switch (mode[0]) {
    case 'i':
        pinsight_record_python_function_begin(name, file, (int)k + 1, id, thread, 0, 0);
        pinsight_record_python_function_end(name, file, (int)k + 1, id, thread, 0);
        break;
    case 'r':
        pinsight_record_python_begin(tid, (uint32_t)(k + 1) * 4, 0);
        pinsight_record_python_end(tid, (uint32_t)(k + 1) * 4);
        break;
    case 'c':
        pinsight_record_python_c_call_begin(name, "numpy.dot", file, (int)k + 5, id, thread, 0);
        pinsight_record_python_c_call_end(name, "numpy.dot", file, (int)k + 5, id, thread, 0);
        break;
    default:
        pinsight_record_python_function_begin(name, file, (int)k + 1, id, thread, 0, 0);
        pinsight_record_python_c_call_begin(name, "numpy.dot", file, (int)k + 5, id, thread, 0);
        pinsight_record_python_c_call_end(name, "numpy.dot", file, (int)k + 5, id, thread, 0);
        pinsight_record_python_function_end(name, file, (int)k + 1, id, thread, 0);
    }
}

static void *thread_main(void *number) {
    int32_t thread = (int32_t)(intptr_t)number;
    uint32_t tid = (uint32_t)syscall(SYS_gettid);

    pinsight_record_core_thread_info(getpid(), tid, thread, thread ? "worker" : "MainThread");
    for (long i = 0; i < count; i++)
        one_call(i, thread, tid);
    return NULL;
}

/* The bytes that a word stands for. */
static const char *bytes(char *word) {
    char *to = word, hex[3] = {0};

    if (!word)
        return "";
    for (char *from = word; *from; from++) {
        if (*from == '%' && from[1] && from[2]) {
            memcpy(hex, from + 1, 2);
            *to++ = (char)strtol(hex, NULL, 16);
            from += 2;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return word;
}

static long long number_of(char **words, int i) {
    return words[i] ? strtoll(words[i], NULL, 0) : 0;
}

#define W(i) bytes(words[i])
#define N(i) number_of(words, i)

static void control(char **words, int32_t pid) {
    if (!strcmp(words[0], "config"))
        pinsight_record_core_config_change(pid, (uint32_t)N(2), W(3), W(4), (uint8_t)N(5), W(6));
    else if (!strcmp(words[0], "window"))
        pinsight_record_core_window_end(
            &(struct pinsight_record_core_window_end){.pid = pid,
                                                      .domain = W(2),
                                                      .kind = (uint8_t)N(3),
                                                      .lexgion = (uint32_t)N(4),
                                                      .name = W(5),
                                                      .filename = W(6),
                                                      .lineno = (int32_t)N(7),
                                                      .executions = (uint64_t)N(8),
                                                      .recorded = (uint64_t)N(9),
                                                      .cause = (uint8_t)N(10),
                                                      .rule = W(11),
                                                      .after = W(12)});
    else if (!strcmp(words[0], "look"))
        pinsight_record_core_introspect_begin(pid, (uint32_t)N(2), W(3), N(4), W(5));
    else if (!strcmp(words[0], "looked"))
        pinsight_record_core_introspect_end(pid, (uint32_t)N(2), W(3), (uint8_t)N(4), (int32_t)N(5),
                                            (uint32_t)N(6), (uint32_t)N(7), (uint8_t)N(8),
                                            (uint8_t)N(9), W(10));
    else
        fprintf(stderr, "tracegen: unknown word %s\n", words[0]);
}

static void definition(char **words) {
    int32_t pid = N(1) ? (int32_t)N(1) : getpid();

    if (!strcmp(words[0], "process"))
        pinsight_record_core_process_info(pid, 1, -1, "host", "/usr/bin/python3", W(2), "0", 0, 0,
                                          "");
    else if (!strcmp(words[0], "thread"))
        pinsight_record_core_thread_info(pid, N(2) ? (uint32_t)N(2) : (uint32_t)getpid(),
                                         (int32_t)N(3), W(4));
    else if (!strcmp(words[0], "path"))
        pinsight_record_python_path_info((uint32_t)N(1), (uint32_t)N(2), (uint32_t)N(3),
                                         (int32_t)N(4));
    else if (!strcmp(words[0], "native"))
        pinsight_record_openmp_region_info(pid, (uint32_t)N(2), (uint64_t)N(3), W(4),
                                           (uint64_t)N(5), W(6));
    else if (!strcmp(words[0], "code"))
        pinsight_record_python_code_info((uint32_t)N(1), (uint64_t)N(2), W(3), W(4), (int32_t)N(5),
                                         W(6));
    else if (!strcmp(words[0], "callee"))
        pinsight_record_python_callee_info((uint32_t)N(1), W(2), W(3));
    else if (!strcmp(words[0], "domain"))
        pinsight_record_core_domain_info(pid, W(2), W(3), W(4), "function,c_call", "-", 3);
    else if (!strcmp(words[0], "mode"))
        pinsight_record_core_mode_change(pid, W(2), 3, (uint8_t)N(3), W(4));
    else if (!strcmp(words[0], "profile"))
        pinsight_record_core_lexgion_profile(&(struct pinsight_record_core_lexgion_profile){
            .pid = pid,
            .tid = (uint32_t)N(2),
            .python_thread_id = (int32_t)N(3),
            .domain = N(4) == 2 ? "OpenMP" : "Python",
            .kind = (uint8_t)N(4),
            .lexgion = (uint32_t)N(5),
            .name = W(6),
            .filename = W(7),
            .lineno = (int32_t)N(8),
            .calls = (uint64_t)N(9),
            .inclusive_ns = (uint64_t)N(10),
            .exclusive_ns = (uint64_t)N(11)});
    else if (!strcmp(words[0], "totals"))
        pinsight_record_core_domain_totals(pid, W(2), (uint64_t)N(3), (uint64_t)N(4),
                                           (uint64_t)N(7), 0, (uint64_t)N(5), (uint8_t)N(6),
                                           (uint64_t)N(8));
    else if (!strcmp(words[0], "sleep"))
        usleep((useconds_t)N(1));
    else
        control(words, pid);
}

static void event(char **words) {
    if (!strcmp(words[0], "fb"))
        pinsight_record_python_function_begin(W(1), W(2), (int32_t)N(3), (uint64_t)N(4),
                                              (int32_t)N(5), (uint8_t)N(6), 0);
    else if (!strcmp(words[0], "fe"))
        pinsight_record_python_function_end(W(1), W(2), (int32_t)N(3), (uint64_t)N(4),
                                            (int32_t)N(5), (uint8_t)N(6));
    else if (!strcmp(words[0], "cb"))
        pinsight_record_python_c_call_begin(W(1), W(2), W(3), (int32_t)N(4), (uint64_t)N(5),
                                            (int32_t)N(6), 0);
    else if (!strcmp(words[0], "ce"))
        pinsight_record_python_c_call_end(W(1), W(2), W(3), (int32_t)N(4), (uint64_t)N(5),
                                          (int32_t)N(6), (uint8_t)N(7));
    else if (!strcmp(words[0], "b"))
        pinsight_record_python_begin((uint32_t)N(1), (uint32_t)(N(2) * 4 + N(3)), 0);
    else if (!strcmp(words[0], "e"))
        pinsight_record_python_end((uint32_t)N(1), (uint32_t)(N(2) * 4 + N(3)));
    else if (!strcmp(words[0], "rcb"))
        pinsight_record_python_c_begin((uint32_t)N(1), (uint32_t)N(2) * 4, (int32_t)N(3));
    else if (!strcmp(words[0], "rce"))
        pinsight_record_python_c_end((uint32_t)N(1), (uint32_t)(N(2) * 4 + N(3)));
    else if (!strcmp(words[0], "ib"))
        pinsight_record_python_import_begin(W(1), (int32_t)N(2), (uint32_t)N(3));
    else if (!strcmp(words[0], "ie"))
        pinsight_record_python_import_end(W(1), (int32_t)N(2), (uint8_t)N(3));
    else
        definition(words);
}

static int play(const char *path) {
    FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
    char line[4096];

    if (!file) {
        perror(path);
        return 1;
    }
    while (fgets(line, sizeof(line), file)) {
        char *words[16] = {0}, *rest = NULL;
        int n = 0;

        for (char *word = strtok_r(line, " \t\n", &rest); word && n < 15;
             word = strtok_r(NULL, " \t\n", &rest))
            words[n++] = word;
        if (n && words[0][0] != '#' && !tracegen_openmp(words))
            event(words);
    }
    return 0;
}

int main(int argc, char **argv) {
    pthread_t threads[64];
    long thread_count = 1;

    if (argc < 3) {
        fprintf(stderr, "usage: tracegen inline|registry|calls|mixed COUNT [THREADS [FUNCTIONS]]\n"
                        "       tracegen script FILE\n");
        return 2;
    }
    const char *missing = pinsight_recorder_choose();
    if (missing || pinsight_recorder_link(PINSIGHT_RECORD_CORE_LINK) != 0 ||
        pinsight_recorder_link(PINSIGHT_RECORD_PYTHON_LINK) != 0 ||
        pinsight_recorder_link(PINSIGHT_RECORD_OPENMP_LINK) != 0) {
        fprintf(stderr, "tracegen: %s\n", missing ? missing : "a part of the recorder is missing");
        return 1;
    }
    mode = argv[1];
    if (!strcmp(mode, "script"))
        return play(argv[2]);
    count = atol(argv[2]);
    if (argc > 3)
        thread_count = atol(argv[3]) < 64 ? atol(argv[3]) : 64;
    if (argc > 4)
        function_count = atol(argv[4]) > 0 ? atol(argv[4]) : 1;
    define();
    for (long i = 0; i < thread_count; i++)
        pthread_create(&threads[i], NULL, thread_main, (void *)i);
    for (long i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
