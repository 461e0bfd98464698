import Foundation
import HubStore
import Seams
import TestSupport
import Testing

@testable import HubWeb

/// A fault that a test plants in a hub, and the codes under which the doctor has to find it, and no other.
struct PlantedFault: Sendable, CustomTestStringConvertible {
    let name: String
    let codes: [String]
    let plant: @Sendable (DoctorFixture) async throws -> Void

    var testDescription: String { name }

    init(_ name: String, _ codes: [String], _ plant: @escaping @Sendable (DoctorFixture) async throws -> Void) {
        (self.name, self.codes, self.plant) = (name, codes, plant)
    }

    static let certificates = [
        PlantedFault("a certificate that ended", ["certificate.ended"]) {
            ($0.configuration.tls.certificate, $0.configuration.tls.key) = try $0.certificate(["hub.example"], daysAgo: 400)
        },
        PlantedFault("a certificate that ends in five days", ["certificate.ends"]) {
            ($0.configuration.tls.certificate, $0.configuration.tls.key) = try $0.certificate(["hub.example"], daysAgo: 392)
        },
        PlantedFault("a certificate of tomorrow", ["certificate.early"]) {
            ($0.configuration.tls.certificate, $0.configuration.tls.key) = try $0.certificate(["hub.example"], daysAgo: -1)
        },
        PlantedFault("the key of another certificate", ["certificate.unusable"]) {
            $0.configuration.tls.certificate = try $0.certificate(["hub.example"]).chain
            $0.configuration.tls.key = try $0.certificate(["hub.example"], in: "other").key
        },
        PlantedFault("a certificate for another name", ["certificate.name"]) {
            $0.configuration.url = "https://hub.example"
            ($0.configuration.tls.certificate, $0.configuration.tls.key) = try $0.certificate(["*.other.example", "127.0.0.1"])
        },
        PlantedFault("a certificate that is not there", ["certificate.missing"]) {
            ($0.configuration.tls.certificate, $0.configuration.tls.key) = ($0.path("none.pem"), $0.path("none.key"))
        },
        PlantedFault("an authority without its key", ["certificate.authority"]) {
            _ = try $0.certificate(["hub.example"], in: "hub")
            try FileManager.default.removeItem(atPath: $0.path("hub/ca.key"))
        },
    ]

    static let ways = [
        PlantedFault("a mail server that is not there", ["mail.server"]) {
            $0.configuration.mail.server = "smtp://127.0.0.1:\(try await AnsweringServer.freePort())"
            $0.configuration.mail.tls = false
        },
        PlantedFault("a mail server with another password", ["mail.server"]) {
            var behaviour = TestMailServer.Behaviour()
            behaviour.login = ("trackme", "right")
            let server = try await TestMailServer(behaviour)
            $0.kept.append(server)
            try $0.write("wrong\n", to: "password")
            $0.configuration.mail.server = "smtp://127.0.0.1:\(server.port)"
            ($0.configuration.mail.user, $0.configuration.mail.passwordFile) = ("trackme", $0.path("password"))
            $0.configuration.mail.authority = server.authority
        },
        PlantedFault("no program for mails", ["mail.program"]) { $0.configuration.mail.sendmail = $0.path("none") },
        PlantedFault("no address of the operator's, and a sender that nobody can answer", ["mail.sender", "mail.operator"]) {
            ($0.configuration.mail.sender, $0.configuration.operator.mail) = ("trackme@localhost", nil)
        },
        PlantedFault("a program for texts that cannot be started", ["texts.setting"]) {
            try $0.write("#!/bin/sh\n", to: "send-text", mode: 0o644)
        },
        PlantedFault("no texts", ["texts.none"]) { $0.configuration.sms.command = nil },
    ]

