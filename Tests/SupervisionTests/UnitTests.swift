import Foundation
import Processes
import Testing

/// The units of agent and hub, as `systemd-analyze` judges them.
@Suite(.timeLimit(.minutes(1)))
struct UnitTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let program = "/usr/bin/systemd-analyze"
    private static let hasProgram = access(program, X_OK) == 0

    /// Each unit with the most that it may expose (`systemd-analyze security`, 0 to 10), and the page that says what it does.
    static let units: [(String, Double, String?)] = [
        ("trackme-agent", 1.5, nil), ("trackme-button", 1.5, nil), ("trackme-hub", 1.3, "docs/installing-a-hub.md"),
        ("trackme-hub-lines", 1.3, "docs/installing-a-hub.md"), ("trackme-hub-messages", 2.8, "docs/installing-a-hub.md"),
        ("trackme-hub-backup", 1.3, "docs/installing-a-hub.md"), ("trackme-hub-backup-keys", 1.3, "docs/installing-a-hub.md"),
    ]

    @Test("OPS-4: each unit exposes no more than it may, and the hub's page says how much", .enabled(if: hasProgram), arguments: units)
    func exposure(_ name: String, _ most: Double, _ page: String?) throws {
        let unit = Self.root.appending(path: "systemd/\(name).service").path
        var said: [UInt8] = []
        let ending = try Programs.system.listen(
            to: [Self.program, "--no-pager", "security", "--offline=true", unit], environment: ["LC_ALL=C.UTF-8", "SYSTEMD_COLORS=0"]
        ) { said += $0 }
        #expect(ending == .exited(0))
        let text = String(decoding: said, as: UTF8.self)
        let match = try #require(text.firstMatch(of: #/exposure level for \S+: ([0-9.]+) /#), "\(text.suffix(300))")
        let figure = try #require(Double(match.output.1))
        #expect(figure <= most)
        guard let page else { return }
        let lines = try String(contentsOf: Self.root.appending(path: page), encoding: .utf8).split(separator: "\n")
        #expect(
            lines.contains { $0.hasPrefix("| `\(name).service` | \(match.output.1) |") }, "\(page) has no line with \(figure) for \(name)")
    }

    @Test(
        "OPS-4: systemd listens for the hub where its settings say as installed, keeps whoever comes, and gives up on no hub that does not start"
    )
    func listens() throws {
        func text(_ file: String) throws -> String { try String(contentsOf: Self.root.appending(path: file), encoding: .utf8) }
        let socket = try text("systemd/trackme-hub.socket").split(separator: "\n"), settings = try text("packaging/deb/hub.yaml")
        for line in ["ListenStream=127.0.0.1:8443", "Backlog=4096", "TriggerLimitIntervalSec=0", "WantedBy=sockets.target"] {
            #expect(socket.contains { $0 == line }, "\(line)")
        }
        #expect(settings.contains("\n    host: 127.0.0.1\n") && settings.contains("\n    port: 8443\n"))
        #expect(try text("systemd/trackme-hub.service").contains("After=network.target time-sync.target trackme-hub.socket "))
    }

    @Test("OPS-4: what a helper listens on, the hub asks at, and what it starts is what the hub's settings have as their default")
    func sockets() throws {
        func text(_ file: String) throws -> String {
            try String(contentsOf: Self.root.appending(path: "systemd/\(file)"), encoding: .utf8)
        }
        let hub = try text("trackme-hub.service")
        for (name, key) in [("lines", "HUB_HELPERS_LINES"), ("messages", "HUB_HELPERS_MESSAGES")] {
            let socket = "/run/trackme-hub/\(name).socket"
            #expect(hub.contains("\(key)=\(socket)"))
            #expect(try text("trackme-hub-\(name).socket").contains("ListenSequentialPacket=\(socket)\n"))
            #expect(hub.contains("trackme-hub-\(name).socket\n") || hub.contains("trackme-hub-\(name).socket "))
        }
        #expect(try text("trackme-hub-lines.service").contains("helper /usr/bin/baresip /usr/bin/espeak-ng\n"))
        #expect(try text("trackme-hub-messages.service").contains("helper --config /etc/trackme/hub.yaml\n"))
        #expect(try text("trackme-hub.tmpfiles").contains("d /run/trackme-hub 0700 trackme-hub trackme-hub"))
    }
}
