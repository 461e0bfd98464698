import Credentials
import Foundation
import HubServices
import HubStore
import Seams
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
        let stage = try Stage(configuration), accounts = stage.accounts, real = try Rehearsal.realOnes(in: accounts)
        guard real == 0 || wanted.isSure else {
            throw HubConfigurationError(
                """
                \(real) people of \(stage.directory.url.path) are not made up. The run would stand among theirs: say --yes, or use another \
                directory.
                """)
        }
        let speed = stage.clock?.speed ?? 1, password = stage.newPassword()
        let rehearsal = Rehearsal(accounts: accounts, runs: stage.runs) { text in
            FileHandle.standardError.write(Data("trackme-hub: \(text)\n".utf8))
        }
        let name = URL(fileURLWithPath: wanted.course).deletingPathExtension().lastPathComponent
        let (run, organiser) = try await rehearsal.stage(
            Rehearsal.course(gpx: gpx, laps: wanted.laps), name: name, runners: wanted.runners,
            startsIn: Milliseconds(wanted.startsIn * speed) * 1000, password: passwordHasher(accounts).hash(password))
        try stage.leave(run.runners.map(\.person), of: "rehearsal \(run.code)", run, at: wanted.state)
        let url = try stage.url
        return """
            Watch: \(url)/runs/\(run.code)/live
            The run: \(url)/runs/\(run.code)
            The organiser logs in as \(organiser) with the password \(password), and so do the runners.
            It starts \(wanted.startsIn) s after everybody was made, at \(Date(timeIntervalSince1970: Double(run.starts) / 1000).formatted(.iso8601)). Play it:
              trackme-fleet run --state \(wanted.state)
            """
    }
}
