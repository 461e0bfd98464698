import Foundation
import HubStore
import Seams
import TestSupport

@testable import HubWeb

/// A hub in which nothing is wrong, with real files, until a test plants a fault.
final class DoctorFixture {
    let folder: TemporaryDirectory
    var configuration: HubConfiguration
    var limits = DoctorLimits()
    /// What lives as long as the fault: servers, locks.
    var kept: [AnyObject] = []

    init() throws {
        folder = try TemporaryDirectory()
        let hub = folder.url.appending(path: "hub", directoryHint: .isDirectory)
        configuration = HubConfiguration(directory: hub)
        try FileManager.default.createDirectory(at: hub, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        configuration.listen.port = 0
        configuration.mail.sendmail = try program("sendmail")
        configuration.mail.sender = "trackme@hub.example"
        configuration.operator.mail = "ops@hub.example"
        configuration.sms.command = try program("send-text")
        configuration.voice.program = try program("baresip")
        configuration.voice.speaker = try program("espeak-ng")
        configuration.map.leaflet = folder.url.appending(path: "leaflet").path
        try write("", to: "leaflet/leaflet.js")
        try write("", to: "hub/map/streets.mbtiles")
        try note(backup: Date())
        try write("", to: "clock")
        limits.clockSetters = [path("clock")]
        (limits.roomFault, limits.roomWarning, limits.filesFault) = (0, 0, 0)
        limits.masterKeyCredential = path("credstore/trackme-master-key")
        limits.patience = 5000
    }

    func path(_ name: String) -> String { folder.url.appending(path: name).path }

    func write(_ text: String, to name: String, mode: Int = 0o600) throws {
        let url = folder.url.appending(path: name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }

    func program(_ name: String) throws -> String {
        try write("#!/bin/sh\n", to: name, mode: 0o755)
        return path(name)
    }

    func note(backup time: Date) throws {
        try write("{\"finished\": \(Int64(time.timeIntervalSince1970 * 1000))}", to: "hub/backup-last.json")
    }

    /// A certificate of an operator's, that was made so many days ago; it lasts 397.
    func certificate(_ names: [String], daysAgo: Double = 1, in place: String = "tls") throws -> (chain: String, key: String) {
        let url = folder.url.appending(path: place, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let now = Date() - daysAgo * 86_400
        _ = try CertificateAuthority.make(in: url, now: now).server(names: names, now: now)
        return (url.appending(path: "server.pem").path, url.appending(path: "server.key").path)
    }

    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }

    var patient: DoctorPatient {
        DoctorPatient(configuration: configuration, settingsFile: path("hub.yaml"), machine: .system, network: .system, limits: limits)
    }

    func findings() async -> [DoctorFinding] { await HubDoctor(hub: patient).findings() }

    /// As if a hub ran in the directory.
    func run() throws { kept.append(try HubDirectory(configuration.directory).lock()) }
}
