import Foundation
import TestSupport
import Testing
import Vitals

/// The real program as the service runs it, with the box's state on a small disk that fails, a folder of hooks, and no hub.
@Suite(.enabled(if: FaultState.program != nil && FaultDiskTests.canMount, "trackme-agent was not built, or mounting is not permitted"))
struct SOSRealDiskTests {
    @Test(
        "EDGE-11, SOS-16: on a disk that is full, read-only from the start, or whose database is garbage, \"help\" runs the hooks at once",
        arguments: [
            ("full", "dd if=/dev/zero of=$d/filler bs=512 2>/dev/null"),
            ("read-only", "mount -o remount,ro $d"),
            ("garbage", "head -c 100000 /dev/urandom >$d/buffer.sqlite"),
            ("full and garbage", "head -c 100000 /dev/urandom >$d/buffer.sqlite; dd if=/dev/zero of=$d/filler bs=512 2>/dev/null"),
            (
                "settings, state and token are garbage", "for f in sos.json sos-state.json sos-access.json; do echo '{x' >$d/$f; done"
            ),
        ])
    func help(kind: String, breaking: String) async throws {
        let state = try FaultState(), program = try #require(FaultState.program)
        let script = """
            d=$0.disk; e=$0.etc; mkdir $d $e && mount -t tmpfs -o size=400k none $d && cp -p $0/* $d || exit 70
            mount -t tmpfs -o size=400k none $e && cp /etc/passwd /etc/group $e && mkdir -p $e/trackme/sos.d || exit 71
            printf '#!/bin/sh\\necho "$TRACKME_SOS $TRACKME_SOS_TEST" >>%s\\ncat >>%s\\n' $0.hook $0.hook >$e/trackme/sos.d/10-keep
            chmod 755 $e/trackme $e/trackme/sos.d $e/trackme/sos.d/10-keep; mount --bind $e /etc || exit 72
            echo '{"10-keep":99999999999999}' >$d/sos-hooks.json
            \(breaking)
            "$1" run --gpsd none --state $d & agent=$!
            for i in $(seq 150); do [ -S $d/control.sock ] || [ -S "$2/control.sock" ] && break; sleep 0.1; done
            for i in $(seq 50); do "$1" help --state $d && break; sleep 0.2; done
            for i in $(seq 100); do grep -qs '^alert no' $0.hook && break; sleep 0.1; done
            "$1" false-alarm --state $d
            for i in $(seq 100); do grep -qs '^stand-down no' $0.hook && break; sleep 0.1; done
            kill $agent; wait $agent
            """
        let sockets = try TemporaryDirectory()
        let run = try await FaultRun.of(
            FaultDiskTests.mounting(script, state) + [program, sockets.url.path], environment: ["RUNTIME_DIRECTORY": sockets.url.path],
            limit: .seconds(90))
        for name in [".disk", ".etc"] { rmdir(state.path + name) }
        defer { unlink(state.path + ".hook") }
        let said = (try? String(contentsOfFile: state.path + ".hook", encoding: .utf8)) ?? ""
        #expect(run.text.contains("the box itself calls by its hooks"), "\(kind): \(run)")
        #expect(said.hasPrefix("alert no\n{") && said.contains(#""cause":"help""#), "\(kind): \(said)\n\(run)")
        #expect(said.contains("stand-down no") && said.contains(#""ending":"false-alarm""#), "\(kind): \(said)\n\(run)")
        #expect(run.succeeded, "\(kind): \(run)")
    }
}
