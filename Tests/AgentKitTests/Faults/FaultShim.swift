import Foundation
import TestSupport

/// A disk that fails: a library that stands between a program and its C library (`LD_PRELOAD`), made by the system's C compiler.
///
/// It counts the calls on files below `FAULT_DIRECTORY`. Those from the `FAULT_FROM`th on, `FAULT_COUNT` of them, fail with `FAULT_ERROR`,
/// and a line about each goes to `FAULT_OUT`; without `FAULT_FROM` the number of calls goes there at the end. With `FAULT_RECORDS` it writes
/// down instead what was written, synced and cut of the buffer's files, in its order.
enum FaultShim {
    static let compiler = "/usr/bin/gcc"
    static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: compiler) }

    /// One that tests share; made when the first asks for it.
    private static let shared = Result { try Library() }
    static func path() throws -> String { try shared.get().path }

    private final class Library: Sendable {
        let directory: TemporaryDirectory
        let path: String

        init() throws {
            directory = try TemporaryDirectory()
            path = directory.url.appendingPathComponent("faults.so").path
            let source = directory.url.appendingPathComponent("faults.c").path
            try Data(FaultShim.source.utf8).write(to: URL(fileURLWithPath: source))
            let process = Process()
            process.executableURL = URL(fileURLWithPath: FaultShim.compiler)
            process.arguments = ["-O1", "-Wall", "-Werror", "-shared", "-fPIC", source, "-o", path]
            try process.run()
            process.waitUntilExit()
            if process.terminationStatus != 0 { throw CocoaError(.executableLoad) }
        }
    }

    private static let source = #"""
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <pthread.h>
        #include <stdarg.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>

        enum { files_max = 65536 };
        static unsigned char kinds[files_max]; /* of descriptors: 0 another file, 1 database, 2 its log, 3 its rollback journal, 4 anything else below the directory */
        static const char *directory;
        static long from, until, calls;
        static int error_code, out = -1, records;
        static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

        static long number(const char *name, long otherwise) {
            const char *text = getenv(name);
            return text ? atol(text) : otherwise;
        }

        __attribute__((constructor)) static void start(void) {
            directory = getenv("FAULT_DIRECTORY");
            from = number("FAULT_FROM", 0);
            until = from + number("FAULT_COUNT", 1);
            error_code = (int)number("FAULT_ERROR", EIO);
            records = (int)number("FAULT_RECORDS", 0);
            int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open64");
            if (getenv("FAULT_OUT")) out = real(getenv("FAULT_OUT"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        }

        /* Without a call to fail: how many there were. */
        __attribute__((destructor)) static void tell(void) {
            if (out >= 0 && !records && !from) dprintf(out, "%ld", calls);
        }

        static int kind_of(const char *path) {
            if (!directory || !path || strncmp(path, directory, strlen(directory))) return 0;
            size_t length = strlen(path);
            if (length > 7 && !strcmp(path + length - 7, ".sqlite")) return 1;
            if (length > 11 && !strcmp(path + length - 11, ".sqlite-wal")) return 2;
            if (length > 15 && !strcmp(path + length - 15, ".sqlite-journal")) return 3;
            return 4;
        }
        static int kind(int fd) { return fd >= 0 && fd < files_max ? kinds[fd] : 0; }

        /* Counts a call, and says whether it fails. */
        static int fails(const char *name, int kind) {
            if (!kind) return 0;
            long call = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
            if (from <= 0 || call < from || call >= until) return 0;
            char line[80];
            int length = snprintf(line, sizeof line, "%ld %s %d\n", call, name, kind);
            if (write(out, line, length) != length) _exit(99);
            errno = error_code;
            return 1;
        }

        static void record(int64_t what, int kind, int64_t offset, const void *bytes, int64_t length) {
            int64_t head[4] = {what, kind, offset, length};
            if (!records || kind < 1 || kind > 3) return;
            if (write(out, head, sizeof head) != sizeof head) _exit(99);
            if (bytes && write(out, bytes, length) != length) _exit(99);
        }

        #define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

        #define OPEN(name) \
            int name(const char *path, int flags, ...) { \
                va_list rest; \
                va_start(rest, flags); \
                int mode = va_arg(rest, int), is = kind_of(path); \
                va_end(rest); \
                if (fails(#name, is)) return -1; \
                int fd = REAL(int, name, const char *, int, ...)(path, flags, mode); \
                if (fd >= 0 && fd < files_max) kinds[fd] = is; \
                return fd; \
            }
        OPEN(open)
        OPEN(open64)

        int close(int fd) {
            if (fd >= 0 && fd < files_max) kinds[fd] = 0;
            return REAL(int, close, int)(fd);
        }

        #define WRITE(name) \
            ssize_t name(int fd, const void *bytes, size_t count, off64_t offset) { \
                if (fails(#name, kind(fd))) return -1; \
                pthread_mutex_lock(&lock); \
                ssize_t done = REAL(ssize_t, name, int, const void *, size_t, off64_t)(fd, bytes, count, offset); \
                if (done > 0) record(0, kind(fd), offset, bytes, done); \
                pthread_mutex_unlock(&lock); \
                return done; \
            }
        WRITE(pwrite)
        WRITE(pwrite64)

        #define READ(name) \
            ssize_t name(int fd, void *bytes, size_t count, off64_t offset) { \
                if (fails(#name, kind(fd))) return -1; \
                return REAL(ssize_t, name, int, void *, size_t, off64_t)(fd, bytes, count, offset); \
            }
        READ(pread)
        READ(pread64)

        #define SYNC(name) \
            int name(int fd) { \
                if (fails(#name, kind(fd))) return -1; \
                pthread_mutex_lock(&lock); \
                int failed = REAL(int, name, int)(fd); \
                if (!failed) record(1, kind(fd), 0, 0, 0); \
                pthread_mutex_unlock(&lock); \
                return failed; \
            }
        SYNC(fsync)
        SYNC(fdatasync)

        #define TRUNCATE(name) \
            int name(int fd, off64_t length) { \
                if (fails(#name, kind(fd))) return -1; \
                pthread_mutex_lock(&lock); \
                int failed = REAL(int, name, int, off64_t)(fd, length); \
                if (!failed) record(2, kind(fd), length, 0, 0); \
                pthread_mutex_unlock(&lock); \
                return failed; \
            }
        TRUNCATE(ftruncate)
        TRUNCATE(ftruncate64)

        int unlink(const char *path) {
            int is = kind_of(path);
            if (fails("unlink", is)) return -1;
            int failed = REAL(int, unlink, const char *)(path);
            if (!failed) record(2, is, 0, 0, 0);
            return failed;
        }

        int rename(const char *old, const char *new) {
            if (fails("rename", kind_of(old))) return -1;
            return REAL(int, rename, const char *, const char *)(old, new);
        }
        """#
}