    static let machine = [
        PlantedFault("a disk that is almost full", ["disk.room"]) {
            ($0.limits.roomFault, $0.limits.roomWarning) = (.max, .max)
        },
        PlantedFault("a disk that cannot take more files", ["disk.files"]) { $0.limits.filesFault = .max },
        PlantedFault("a folder that cannot be written to", ["disk.write"]) { try $0.write("", to: "hub/doctor.probe/in the way") },
        PlantedFault("a clock that is behind", ["clock.behind"]) {
            try $0.write("", to: "hub/journal.sqlite")
            try FileManager.default.setAttributes(
                [.modificationDate: Date() + 7200], ofItemAtPath: $0.path("hub/journal.sqlite"))
        },
        PlantedFault("a clock that nothing keeps right", ["clock.free"]) { try FileManager.default.removeItem(atPath: $0.path("clock")) },
        PlantedFault("a port that another program has", ["ports.taken"]) {
            let server = try await AnsweringServer(status: 200, type: "text/plain", body: "ok")
            $0.kept.append(server)
            $0.configuration.listen.port = server.port
        },
        PlantedFault("an address of another machine", ["ports.address"]) {
            $0.configuration.listen.host = "192.0.2.1"
            $0.configuration.listen.port = 8443
        },
        PlantedFault("a hub that runs and does not answer", ["ports.silent"]) {
            $0.configuration.listen.port = try await AnsweringServer.freePort()
            try $0.run()
        },
        PlantedFault("a backup of three days ago", ["backups.old"]) { try $0.note(backup: Date() - 3 * 86_400) },
        PlantedFault("no backup", ["backups.none"]) { try FileManager.default.removeItem(atPath: $0.path("hub/backup-last.json")) },
        PlantedFault("a backup's note that is none", ["backups.note"]) { try $0.write("{}", to: "hub/backup-last.json") },
    ]

    static let around = [
        PlantedFault("a proxy that the hub does not know", ["proxy.untrusted"]) {
            $0.configuration.tls.enabled = false
            $0.configuration.url = "https://hub.example"
        },
        PlantedFault("a name that leads elsewhere", ["proxy.url", "proxy.elsewhere"]) {
            let hub = try await AnsweringServer(status: 200, type: "text/plain", body: "ok")
            let other = try await AnsweringServer(status: 404, type: "text/html", body: "Welcome to a web server")
            $0.kept += [hub, other]
            $0.configuration.tls.enabled = false
            $0.configuration.proxy.trusted = ["127.0.0.1"]
            $0.configuration.listen.port = hub.port
            $0.configuration.url = "http://127.0.0.1:\(other.port)"
            try $0.run()
        },
        PlantedFault("tiles that do not come", ["tiles.answer"]) {
            let server = try await AnsweringServer(status: 403, type: "text/html", body: "No")
            $0.kept.append(server)
            $0.configuration.map.tiles = "http://127.0.0.1:\(server.port)/{z}/{x}/{y}.png"
            $0.configuration.map.attribution = "Made up"
        },
        PlantedFault("tiles without places, and without their credit", ["tiles.template"]) {
            $0.configuration.map.tiles = "https://tiles.example/0.png"
        },
        PlantedFault("no leaflet", ["tiles.leaflet"]) { $0.configuration.map.leaflet = $0.path("none") },
        PlantedFault("no streets", ["tiles.streets"]) { try FileManager.default.removeItem(atPath: $0.path("hub/map")) },
        PlantedFault("two settings that are wrong", ["settings.setting", "settings.setting", "settings.unknown"]) {
            ($0.configuration.quota, $0.configuration.imports.max) = (1, 1)
            $0.configuration.unknownKeys = ["hub.yaml, line 3: hub.quotas is no setting."]
        },
        PlantedFault("the master key beside the databases", ["masterKey.beside"]) {
            try $0.write(String(repeating: "0a", count: 32) + "\n", to: "hub/master.key")
        },
        PlantedFault("a master key that is none", ["masterKey.damaged"]) { try $0.write("0a0b\n", to: "hub/master.key") },
        PlantedFault("no master key to the databases", ["masterKey.missing"]) { try $0.write("", to: "hub/keys.sqlite") },
    ]

    static let rights = [
        PlantedFault("a key that others can read", ["permissions.secret"]) { try $0.write("", to: "hub/audit.key", mode: 0o644) },
        PlantedFault("a folder that others can look into", ["permissions.folder"]) {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: $0.configuration.directory.path)
        },
        PlantedFault("a program that others can change", ["permissions.program"]) {
            try $0.write("#!/bin/sh\n", to: "send-text", mode: 0o777)
        },
        PlantedFault("settings with a secret that everybody reads", ["permissions.password"]) {
            try $0.write("hub:\n", to: "hub.yaml", mode: 0o644)
            $0.configuration.sos.secret = "0123456789abcdef"
        },
    ]
}

