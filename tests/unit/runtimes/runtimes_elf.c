/* What an ELF file needs: real files, and files that are damaged in every way. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>

#include "runtimes/elf.h"
#include "runtimes/linker.h"

static char own[PATH_MAX]; /* this program, which links cmocka and libc */

static void test_program(void **state) {
    struct pinsight_elf elf;
    char name[256];
    bool cmocka = false, libc = false;

    (void)state;
    assert_int_equal(pinsight_elf_open(&elf, own), 0);
    assert_true(elf.is_dynamic && elf.has_interpreter);
    for (size_t i = 0; i < elf.needed_count; i++) {
        assert_true(pinsight_elf_string(&elf, elf.needed[i], name, sizeof(name)));
        cmocka = cmocka || strncmp(name, "libcmocka.so", 12) == 0;
        libc = libc || strncmp(name, "libc.so", 7) == 0;
    }
    assert_true(cmocka && libc);
    assert_false(pinsight_elf_string(&elf, elf.needed[0], name, 3)); /* it does not fit */
    assert_false(pinsight_elf_string(&elf, UINT64_MAX, name, sizeof(name)));
    assert_true(pinsight_elf_takes(&elf, "mkdtemp"));
    assert_false(pinsight_elf_takes(&elf, "main"));
    assert_false(pinsight_elf_takes(&elf, ""));
    pinsight_elf_close(&elf);
}

static void test_library(void **state) {
    struct pinsight_elf elf;
    char path[PATH_MAX];

    (void)state;
    assert_true(pinsight_linker_find_system("libc.so.6", path));
    assert_int_equal(pinsight_elf_open(&elf, path), 0);
    assert_true(pinsight_elf_defines(&elf, "printf"));
    assert_true(pinsight_elf_defines(&elf, "qsort"));
    assert_false(pinsight_elf_defines(&elf, "no_such_function"));
    assert_false(pinsight_elf_defines(&elf, ""));
    /* libc uses a program's own malloc() in place of its, and no other qsort(). */
    assert_true(pinsight_elf_defines(&elf, "free"));
    assert_false(pinsight_elf_binds(&elf, "free"));
    assert_true(pinsight_elf_binds(&elf, "qsort"));
    assert_false(pinsight_elf_binds(&elf, "no_such_function"));
    pinsight_elf_close(&elf);
    assert_false(pinsight_linker_find_system("libno-such.so.1", path));
}

/* What is read is what the file has there, wherever the parts of it begin that are read at once. */
static void test_reads(void **state) {
    enum { REACH = 64 };
    struct pinsight_elf elf;
    static char strings[1 << 16];
    char path[PATH_MAX], text[PINSIGHT_ELF_NAME_MAX], read[REACH], there[REACH];

    (void)state;
    assert_true(pinsight_linker_find_system("libc.so.6", path));
    assert_int_equal(pinsight_elf_open(&elf, path), 0);
    for (uint64_t border = sizeof(elf.window->bytes); border < 1 << 18;
         border += sizeof(elf.window->bytes)) {
        assert_true(pinsight_elf_read(&elf, border - REACH / 2, read, REACH));
        assert_int_equal(pread(elf.fd, there, REACH, (off_t)(border - REACH / 2)), REACH);
        assert_memory_equal(read, there, REACH);
    }
    assert_true(pinsight_elf_read(&elf, elf.size - 1, read, 1));
    assert_false(pinsight_elf_read(&elf, elf.size - 1, read, 2));
    size_t room = elf.strings_size < sizeof(strings) ? elf.strings_size : sizeof(strings);
    size_t size = (size_t)pread(elf.fd, strings, room, (off_t)elf.strings);
    for (size_t i = 0; i < size && memchr(strings + i, '\0', size - i) != NULL; i++) {
        assert_true(pinsight_elf_string(&elf, i, text, sizeof(text)));
        assert_string_equal(text, strings + i);
    }
    pinsight_elf_close(&elf);
}

static void test_no_elf(void **state) {
    struct pinsight_elf elf;

    (void)state;
    write_text("script", "#!/bin/sh\n", 0755);
    write_text("empty", "", 0644);
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    assert_int_equal(pinsight_elf_open(&elf, in_folder("script")), ENOEXEC);
    assert_int_equal(pinsight_elf_open(&elf, in_folder("empty")), ENOEXEC);
    assert_int_equal(pinsight_elf_open(&elf, in_folder("pipe")), ENOEXEC);
    assert_int_equal(pinsight_elf_open(&elf, test_folder), ENOEXEC);
    assert_int_equal(pinsight_elf_open(&elf, in_folder("nothing")), ENOENT);
}

/* Asks everything of a file; what it answers does not matter. */
static void ask_all(const char *path) {
    struct pinsight_elf elf;
    char text[PINSIGHT_ELF_NAME_MAX];

    if (pinsight_elf_open(&elf, path) != 0) {
        return;
    }
    for (size_t i = 0; i < elf.needed_count; i++) {
        pinsight_elf_string(&elf, elf.needed[i], text, sizeof(text));
    }
    pinsight_elf_string(&elf, elf.runpath, text, sizeof(text));
    pinsight_elf_string(&elf, elf.rpath, text, sizeof(text));
    pinsight_elf_string(&elf, elf.soname, text, sizeof(text));
    pinsight_elf_defines(&elf, "printf");
    pinsight_elf_binds(&elf, "printf");
    pinsight_elf_takes(&elf, "printf");
    pinsight_elf_close(&elf);
}

static void test_damaged(void **state) {
    struct stat about;

    (void)state;
    int fd = open(own, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && fstat(fd, &about) == 0);
    size_t size = (size_t)about.st_size;
    unsigned char *bytes = malloc(size), *copy = malloc(size);
    assert_non_null(bytes);
    assert_non_null(copy);
    assert_true(read(fd, bytes, size) == (ssize_t)size);
    close(fd);
    for (size_t cut = 0; cut < size; cut += cut < 4096 ? 61 : size / 40) {
        write_file("cut", bytes, cut, 0644);
        ask_all(in_folder("cut"));
    }
    /* Headers, dynamic section and tables are at the start and the end of a small program. */
    unsigned seed = 1;
    for (int round = 0; round < 400; round++) {
        memcpy(copy, bytes, size);
        for (int i = 0; i < 24; i++) {
            seed = seed * 1103515245u + 12345u;
            size_t at = (seed >> 8) % (round % 2 == 0 && size > 4096 ? 4096 : size);
            copy[at] = (unsigned char)(seed >> 16);
        }
        memcpy(copy, bytes, 18); /* what it is stays, so that the rest is looked at */
        write_file("wrong", copy, size, 0644);
        ask_all(in_folder("wrong"));
    }
    free(bytes);
    free(copy);
}

int main(void) {
    ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
    if (n <= 0) {
        return 1;
    }
    return RUN_TESTS_GROUP(make_folder, remove_folder, test_program, test_library, test_reads,
                           test_no_elf, test_damaged);
}
