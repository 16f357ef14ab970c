/* The search for libcupti; see cupti_find.h. */
#include "runtimes/cuda/cupti_find.h"

#include <dirent.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SEEN = 64,  /* files and folders that are recognised; later ones may come twice */
    NAMES = 16, /* names of one folder that are sorted */
    NAME = 64,
};

struct cupti_search_state {
    const struct pinsight_cupti_search *wanted;
    pinsight_cupti_take *take;
    void *data;
    bool taken;
    struct cupti_seen {
        dev_t device;
        ino_t inode;
    } seen[SEEN];
    size_t seen_count;
};

/* Names in a folder, the best first. */
struct cupti_names {
    struct cupti_name {
        char text[NAME];
        unsigned rank;
    } items[NAMES];
    size_t count;
};

static const char *variable(const struct cupti_search_state *search, const char *name) {
    const char *value =
        search->wanted->variable ? search->wanted->variable(name) : secure_getenv(name);

    return value && *value ? value : NULL;
}

/* Returns whether a path exists, has this kind, and is new. */
static bool is_new(struct cupti_search_state *search, const char *path, mode_t kind) {
    struct stat file;

    if (stat(path, &file) != 0 || (file.st_mode & S_IFMT) != kind)
        return false;
    for (size_t i = 0; i < search->seen_count; i++)
        if (search->seen[i].device == file.st_dev && search->seen[i].inode == file.st_ino)
            return false;
    if (search->seen_count < SEEN)
        search->seen[search->seen_count++] = (struct cupti_seen){file.st_dev, file.st_ino};
    return true;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Returns whether a name is libcupti.so, libcupti.so.12, libcupti-0123abcd.so.11.8 or similar. */
static bool is_cupti(const char *name) {
    return strncmp(name, "libcupti", 8) == 0 && (name[8] == '.' || name[8] == '-') &&
           strstr(name, ".so");
}

/* Returns the major version in a name, or 0. Names can have the year instead:
 * libcupti.so.2025.3.1. */
static unsigned major_of(const char *name) {
    const char *end = strstr(name, ".so.");
    unsigned long major = end ? strtoul(end + 4, NULL, 10) : 0;

    return major < 1000 ? (unsigned)major : 0;
}

static void report(struct cupti_search_state *search, const char *path,
                   enum pinsight_cupti_place place) {
    struct pinsight_cupti_candidate candidate = {path, place, major_of(base_name(path))};

    if (!search->taken &&
        (search->wanted->driver_major == 0 || candidate.major <= search->wanted->driver_major ||
         place == PINSIGHT_CUPTI_NAMED))
        search->taken = search->take(&candidate, search->data);
}

static void report_file(struct cupti_search_state *search, const char *path,
                        enum pinsight_cupti_place place) {
    if (!search->taken && is_new(search, path, S_IFREG))
        report(search, path, place);
}

static void put_name(struct cupti_names *names, const char *text, unsigned rank) {
    size_t at = names->count;

    if (strlen(text) >= NAME)
        return;
    while (at > 0 &&
           (names->items[at - 1].rank < rank ||
            (names->items[at - 1].rank == rank && strcmp(names->items[at - 1].text, text) > 0)))
        at--;
    if (at >= NAMES)
        return;
    if (names->count < NAMES)
        names->count++;
    memmove(names->items + at + 1, names->items + at,
            (names->count - 1 - at) * sizeof(struct cupti_name));
    strcpy(names->items[at].text, text);
    names->items[at].rank = rank;
}

/* Sorts the names of a folder for which `rank` is not 0. */
static void list(const char *folder, unsigned (*rank)(const char *name),
                 struct cupti_names *names) {
    DIR *open_folder = opendir(folder);

    names->count = 0;
    for (struct dirent *entry; open_folder && (entry = readdir(open_folder));) {
        unsigned found = rank(entry->d_name);
        if (found)
            put_name(names, entry->d_name, found);
    }
    if (open_folder)
        closedir(open_folder);
}

static unsigned rank_cupti(const char *name) {
    return is_cupti(name) ? 1 + major_of(name) : 0;
}

/* Ranks the packages of a `nvidia` folder: cu13 and similar, and cuda_cupti of CUDA 11 and 12. */
static unsigned rank_package(const char *name) {
    unsigned major;

    return sscanf(name, "cu%u", &major) == 1 ? 1 + major : strcmp(name, "cuda_cupti") == 0 ? 1 : 0;
}

/* Ranks names such as cuda-12.4. */
static unsigned rank_toolkit(const char *name) {
    unsigned major, minor = 0;

    return sscanf(name, "cuda-%u.%u", &major, &minor) >= 1 ? 1 + major * 100 + minor : 0;
}

static bool join(char path[PATH_MAX], const char *folder, const char *below, const char *name) {
    int length = snprintf(path, PATH_MAX, "%s%s/%s", folder, below, name);

    return length > 0 && length < PATH_MAX;
}

/* Looks for libcupti in the folder FOLDER`below`. `below` begins with a slash or is "". */
static void look_in(struct cupti_search_state *search, const char *folder, const char *below,
                    enum pinsight_cupti_place place) {
    char path[PATH_MAX];
    struct cupti_names names;

    if (search->taken || !join(path, folder, below, "") || !is_new(search, path, S_IFDIR))
        return;
    list(path, rank_cupti, &names);
    for (size_t i = 0; i < names.count; i++)
        if (join(path, folder, below, names.items[i].text))
            report_file(search, path, place);
}

/* Looks in a folder of Python packages. */
static void look_in_site(struct cupti_search_state *search, const char *site) {
    char path[PATH_MAX];
    struct cupti_names names;

    if (search->taken || !join(path, site, "/nvidia", ""))
        return;
    list(path, rank_package, &names);
    for (size_t i = 0; i < names.count; i++)
        if (join(path, "/nvidia/", names.items[i].text, "lib"))
            look_in(search, site, path, PINSIGHT_CUPTI_PACKAGE);
    look_in(search, site, "/torch/lib", PINSIGHT_CUPTI_PACKAGE);
}

static void look_in_toolkit(struct cupti_search_state *search, const char *toolkit) {
    static const char *const folders[] = {
        "/extras/CUPTI/lib64",
        "/lib64",
#ifdef __x86_64__
        "/targets/x86_64-linux/lib",
#else
        "/targets/sbsa-linux/lib",
        "/targets/aarch64-linux/lib",
#endif
        "/lib",
    };

    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
        look_in(search, toolkit, folders[i], PINSIGHT_CUPTI_TOOLKIT);
}

static void look_named(struct cupti_search_state *search) {
    const char *named = variable(search, "PINSIGHT_CUPTI");

    if (!named)
        return;
    look_in(search, named, "", PINSIGHT_CUPTI_NAMED);
    report_file(search, named, PINSIGHT_CUPTI_NAMED);
}

/* Writes the folder of packages that contains a loaded object. Returns false if there is none. */
static bool site_of(const char *path, char site[PATH_MAX]) {
    const char *folder = strstr(path, "/site-packages/");

    folder = folder ? folder : strstr(path, "/dist-packages/");
    if (!folder || folder - path + sizeof("/site-packages") > PATH_MAX)
        return false;
    snprintf(site, PATH_MAX, "%.*s", (int)(folder - path + sizeof("/site-packages") - 1), path);
    return true;
}

/* Returns whether a library belongs to CUDA's toolkit or to PyTorch. The driver's libcuda does
 * not. */
static bool is_cuda_library(const char *name) {
    static const char *const begins[] = {
        "libcudart",   "libcublas", "libcudnn",     "libcufft", "libcurand", "libcusolver",
        "libcusparse", "libnvrtc",  "libnvJitLink", "libnccl",  "libtorch_", "libc10_cuda"};

    for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
        if (strncmp(name, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

static void look_adjacent(struct cupti_search_state *search, const char *object) {
    char folder[PATH_MAX];
    const char *name = base_name(object);

    if (name == object || !is_cuda_library(name) || strlen(object) >= PATH_MAX)
        return;
    snprintf(folder, sizeof(folder), "%.*s", (int)(name - object - 1), object);
    look_in(search, folder, "", PINSIGHT_CUPTI_ADJACENT);
    look_in(search, folder, "/../extras/CUPTI/lib64", PINSIGHT_CUPTI_ADJACENT);
    look_in(search, folder, "/../../../extras/CUPTI/lib64", PINSIGHT_CUPTI_ADJACENT);
}

static void look_at_process(struct cupti_search_state *search) {
    const struct pinsight_cupti_search *wanted = search->wanted;
    char site[PATH_MAX], last[PATH_MAX] = "";

    for (size_t i = 0; i < wanted->loaded_count; i++)
        if (is_cupti(base_name(wanted->loaded[i])))
            report_file(search, wanted->loaded[i], PINSIGHT_CUPTI_LOADED);
    for (size_t i = 0; i < wanted->loaded_count; i++)
        look_adjacent(search, wanted->loaded[i]);
    for (size_t i = 0; i < wanted->loaded_count; i++)
        if (site_of(wanted->loaded[i], site) && strcmp(site, last) != 0)
            look_in_site(search, strcpy(last, site));
    for (size_t i = 0; i < wanted->site_count; i++)
        look_in_site(search, wanted->sites[i]);
}

static void look_at_toolkits(struct cupti_search_state *search) {
    static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT",
                                            "NVHPC_CUDA_HOME", "CONDA_PREFIX"};
    const char *root = search->wanted->root ? search->wanted->root : "";
    char path[PATH_MAX], toolkit[PATH_MAX];
    struct cupti_names names;

    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
        const char *value = variable(search, variables[i]);
        if (value)
            look_in_toolkit(search, value);
    }
    if (search->taken)
        return;
    if (join(toolkit, root, "/usr/local", "cuda"))
        look_in_toolkit(search, toolkit);
    if (join(path, root, "/usr/local", ""))
        list(path, rank_toolkit, &names);
    else
        names.count = 0;
    for (size_t i = 0; i < names.count; i++)
        if (join(toolkit, root, "/usr/local", names.items[i].text))
            look_in_toolkit(search, toolkit);
    if (join(toolkit, root, "/opt", "cuda"))
        look_in_toolkit(search, toolkit);
}

bool pinsight_cupti_each(const struct pinsight_cupti_search *wanted, pinsight_cupti_take *take,
                         void *data) {
    /* Without libcupti.so, because its name does not contain the version of CUDA. */
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8"};
    struct cupti_search_state search = {.wanted = wanted, .take = take, .data = data};

    look_named(&search);
    look_at_process(&search);
    look_at_toolkits(&search);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        report(&search, names[i], PINSIGHT_CUPTI_LINKER);
    return search.taken;
}

/* Copies of the paths of loaded objects. */
struct cupti_loaded {
    char **paths;
    size_t count, room;
};

static int copy_path(struct dl_phdr_info *object, size_t size, void *data) {
    struct cupti_loaded *loaded = data;

    (void)size;
    if (!object->dlpi_name || object->dlpi_name[0] != '/')
        return 0;
    if (loaded->count == loaded->room) {
        char **more = realloc(loaded->paths, (loaded->room + 128) * sizeof(*more));
        if (!more)
            return 1;
        loaded->paths = more;
        loaded->room += 128;
    }
    loaded->paths[loaded->count] = strdup(object->dlpi_name);
    loaded->count += loaded->paths[loaded->count] != NULL;
    return 0;
}

bool pinsight_cupti_each_here(unsigned driver_major, pinsight_cupti_take *take, void *data) {
    struct cupti_loaded loaded = {NULL, 0, 0};

    dl_iterate_phdr(copy_path, &loaded);
    const struct pinsight_cupti_search search = {
        .loaded = (const char *const *)loaded.paths,
        .loaded_count = loaded.count,
        .driver_major = driver_major,
    };
    bool taken = pinsight_cupti_each(&search, take, data);
    for (size_t i = 0; i < loaded.count; i++)
        free(loaded.paths[i]);
    free(loaded.paths);
    return taken;
}

unsigned pinsight_cupti_cuda(unsigned version) {
    /* CUDA 11.0 has 13, and 12.9 Update 1 has 28. From 13.0 on, the number is 130000 and so on. */
    static const unsigned short of_small[] = {
        [13] = 11000, [14] = 11010, [15] = 11020, [16] = 11050, [17] = 11060, [18] = 11080,
        [19] = 12000, [20] = 12020, [21] = 12030, [22] = 12040, [23] = 12050, [24] = 12060,
        [25] = 12060, [26] = 12080, [27] = 12090, [28] = 12090,
    };

    if (version < sizeof(of_small) / sizeof(*of_small))
        return of_small[version];
    return version >= 130000 ? version / 10000 * 1000 + version / 100 % 100 * 10 : 0;
}
