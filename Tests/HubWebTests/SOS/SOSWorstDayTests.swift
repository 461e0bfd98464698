import Foundation
import Testing

@testable import HubWeb

/// Design rule 7, with the real program: the state on a file system that is full, the database garbage, a clock of 1970, a name service that hangs,
/// and no hub, all at once. Needs root for the file system, and a C compiler for clock and name service.
@Suite(.serialized, .timeLimit(.minutes(4)), .enabled(if: getuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/gcc")))
struct SOSWorstDayTests {
    /// Stands between the program and its C library: wall clocks say 1970, and no name is ever found, after a long while.
    private static let shim = #"""
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <netdb.h>
        #include <sys/time.h>
        #include <time.h>
        #include <unistd.h>

        static long started;

        static int real(clockid_t clock, struct timespec *time) {
            static int (*next)(clockid_t, struct timespec *);
            if (!next) next = dlsym(RTLD_NEXT, "clock_gettime");
            return next(clock, time);
        }
        static long since_1970(void) {
            struct timespec now;
            real(CLOCK_MONOTONIC, &now);
            if (!started) started = now.tv_sec;
            return 60 + now.tv_sec - started;
        }
        int clock_gettime(clockid_t clock, struct timespec *time) {
            int result = real(clock, time);
            if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) time->tv_sec = since_1970();
            return result;
        }
        int gettimeofday(struct timeval *restrict time, void *restrict zone) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            time->tv_sec = now.tv_sec;
            time->tv_usec = now.tv_nsec / 1000;
            return 0;
        }
        time_t time(time_t *out) {
            long now = since_1970();
            if (out) *out = now;
            return now;
        }
        int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
            if (hints && hints->ai_flags & AI_NUMERICHOST) {
                int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
                return next(name, service, hints, found);
            }
            sleep(20);
            return EAI_AGAIN;
        }
        """#

    /// Mounts a file system of three megabytes over the state, for this process and its children alone, fills it, and runs the agent there.
    private static let mounted = """
        set -e
        state="$1"; saved="$2"; shift 2
        mount -t tmpfs -o size=24m,mode=700 tmpfs "$state"
        cp -a "$saved/." "$state/"
        rm -f "$state"/buffer.sqlite-*
        head -c 65536 /dev/urandom > "$state/buffer.sqlite"
        head -c 32000000 /dev/zero > "$state/everything-else" || true
        df -B1 --output=avail "$state" | tail -n 1 > "$saved.free"
        export LD_PRELOAD="$SHIM"
        exec "$@"
        """

    @Test("EDGE-11, design rule 7: disk full, database garbage, clock of 1970, name service hanging, no hub: the hook runs within the time")
    func everything() async throws {
        let world = try await SOSProcesses()
        try await world.startHub()
        try world.enrol()
        try await world.startBox()
        try await world.settled()
        world.killBox()
        world.killHub()
        try FileManager.default.copyItem(atPath: world.path("box"), toPath: world.path("saved"))
        for (name, text) in [("shim.c", Self.shim), ("mounted.sh", Self.mounted)] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: world.path(name)))
        }
        let compiler = try Process.run(
            URL(fileURLWithPath: "/usr/bin/gcc"),
            arguments: ["-O1", "-Wall", "-shared", "-fPIC", world.path("shim.c"), "-o", world.path("shim.so")])
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)
        try await world.startBox(
            ["SHIM": world.path("shim.so")],
            wrapper: ["unshare", "-m", "--propagation", "private", "sh", world.path("mounted.sh"), world.path("box"), world.path("saved")])
        let free = try String(contentsOfFile: world.path("saved.free"), encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(free == "0", "the disk is full")
        let asked = ContinuousClock.now
        let said = try world.command("trackme-agent", ["help", "--state", world.path("box")])
        try await world.until("a hook runs: \(said) \(world.log("box"))", within: .seconds(20)) { try !world.left("hooks").isEmpty }
        let took = ContinuousClock.now - asked
        print("MEASURED worst day: from the command to the hook \(took)")
        // The command's start is in it, and two seconds if the box still waits for the hub's word.
        #expect(took < .seconds(10))
        let first = try #require(try world.left("hooks").first)
        #expect(
            first.hasPrefix("alert no\n") && first.contains("\"status\":\"actual\"") && first.contains("\"clockTrusted\":false"), "\(first)"
        )
        // It goes on: somebody stops it.
        try world.command("trackme-agent", ["false-alarm", "--state", world.path("box")])
        try await world.until("the hook hears that it is over: \(world.log("box"))", within: .seconds(20)) {
            try world.left("hooks").contains { $0.hasPrefix("stand-down no\n") }
        }
        try await world.end()
    }
}
