import Credentials
import Crypto
import Foundation
import HubServices
import HubStore
import Logging
import Seams
import SyncProtocol
import Vitals

extension HubCommands {
    /// What is to be rehearsed.
    public struct Rehearsing: Sendable {
        /// A GPX file.
        public var course: String
        public var laps: Int
        public var runners: Int
        /// Seconds of whoever waits for it.
        public var startsIn: Int
        /// Where the fleet's state goes.
        public var state: String
        /// Also among real people.
        public var isSure: Bool

        public init(course: String, laps: Int, runners: Int, startsIn: Int, state: String, isSure: Bool) {
            (self.course, self.laps, self.runners) = (course, laps, runners)
            (self.startsIn, self.state, self.isSure) = (startsIn, state, isSure)
        }
    }

    /// Sets the stage for a race of made-up people: accounts, a run, enrolments, check-ins, and one gateway for their boxes. Works beside a running
    /// hub.
    /// - Returns: where to watch, and how to play it.
    public static func rehearse(_ wanted: Rehearsing, _ configuration: HubConfiguration) async throws -> String {
        guard let gpx = try? machine.files.read(wanted.course) else {
            throw HubConfigurationError("The course \(wanted.course) cannot be read: give a GPX file.")
        }
        let directory = try HubDirectory(configuration.directory), keys = try KeyStore(directory)
        let accounts = try AccountStore(directory, keys: keys), real = try Rehearsal.realOnes(in: accounts)
        guard real == 0 || wanted.isSure else {
            throw HubConfigurationError(
                "\(real) people of \(directory.url.path) are not made up. The run would stand among theirs: say --yes, or use another directory."
            )
        }
        let clock = try RehearsalClock.read(directory.url), speed = clock?.speed ?? 1
        let series = try SeriesStore(directory, accounts: accounts, keys: keys)
        let time = MonotonicUTC { clock.map { $0.now(at: machine.utc) } ?? machine.utc }
        let password = SecretToken.random(using: machine.randomness).text.prefix(16)
        let runs = RunServices(
            store: try RunsStore(directory, keys: keys), accounts: accounts, series: series.reader,
            consents: ConsentService(
                accounts: accounts, series: series.reader, strips: ECGStore(series), bus: LiveBus(), time: time),
            audit: try AuditLog(directory, accounts: accounts), words: .init(site: { "" }, stop: { _ in "" }),
            obstacles: try configuration.mapInUse(machine.files).obstacleFinder(), logger: Logger(label: "trackme-hub"), time: time)
        let rehearsal = Rehearsal(accounts: accounts, runs: runs) { text in
            FileHandle.standardError.write(Data("trackme-hub: \(text)\n".utf8))
        }
        let name = URL(fileURLWithPath: wanted.course).deletingPathExtension().lastPathComponent
        let (run, organiser) = try await rehearsal.stage(
            Rehearsal.course(gpx: gpx, laps: wanted.laps), name: name, runners: wanted.runners,
            startsIn: Milliseconds(wanted.startsIn * speed) * 1000, password: passwordHasher(accounts).hash(String(password)))
        let url = try leave(run, clock, accounts, configuration, directory, at: wanted.state, now: time.now)
        return """
            Watch: \(url)/runs/\(run.code)/live
            The run: \(url)/runs/\(run.code)
            The organiser logs in as \(organiser) with the password \(password), and so do the runners.
            It starts \(wanted.startsIn) s after everybody was made, at \(Date(timeIntervalSince1970: Double(run.starts) / 1000).formatted(.iso8601)). Play it:
              trackme-fleet run --state \(wanted.state)
            """
    }

    /// As `trackme-fleet` reads it.
    private struct FleetFile: Encodable {
        var url: String
        var certificateAuthority: String?
        var agent: AgentID
        var key: String
        var persons: [PersonID]
        var tokenExpires: Milliseconds
        var run: Rehearsal.Staged
        var clock: RehearsalClock?
    }

    /// Enrols the gateway, and leaves its state for the fleet.
    private static func leave(
        _ run: Rehearsal.Staged, _ clock: RehearsalClock?, _ accounts: AccountStore, _ configuration: HubConfiguration,
        _ directory: HubDirectory, at file: String, now: Milliseconds
    ) throws -> String {
        let key = CertificateAuthority.newKey(machine.randomness)
        let enrolment = Enrolment(accounts: accounts), people = run.runners.map(\.person)
        let agent = try enrolment.enrol(
            EnrolmentRequest(
                code: enrolment.makeCode(for: people, now: now), publicKey: Hexadecimal.string(key.publicKey.x963Representation),
                name: "rehearsal \(run.code)"), now: now
        ).agent
        let identity = try HubIdentity(configuration, directory: directory)
        let url = configuration.url ?? HubIdentity.announced(in: directory.url) ?? identity.url
        let state = FleetFile(
            url: url, certificateAuthority: identity.certificates.authority?.pem, agent: agent,
            key: Hexadecimal.string(key.rawRepresentation),
            persons: people, tokenExpires: 0, run: run, clock: clock)
        // A private key: only its owner may read it.
        do { try machine.files.replace(file, with: Array(try JSONEncoder().encode(state))) } catch {
            throw HubConfigurationError("The state cannot be written to \(file): is the folder there and writable?")
        }
        return url
    }
}
