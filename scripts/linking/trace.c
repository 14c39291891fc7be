// SPDX-License-Identifier: Apache-2.0
// Runs a program and writes which of its functions were called, in the order of their first calls:
//
//   trace OUTPUT PROGRAM ARGUMENT...
//
// The program must be for Linux on x86-64 and not stripped. Each function gets a breakpoint at its start, which is removed at
// the first call. To stop the program, send a signal to its own process; a signal to the tracer ends both.
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BREAKPOINT = 0xCC };

struct function {
    uint64_t address; // in the file
    const char *name;
    uint8_t first; // the byte that the breakpoint stands for
    uint8_t is_known;
};

static struct function *functions;
static size_t count;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int compare(const void *left, const void *right) {
    uint64_t one = ((const struct function *)left)->address, other = ((const struct function *)right)->address;
    return one < other ? -1 : one > other;
}

static void add_symbols(const char *file, const Elf64_Shdr *sections, size_t section_count, const Elf64_Shdr *table) {
    const Elf64_Sym *symbols = (const Elf64_Sym *)(file + table->sh_offset);
    size_t symbol_count = table->sh_size / sizeof *symbols;
    functions = calloc(symbol_count, sizeof *functions);
    if (!functions) fail("memory");
    for (size_t i = 0; i < symbol_count; i++) {
        const Elf64_Sym *symbol = &symbols[i];
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || !symbol->st_size || symbol->st_shndx >= section_count) continue;
        if (!(sections[symbol->st_shndx].sh_flags & SHF_EXECINSTR)) continue;
        functions[count++] = (struct function){
            symbol->st_value, file + sections[table->sh_link].sh_offset + symbol->st_name, 0, 0,
        };
    }
    qsort(functions, count, sizeof *functions, compare);
    size_t unique = 0;
    for (size_t i = 0; i < count; i++)
        if (!unique || functions[unique - 1].address != functions[i].address) functions[unique++] = functions[i];
    count = unique;
}

static void read_functions(const char *path) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    if (descriptor < 0 || fstat(descriptor, &about)) fail(path);
    const char *file = mmap(NULL, about.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (file == MAP_FAILED) fail(path);
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)file;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + head->e_shoff);
    for (size_t i = 0; i < head->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB) add_symbols(file, sections, head->e_shnum, &sections[i]);
    if (!count) {
        fprintf(stderr, "trace: %s has no functions with names: is it stripped?\n", path);
        exit(1);
    }
}

static void move(int memory, uint8_t *bytes, size_t size, uint64_t address, int is_write) {
    for (size_t done = 0; done < size;) {
        ssize_t moved = is_write ? pwrite(memory, bytes + done, size - done, (off_t)(address + done))
                                 : pread(memory, bytes + done, size - done, (off_t)(address + done));
        if (moved <= 0) fail("memory of the program");
        done += (size_t)moved;
    }
}

static void set_breakpoints(int memory, uint64_t base) {
    uint64_t start = functions[0].address;
    size_t size = functions[count - 1].address + 1 - start;
    uint8_t *code = malloc(size);
    if (!code) fail("memory");
    move(memory, code, size, base + start, 0);
    for (size_t i = 0; i < count; i++) {
        functions[i].first = code[functions[i].address - start];
        code[functions[i].address - start] = BREAKPOINT;
    }
    move(memory, code, size, base + start, 1);
    free(code);
}

/// Goes back to where the breakpoint was, and takes it away; two threads may have met the same one.
static int meet(pid_t thread, int memory, uint64_t base, FILE *output) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, thread, NULL, &registers)) return 0;
    struct function key = {registers.rip - 1 - base, NULL, 0, 0};
    struct function *met = bsearch(&key, functions, count, sizeof *functions, compare);
    if (!met) return 0;
    if (!met->is_known) {
        met->is_known = 1;
        fprintf(output, "%s\n", met->name);
        move(memory, &met->first, 1, base + met->address, 1);
    }
    registers.rip--;
    return ptrace(PTRACE_SETREGS, thread, NULL, &registers) == 0;
}

static int follow(pid_t program, int memory, uint64_t base, FILE *output) {
    for (;;) {
        int status;
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0) return 1;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (thread == program) return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
            continue;
        }
        int signal = WSTOPSIG(status), is_event = status >> 16;
        // A new thread begins with SIGSTOP.
        int is_ours = is_event || signal == SIGSTOP || (signal == SIGTRAP && meet(thread, memory, base, output));
        ptrace(PTRACE_CONT, thread, NULL, is_ours ? 0 : signal);
    }
}

int main(int argument_count, char **arguments) {
    if (argument_count < 3) {
        fprintf(stderr, "usage: trace OUTPUT PROGRAM ARGUMENT...\n");
        return 2;
    }
    read_functions(arguments[2]);
    FILE *output = fopen(arguments[1], "we");
    if (!output) fail(arguments[1]);
    pid_t program = fork();
    if (program < 0) fail("fork");
    if (program == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execv(arguments[2], arguments + 2);
        _exit(127);
    }
    int status;
    if (waitpid(program, &status, 0) < 0 || !WIFSTOPPED(status)) fail("start");
    ptrace(PTRACE_SETOPTIONS, program, NULL, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
    char path[64];
    uint64_t base = 0;
    snprintf(path, sizeof path, "/proc/%d/maps", program);
    FILE *maps = fopen(path, "re");
    if (!maps || fscanf(maps, "%lx", &base) != 1) fail(path);
    fclose(maps);
    snprintf(path, sizeof path, "/proc/%d/mem", program);
    int memory = open(path, O_RDWR | O_CLOEXEC);
    if (memory < 0) fail(path);
    set_breakpoints(memory, base);
    ptrace(PTRACE_CONT, program, NULL, NULL);
    int result = follow(program, memory, base, output);
    if (fclose(output)) fail(arguments[1]);
    return result;
}
