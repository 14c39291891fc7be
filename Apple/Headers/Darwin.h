// SPDX-License-Identifier: Apache-2.0
// Declarations of Darwin for type-checking only.
#pragma once

typedef __SIZE_TYPE__ size_t;
typedef long ssize_t;
typedef long long off_t;
typedef int pid_t;
typedef unsigned int useconds_t;
typedef int dev_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef unsigned short mode_t;
typedef unsigned short nlink_t;
typedef unsigned long long ino_t;

// Time

struct timespec {
    long tv_sec;
    long tv_nsec;
};

typedef enum {
    _CLOCK_REALTIME __attribute__((swift_name("CLOCK_REALTIME"))) = 0
#define CLOCK_REALTIME _CLOCK_REALTIME
} clockid_t;

int clock_gettime(clockid_t clock_id, struct timespec *tp)
    __attribute__((availability(ios, introduced = 10.0))) __attribute__((availability(macos, introduced = 10.12)));

// Errors

int *__error(void);
char *strerror(int number);

#define ENOENT 2
#define EINTR 4
#define EEXIST 17
#define ENOTDIR 20
#define EISDIR 21
#define EAGAIN 35
#define ELOOP 62
#define EWOULDBLOCK EAGAIN

// Memory

char *strdup(const char *text);
void free(void *memory);

// Files

#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x00000004
#define O_NOFOLLOW 0x00000100
#define O_CREAT 0x00000200
#define O_EXCL 0x00000800
#define O_DIRECTORY 0x00100000
#define O_CLOEXEC 0x01000000
#define F_OK 0
#define F_SETFD 2
#define F_FULLFSYNC 51
#define F_BARRIERFSYNC 85
#define F_SETFL 4
#define FD_CLOEXEC 1
#define LOCK_EX 0x02
#define LOCK_NB 0x04

struct stat {
    dev_t st_dev;
    mode_t st_mode;
    nlink_t st_nlink;
    ino_t st_ino;
    uid_t st_uid;
    gid_t st_gid;
    off_t st_size;
};

// Variable arguments: Swift code gets these from the overlay.
int open(const char *path, int flags, ...);
int openat(int directory, const char *path, int flags, ...);
int fcntl(int descriptor, int command, ...);

#define _SC_NPROCESSORS_ONLN 58
long sysconf(int);
int close(int descriptor);
ssize_t read(int descriptor, void *buffer, size_t count);
ssize_t write(int descriptor, const void *buffer, size_t count);
#define STDERR_FILENO 2
int isatty(int descriptor);
int fsync(int descriptor);
int fstat(int descriptor, struct stat *status);
ssize_t pread(int descriptor, void *buffer, size_t count, off_t offset);

struct dirent {
    unsigned long long d_ino;
    unsigned long long d_seekoff;
    unsigned short d_reclen;
    unsigned short d_namlen;
    unsigned char d_type;
    char d_name[1024];
};
typedef struct _dir DIR;
DIR *opendir(const char *path);
DIR *fdopendir(int descriptor);
struct dirent *readdir(DIR *directory);
int closedir(DIR *directory);

// Environment and threads

char *getenv(const char *name);
char ***_NSGetEnviron(void);

typedef struct _opaque_pthread_t *pthread_t;
typedef struct _opaque_pthread_attr_t pthread_attr_t;
int pthread_create(pthread_t _Nullable *_Nonnull thread, const pthread_attr_t *_Nullable attributes,
                   void *_Nullable (*_Nonnull start)(void *_Nonnull), void *_Nullable argument);
int pthread_detach(pthread_t _Nonnull thread);
int lstat(const char *path, struct stat *status);
int stat(const char *path, struct stat *status);
int mkdir(const char *path, mode_t mode);
int mkstemp(char *path);
int rename(const char *from, const char *to);
int rmdir(const char *path);
int unlink(const char *path);
int unlinkat(int directory, const char *path, int flags);
int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags);
int usleep(useconds_t microseconds);
int access(const char *path, int mode);
int flock(int descriptor, int operation);
int pipe(int ends[2]);
uid_t geteuid(void);

// Sockets

typedef unsigned char sa_family_t;
typedef unsigned short in_port_t;
typedef unsigned int in_addr_t;
typedef unsigned int socklen_t;
typedef unsigned int nfds_t;

#define AF_INET 2
#define AF_INET6 30
#define SOCK_STREAM 1
#define SOL_SOCKET 0xffff
#define SO_REUSEADDR 0x0004
#define SO_NOSIGPIPE 0x1022
#define SHUT_WR 1
#define POLLIN 0x0001

struct in_addr {
    in_addr_t s_addr;
};

struct in6_addr {
    union {
        unsigned char __u6_addr8[16];
        unsigned short __u6_addr16[8];
        unsigned int __u6_addr32[4];
    } __u6_addr;
};

extern const struct in6_addr in6addr_loopback;

struct sockaddr {
    unsigned char sa_len;
    sa_family_t sa_family;
    char sa_data[14];
};

struct sockaddr_in {
    unsigned char sin_len;
    sa_family_t sin_family;
    in_port_t sin_port;
    struct in_addr sin_addr;
    char sin_zero[8];
};

struct sockaddr_in6 {
    unsigned char sin6_len;
    sa_family_t sin6_family;
    in_port_t sin6_port;
    unsigned int sin6_flowinfo;
    struct in6_addr sin6_addr;
    unsigned int sin6_scope_id;
};

struct pollfd {
    int fd;
    short events;
    short revents;
};

int socket(int domain, int type, int protocol);
int setsockopt(int socket, int level, int option, const void *value, socklen_t length);
int bind(int socket, const struct sockaddr *address, socklen_t length);
int listen(int socket, int backlog);
int accept(int socket, struct sockaddr *address, socklen_t *length);
int getsockname(int socket, struct sockaddr *address, socklen_t *length);
ssize_t send(int socket, const void *buffer, size_t length, int flags);
int shutdown(int socket, int how);
int poll(struct pollfd *entries, nfds_t count, int timeout);

// Processes

typedef void *posix_spawnattr_t;
typedef void *posix_spawn_file_actions_t;

#define POSIX_SPAWN_SETPGROUP 0x0002
#define POSIX_SPAWN_CLOEXEC_DEFAULT 0x4000

int posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[], char *const variables[]);
int posix_spawn_file_actions_init(posix_spawn_file_actions_t *actions);
int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *actions);
int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *actions, int descriptor, const char *path, int flags,
                                     mode_t mode);
int posix_spawnattr_init(posix_spawnattr_t *attributes);
int posix_spawnattr_destroy(posix_spawnattr_t *attributes);
int posix_spawnattr_setflags(posix_spawnattr_t *attributes, short flags);
int posix_spawnattr_setpgroup(posix_spawnattr_t *attributes, pid_t group);
pid_t waitpid(pid_t process, int *status, int options);
