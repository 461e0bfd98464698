import Foundation
import Seams

/// Whether the hub's own name leads to it, and whether it knows what stands before it.
struct ProxyDoctor: DoctorCheck {
    let subject = DoctorFinding.Subject.proxy

    func findings(_ hub: DoctorPatient) async -> [DoctorFinding] {
        settings(hub) + (hub.isRunning ? await way(hub) : [])
    }

    private func settings(_ hub: DoctorPatient) -> [DoctorFinding] {
        let configuration = hub.configuration
        guard !configuration.tls.enabled else { return [] }
        var found: [DoctorFinding] = []
        if configuration.proxy.trusted.isEmpty {
            found.append(
                DoctorFinding(
                    subject, "untrusted",
                    "The hub takes all readers for one: it does not know its proxy, and limits and logs are for all together.",
                    at: "hub.proxy.trusted", "Set hub.proxy.trusted to the proxy's address, like [127.0.0.1]."))
        }
        if configuration.url?.hasPrefix("https://") != true {
            found.append(
                DoctorFinding(
                    subject, "url", "Links in mails would lead to \(configuration.url ?? "this machine's own address"), not to the proxy.",
                    at: "hub.url", "Set hub.url to what browsers type, like https://hub.example."))
        }
        return found
    }

    /// As a browser would come.
    private func way(_ hub: DoctorPatient) async -> [DoctorFinding] {
        guard let url = hub.configuration.url else { return [] }
        let tls = hub.configuration.tls, authority = hub.path("ca.pem")
        let isOwn = tls.enabled && tls.certificate == nil && hub.machine.files.exists(authority)
        let address = url.hasSuffix("/") ? String(url.dropLast()) : url
        let answer = await hub.network.get(
            address + HubHealthRoute.path, isOwn ? .authority(authority) : .system, hub.limits.patience)
        switch answer {
        case .answered(200, _, HubHealthRoute.word): return []
        case .answered(let status, _, _):
            return [
                DoctorFinding(
                    subject, "elsewhere", "\(url) leads to something that is not this hub: it answers \(status).", at: url,
                    "Have the proxy lead to \(PortsDoctor.door(hub) ?? "the hub"), with the Host header as it came: docs/behind-a-proxy.md."
                )
            ]
        case .failed(let why):
            return [
                DoctorFinding(
                    .warning, subject, "unreachable", "\(url) cannot be reached from this machine: \(why).", at: url,
                    "Look from another network. If it is the same there: the name's record, the firewall, the proxy's log.")
            ]
        }
    }
}
