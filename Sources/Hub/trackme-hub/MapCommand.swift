import ArgumentParser
import HubWeb

struct MapCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "map", abstract: "Streets for the maps of the hub's pages.", subcommands: [Import.self])

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import the streets of a region, in the place of those that are there.",
            discussion: """
                Takes an extract of OpenStreetMap (.osm.pbf), for example from download.geofabrik.de, and makes vector tiles with Debian's tilemaker. \
                Hospitals, pharmacies, motorways and waters are taken out of it as well, with Debian's osmium-tool. Works beside a running hub. \
                docs/maps.md says how long it takes.
                """)
        @OptionGroup var options: HubOptions
        @Flag(help: "Let tilemaker work in files of the hub's directory: less memory, more time.")
        var onDisk = false
        @Argument(help: "The extract.")
        var file: String

        func run() async throws { print(try await HubCommands.importMap(file, onDisk: onDisk, options.configuration())) }
    }
}
