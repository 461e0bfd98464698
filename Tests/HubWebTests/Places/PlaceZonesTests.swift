import Exchange
import Foundation
import HubStore
import TestSupport
import Testing

@testable import HubWeb

/// Time zones by place.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct PlaceZonesTests {
    @Test("RUN-1: every zone of the table is one that the form of a run offers")
    func known() {
        let all = PlaceZones.table.all
        #expect(all.count > 200 && all.subtracting(RunFormModel.zones).isEmpty, "\(all.subtracting(RunFormModel.zones).sorted())")
        for zone in all { #expect(TimeZone(identifier: zone) != nil, "\(zone)") }
    }

    @Test("RUN-1: every large town of the maps' ground has a zone")
    func towns() throws {
        let ground = try #require(Ground.file), remote: Set = ["AQ", "HM", "IO"]
        let towns = ground.towns.filter { town in
            (town.population > 2_000_000 || town.isCapital) && !remote.contains(ground.countries[town.country].code)
        }
        #expect(towns.count > 100)
        for town in towns {
            let place = GroundFile.Place(latitude: town.latitude, longitude: town.longitude)
            #expect(PlaceZones.table.zone(of: place, ground) != nil, "\(town.name)")
        }
    }

    @Test(
        "RUN-1: a place has the zone of its country, or of its part of the country",
        arguments: [
            (45.695, 9.67, "Europe/Rome"), (28.1, -15.43, "Atlantic/Canary"), (40.42, -3.7, "Europe/Madrid"),
            (38.72, -9.14, "Europe/Lisbon"), (37.74, -25.67, "Atlantic/Azores"), (40.71, -74.01, "America/New_York"),
            (41.88, -87.63, "America/Chicago"), (39.74, -104.98, "America/Denver"), (33.45, -112.07, "America/Phoenix"),
            (34.05, -118.24, "America/Los_Angeles"), (61.22, -149.9, "America/Anchorage"), (21.31, -157.86, "Pacific/Honolulu"),
            (-33.87, 151.21, "Australia/Sydney"), (-27.47, 153.03, "Australia/Brisbane"), (-31.95, 115.86, "Australia/Perth"),
            (54.71, 20.51, "Europe/Kaliningrad"), (43.12, 131.9, "Asia/Vladivostok"), (-3.1, -60.02, "America/Manaus"),
            (35.68, 139.69, "Asia/Tokyo"), (51.51, -0.13, "Europe/London"),
        ])
    func places(latitude: Double, longitude: Double, zone: String) throws {
        let found = try #require(PlaceZones.table.zone(of: GroundFile.Place(latitude: latitude, longitude: longitude), Ground.file))
        // Zones whose clocks go alike from now on stand under one name.
        let wanted = try #require(TimeZone(identifier: zone)), start = Date(timeIntervalSince1970: 1_798_761_600)
        for day in 0..<730 {
            let time = start.addingTimeInterval(Double(day) * 86_400)
            #expect(found.secondsFromGMT(for: time) == wanted.secondsFromGMT(for: time), "\(found.identifier) instead of \(zone)")
            guard found.secondsFromGMT(for: time) == wanted.secondsFromGMT(for: time) else { break }
        }
    }

    @Test("RUN-1: lines that are none are left out, and nothing is said without a ground or of a country that the table lacks")
    func table() throws {
        let table = PlaceZones("# a word\nIT Europe/Rome\n\nXX\nES Europe/Madrid 404,-37 x\nES Atlantic/Canary 281,-154 2,3,4\n")
        #expect(table.all == ["Europe/Rome", "Europe/Madrid", "Atlantic/Canary"])
        let rome = GroundFile.Place(latitude: 41.9, longitude: 12.5), ground = try #require(Ground.file)
        #expect(table.zone(of: rome, ground)?.identifier == "Europe/Rome" && table.zone(of: rome, nil) == nil)
        #expect(table.zone(of: GroundFile.Place(latitude: 48.86, longitude: 2.35), ground) == nil)
        #expect(table.zone(of: GroundFile.Place(latitude: 28.1, longitude: -15.4), ground)?.identifier == "Atlantic/Canary")
    }

    @Test("RUN-1: a new run takes the browser's zone, else that of the place where its course begins, and says which")
    func newRun() async throws {
        try await RunsScene.run { scene in
            let browser = "\(scene.organiser.cookie); \(Texts.zoneCookie)=America/Chicago"
            #expect(try await scene.get("/runs/new", browser).body.contains("<option value=\"America/Chicago\" selected"))
            let fresh = try await scene.get("/runs/new", scene.organiser.cookie).body
            #expect(fresh.contains("Of the place: where the course begins") && !fresh.contains("<option value=\"UTC\" selected"))
            // West of Milan.
            let code = try await scene.published(changing: ["runZone": ""])
            let plan = try scene.stored(code).plan
            #expect(plan.timeZone == "Europe/Rome")
            #expect(RunTime.field(plan.starts, "Europe/Rome") == scene.fields()["runStarts"], "the times are those of the place")
            let unsaid = scene.fields(changing: ["runZone": "", "more": "placeRows"])
            let again = try await scene.upload("/runs/new", unsaid, scene.organiser.cookie)
            #expect(again.status == 200 && !again.body.contains("<option value=\"Europe/Rome\" selected"), "there is no course yet")
        }
    }
}
