import Foundation
import HubServices
import HubStore
import Seams
import Vitals

extension HubCommands {
    /// Imports the streets of a region (DATA-16), and what else the hub takes of an extract: hospitals and pharmacies (SOS-14), motorways and waters
    /// (RUN-2). Works beside a running hub. How far it is goes to the standard error.
    /// - Returns: what was made.
    public static func importMap(_ file: String, onDisk: Bool, _ configuration: HubConfiguration) async throws -> String {
        let directory = try HubDirectory(configuration.directory)
        let work = try MapWork(in: directory.path(StreetMap.folder), name: "\(machine.randomness.id(StreamID.self))", machine: machine)
        defer { withExtendedLifetime(work) {} }
        let rules = MapImport.Rules(
            configuration: EmbeddedFiles.all["streets.json", default: []], process: EmbeddedFiles.all["streets.lua", default: []])
        let streets = MapImport(directory, work: work.url.path, rules: rules, machine: machine) { line in
            try? FileHandle.standardError.write(contentsOf: Data("trackme-hub: \(line)\n".utf8))
        }
        let made: String
        do { made = try streets.run(file, isOnDisk: onDisk) } catch let problem as MapImport.Problem {
            throw HubConfigurationError(problem.description)
        }
        do { return try await made + "\n" + importPlaces([file], configuration) } catch let problem as HubConfigurationError {
            return made + "\nhospitals and pharmacies stay as they are: \(problem)"
        }
    }
}
