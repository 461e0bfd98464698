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
    /// What commands that make people up need of a hub's directory. Works beside a running hub.
    struct Stage {
        let configuration: HubConfiguration
        let directory: HubDirectory
        let accounts: AccountStore
        /// nil for the time of all others.
        let clock: RehearsalClock?
        let time: MonotonicUTC
        let consents: ConsentService
        let runs: RunServices

        init(_ configuration: HubConfiguration) throws {
            self.configuration = configuration
            directory = try HubDirectory(configuration.directory)
            let keys = try KeyStore(directory)
            accounts = try AccountStore(directory, keys: keys)
            let series = try SeriesStore(directory, accounts: accounts, keys: keys), clock = try RehearsalClock.read(directory.url)
            self.clock = clock
            time = MonotonicUTC { clock.map { $0.now(at: machine.utc) } ?? machine.utc }
            consents = ConsentService(accounts: accounts, series: series.reader, strips: ECGStore(series), bus: LiveBus(), time: time)
            runs = RunServices(
                store: try RunsStore(directory, keys: keys), accounts: accounts, series: series.reader, consents: consents,
                audit: try AuditLog(directory, accounts: accounts), words: .init(site: { "" }, stop: { _ in "" }),
                obstacles: try configuration.mapInUse(machine.files).obstacleFinder(), logger: Logger(label: "trackme-hub"), time: time)
        }

        /// Nobody knows it who is not told.
        func newPassword() -> String { String(SecretToken.random(using: machine.randomness).text.prefix(16)) }

        /// How the hub is reached.
        var url: String {
            get throws {
                try configuration.url ?? HubIdentity.announced(in: directory.url)
                    ?? HubIdentity(configuration, directory: directory).url
            }
        }

        /// Enrols a gateway for people, and leaves its state for the fleet.
        func leave(_ people: [PersonID], of name: String, _ run: Rehearsal.Staged? = nil, at file: String) throws {
            let key = CertificateAuthority.newKey(machine.randomness), now = time.now
            let enrolment = Enrolment(accounts: accounts)
            let agent = try enrolment.enrol(
                EnrolmentRequest(
                    code: enrolment.makeCode(for: people, now: now), publicKey: Hexadecimal.string(key.publicKey.x963Representation),
                    name: name), now: now
            ).agent
            let identity = try HubIdentity(configuration, directory: directory)
            let state = FleetFile(
                url: try url, certificateAuthority: identity.certificates.authority?.pem, agent: agent,
                key: Hexadecimal.string(key.rawRepresentation),
                persons: people, tokenExpires: 0, run: run, clock: clock)
            // A private key: only its owner may read it.
            do { try machine.files.replace(file, with: Array(try JSONEncoder().encode(state))) } catch {
                throw HubConfigurationError("The state cannot be written to \(file): is the folder there and writable?")
            }
        }
    }
}

/// As `trackme-fleet` reads it.
private struct FleetFile: Encodable {
    var url: String
    var certificateAuthority: String?
    var agent: AgentID
    var key: String
    var persons: [PersonID]
    var tokenExpires: Milliseconds
    var run: Rehearsal.Staged?
    var clock: RehearsalClock?
}
