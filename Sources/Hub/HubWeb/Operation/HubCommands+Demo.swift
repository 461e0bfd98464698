import Credentials
import Foundation
import HubServices
import HubStore
import Seams
import Vitals

extension HubCommands {
    /// In the hub's directory: who is in the demonstration.
    private static let peopleFile = "demo.json"

    /// Makes the people of a demonstration, with a run next week, unless they are there, and one-time links to log in as them. Works beside a
    /// running hub of this machine, which nobody real uses.
    /// - Parameters:
    ///   - course: a GPX file: of the run.
    ///   - state: where `trackme-fleet history` finds what it needs.
    /// - Returns: lines of `NAME: VALUE`: `Person`, `Log in`, `Relative`, `User names` and `Password`.
    public static func demonstrate(course: String, state: String, _ configuration: HubConfiguration) async throws -> String {
        guard let gpx = try? machine.files.read(course) else {
            throw HubConfigurationError("The course \(course) cannot be read: give a GPX file.")
        }
        guard configuration.isOfThisMachine else {
            throw HubConfigurationError(
                "Others would reach the demo, whose links log in: leave out hub.listen.host and hub.url, so that this machine alone does.")
        }
        let stage = try Stage(configuration), accounts = stage.accounts, real = try Rehearsal.realOnes(in: accounts)
        guard real == 0 else {
            throw HubConfigurationError(
                "\(real) people of \(stage.directory.url.path) are not made up. The demo needs a directory of its own.")
        }
        let demonstration = Demonstration(accounts: accounts, consents: stage.consents, runs: stage.runs)
        let people = try await people(demonstration, stage)
        try await demonstration.enrol(people, on: Rehearsal.course(gpx: gpx, laps: 1))
        if try machine.files.read(state) == nil { try stage.leave([people.person], of: "Watch", at: state) }
        var names: [String] = []
        func link(_ id: AccountID) throws -> String {
            guard let account = try accounts.account(id),
                let link = try AccountService.makeDemonstrationLink(to: account, accounts, now: stage.time.now)
            else { throw HubConfigurationError("The people of the demo were deleted: use another directory.") }
            names.append(account.email)
            return "\(try stage.url)\(DemonstrationPages.path)/\(link.text)"
        }
        return """
            Person: \(people.person)
            Log in: \(try link(AccountID(people.person)))
            Relative: \(try link(people.relative))
            User names: \(names.joined(separator: ", "))
            Password: \(people.password)
            """
    }

    private static func people(_ demonstration: Demonstration, _ stage: Stage) async throws -> Demonstration.People {
        let file = stage.directory.path(peopleFile)
        if let known = try machine.files.read(file) {
            guard let people = try? JSONDecoder().decode(Demonstration.People.self, from: Data(known)) else {
                throw HubConfigurationError("\(file) cannot be read: use another directory.")
            }
            return people
        }
        let password = stage.newPassword()
        let people = try demonstration.stage(
            password: password, hash: await passwordHasher(stage.accounts).hash(password), purpose: Texts.of("en")["care.purpose"])
        try machine.files.replace(file, with: Array(try JSONEncoder().encode(people)))
        return people
    }
}
