import Foundation
import HubServices
import Seams

/// Whether pages show maps.
struct TilesDoctor: DoctorCheck {
    let subject = DoctorFinding.Subject.tiles

    func findings(_ hub: DoctorPatient) async -> [DoctorFinding] {
        let map = hub.configuration.map, files = hub.machine.files
        var found: [DoctorFinding] = []
        if !files.exists(map.leaflet + "/leaflet.js") {
            found.append(
                DoctorFinding(
                    subject, "leaflet", "No page shows a map: there is no leaflet.js in \(map.leaflet).", at: map.leaflet,
                    "apt-get install libjs-leaflet, or set hub.map.leaflet to where it lies."))
        }
        if let obstacles = map.obstacles, access(obstacles, R_OK) != 0 {
            found.append(
                DoctorFinding(
                    subject, "obstacles", "Courses are not held against motorways and water: \(obstacles) cannot be read.", at: obstacles,
                    "Make the file (docs/run-pages.md), or leave hub.map.obstacles out for that of trackme-hub map import."))
        }
        if let tiles = map.tiles {
            found += await elsewhere(tiles, hub)
        } else if !files.exists(hub.path("\(StreetMap.folder)/\(StreetMap.tiles)")) {
            found.append(
                DoctorFinding(
                    .warning, subject, "streets", "Maps show coasts and borders, and no streets.", at: hub.path(StreetMap.folder),
                    "trackme-hub map import FILE takes an extract of OpenStreetMap (docs/maps.md)."))
        }
        return found
    }

    private func elsewhere(_ tiles: String, _ hub: DoctorPatient) async -> [DoctorFinding] {
        guard ["{z}", "{x}", "{y}"].allSatisfy({ tiles.contains($0) }), tiles.hasPrefix("https://") || tiles.hasPrefix("http://") else {
            return [
                DoctorFinding(
                    subject, "template", "hub.map.tiles is \(tiles), which is no address of tiles.", at: "hub.map.tiles",
                    "Write it like https://HOST/{z}/{x}/{y}.png, or leave it out for the hub's own maps.")
            ]
        }
        var found: [DoctorFinding] = []
        if hub.configuration.map.attribution == nil {
            found.append(
                DoctorFinding(
                    .warning, subject, "credit", "Maps do not say whose they are.", at: "hub.map.attribution",
                    "Set it to the credit that the tiles' provider asks for."))
        }
        // The whole world: every provider has it.
        let first = tiles.replacing("{z}", with: "0").replacing("{x}", with: "0").replacing("{y}", with: "0").replacing("{s}", with: "a")
        let answer = await hub.network.get(first, .system, hub.limits.patience)
        if case .answered(200, let type, _) = answer, type.hasPrefix("image/") { return found }
        let why =
            switch answer {
            case .answered(let status, let type, _): "it answers \(status) \(type)"
            case .failed(let why): why
            }
        return found + [
            DoctorFinding(
                subject, "answer", "No tile comes from where maps are to come: \(why).", at: first,
                "Look whether hub.map.tiles is right and the provider lets you in, or leave it out for the hub's own maps.")
        ]
    }
}
