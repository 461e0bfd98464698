import ArgumentParser
import HubWeb

struct PlacesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "places", abstract: "Hospitals and pharmacies that people are shown nearby.", subcommands: [Import.self])

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import hospitals and pharmacies, in the place of those that are there.",
            discussion: """
                Takes GeoJSON with OpenStreetMap's tags as properties, or an extract of OpenStreetMap itself (.osm.pbf, read with Debian's \
                osmium-tool), for example from download.geofabrik.de. OpenStreetMap's data is under the ODbL: say so where you show it \
                (hub.map.attribution). Works beside a running hub.
                """)
        @OptionGroup var options: HubOptions
        @Argument(help: "Files; several are put together.")
        var file: [String]

        func run() async throws { print(try await HubCommands.importPlaces(file, options.configuration())) }
    }
}
