import Foundation
import Processes
import Seams

/// Whether the hub can be reached on this machine, or could listen.
struct PortsDoctor: DoctorCheck {
    let subject = DoctorFinding.Subject.ports
    private static let ofRoot = 1024

    func findings(_ hub: DoctorPatient) async -> [DoctorFinding] {
        let listen = hub.configuration.listen, place = "\(listen.host):\(listen.port)"
        if hub.isRunning { return await answer(hub) }
        guard listen.port != 0 else { return [] }
        guard case .refused(let code, let why) = await hub.network.listen(listen.host, listen.port) else { return [] }
        switch code {
        case EADDRINUSE where Self.isKept(hub): return []
        case EADDRINUSE:
            return [
                DoctorFinding(
                    subject, "taken", "Another program listens on port \(listen.port), so that the hub cannot.", at: place,
                    "See which: sudo ss -ltnp 'sport = :\(listen.port)'. End it, or set another hub.listen.port.")
            ]
        case EACCES where listen.port < Self.ofRoot:
            return [
                DoctorFinding(
                    subject, "forbidden", "The hub's user may not listen on port \(listen.port).", at: place,
                    "Have systemd listen for it: systemctl edit trackme-hub.socket (docs/installing-a-hub.md). Or set hub.listen.port to 8443."
                )
            ]
        case EADDRNOTAVAIL:
            return [
                DoctorFinding(
                    subject, "address", "\(listen.host) is no address of this machine.", at: "hub.listen.host",
                    "See which there are (ip address), and set hub.listen.host to one of them, or to 0.0.0.0 for all.")
            ]
        default:
            return [
                DoctorFinding(
                    subject, "refused", "The hub cannot listen on \(place): \(why).", at: place,
                    "Correct hub.listen.host and hub.listen.port.")
            ]
        }
    }

    /// Whether systemd listens for the hub, which starts with the next connection.
    private static func isKept(_ hub: DoctorPatient) -> Bool {
        let command = ["/usr/bin/systemctl", "is-active", "--quiet", "trackme-hub.socket"]
        return (try? hub.machine.programs.finish(command, environment: Programs.environment).0) == .exited(0)
    }

    /// Of the hub that runs.
    private func answer(_ hub: DoctorPatient) async -> [DoctorFinding] {
        guard let url = Self.door(hub) else { return [] }
        let answer = await hub.network.get(url + HubHealthRoute.path, .anybody, hub.limits.patience)
        if case .answered(200, _, HubHealthRoute.word) = answer { return [] }
        return [
            DoctorFinding(
                subject, "silent", "A hub runs in \(hub.directory), but does not answer \(answer.shown).", at: url,
                "Read what it says: journalctl -u trackme-hub -n 50. Then: sudo systemctl restart trackme-hub.")
        ]
    }

    /// The address at which the hub itself listens, without what stands before it.
    static func door(_ hub: DoctorPatient) -> String? {
        let listen = hub.configuration.listen
        let announced = HubIdentity.announced(in: hub.configuration.directory, machine: hub.machine).flatMap { URL(string: $0)?.port }
        guard let port = listen.port != 0 ? listen.port : announced else { return nil }
        let host = ["0.0.0.0": "127.0.0.1", "::": "[::1]"][listen.host] ?? (listen.host.contains(":") ? "[\(listen.host)]" : listen.host)
        return "\(hub.configuration.tls.enabled ? "https" : "http")://\(host):\(port)"
    }
}

/// Where a hub says that it is one.
enum HubHealthRoute {
    static let path = "/healthz", word = "ok"
}

extension DoctorNetwork.Answer {
    /// For a sentence: how it came out.
    var shown: String {
        switch self {
        case .answered(let status, _, _): "as a hub does (\(status))"
        case .failed(let why): "(\(why))"
        }
    }
}