/// What the doctor says of planted faults: each is found under its own code, with a place and an advice, and nothing else is.
@Suite("trackme-hub doctor")
struct DoctorTests {
    @Test("OPS-6: in a hub in which nothing is wrong the doctor finds nothing")
    func healthy() async throws {
        let fixture = try DoctorFixture()
        #expect(await fixture.findings() == [])
        #expect(DoctorReport(findings: []).status == 0)
    }

    private func finds(_ fault: PlantedFault) async throws -> [DoctorFinding] {
        let fixture = try DoctorFixture()
        try await fault.plant(fixture)
        let found = await fixture.findings()
        #expect(found.map(\.code) == fault.codes, "\(found)")
        for finding in found {
            #expect(finding.code.hasPrefix(finding.subject.rawValue + "."))
            #expect(!finding.what.isEmpty && !finding.place.isEmpty && !finding.advice.isEmpty)
        }
        return found
    }

    @Test("OPS-6: the doctor finds what is wrong with the certificate", arguments: PlantedFault.certificates)
    func certificates(_ fault: PlantedFault) async throws { _ = try await finds(fault) }

    @Test("OPS-6: the doctor finds what keeps mails and texts from leaving, and sends none", arguments: PlantedFault.ways)
    func ways(_ fault: PlantedFault) async throws { _ = try await finds(fault) }

    @Test("OPS-6: the doctor finds what is wrong with disk, clock, ports and backups", arguments: PlantedFault.machine)
    func machine(_ fault: PlantedFault) async throws { _ = try await finds(fault) }

    @Test("OPS-6: the doctor finds what is wrong with proxy, maps, settings and master key", arguments: PlantedFault.around)
    func around(_ fault: PlantedFault) async throws { _ = try await finds(fault) }

    @Test(
        "OPS-6: the doctor finds who else could read or change what the hub keeps, and mends it once it may", arguments: PlantedFault.rights
    )
    func rights(_ fault: PlantedFault) async throws {
        let found = try await finds(fault)
        #expect(found.allSatisfy { $0.mending != nil && $0.advice == "sudo \($0.mending.map { "\($0)" } ?? "")" })
        let fixture = try DoctorFixture()
        try await fault.plant(fixture)
        var said: [String] = [], asked: [String] = []
        let refused = HubDoctorCommand.Wish(file: nil, directory: nil, isJSON: false, fixes: false)
        let before = try await HubDoctorCommand.run(
            refused, on: fixture.patient,
            ask: {
                asked.append($0)
                return false
            }, say: { said.append($0) })
        #expect(before == 2 && asked.count == found.count && said.last == "Faults: 1, warnings: 0.")
        #expect(await fixture.findings().map(\.code) == fault.codes, "nobody said yes")
        said = []
        let mends = HubDoctorCommand.Wish(file: nil, directory: nil, isJSON: false, fixes: true)
        #expect(try await HubDoctorCommand.run(mends, on: fixture.patient, ask: nil, say: { said.append($0) }) == 0)
        #expect(said.first?.hasPrefix("mended  \(fault.codes[0])") == true && said.last == "Nothing is wrong.")
        #expect(await fixture.findings() == [])
    }

    @Test("OPS-6: mending takes rights of others, and nothing from the owner")
    func mending() throws {
        let fixture = try DoctorFixture()
        try fixture.write("", to: "file", mode: 0o754)
        let mending = DoctorMending.take(rights: 0o004, path: fixture.path("file"))
        #expect("\(mending)" == "chmod o-r '\(fixture.path("file"))'")
        #expect("\(DoctorMending.take(rights: 0o022, path: "/f"))" == "chmod go-w '/f'")
        #expect(HubDoctor.mend(mending) == nil)
        #expect(try fixture.mode("file") == 0o750)
        #expect(HubDoctor.mend(.take(rights: 0o004, path: fixture.path("none")))?.contains("No such file") == true)
    }

    @Test("OPS-6: the doctor finds a running hub in order, by its own name and certificate")
    func running() async throws {
        try await WebFixture.run { web in
            let fixture = try DoctorFixture()
            var configuration = fixture.configuration
            configuration.use(directory: web.directory.url.path)
            configuration.url = web.url
            let patient = DoctorPatient(
                configuration: configuration, settingsFile: nil, machine: .system, network: .system, limits: fixture.limits)
            #expect(patient.isRunning)
            #expect(await PortsDoctor().findings(patient) == [])
            #expect(await ProxyDoctor().findings(patient) == [])
            #expect(CertificateDoctor().findings(patient) == [])
        }
    }
}
