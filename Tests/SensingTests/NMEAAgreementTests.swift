import Foundation
import Sensing
import TestSupport
import Testing
import Vitals

/// gpsd's regression logs against what gpsd itself made of them (the `.chk` beside each).
///
/// A fix agrees when the other side has one at the same time and within 1e-6 degrees. gpsd's fixes without a time (it gives one before
/// the date is known) agree by their place alone. Times are compared modulo 1024 weeks: gpsd moves dates by what it believes today to be.
@Suite(.enabled(if: captures != nil)) struct NMEAAgreementTests {
    /// Where the two differ, by how many, and why that is right.
    struct Difference {
        var gpsdOnly: Int
        var oursOnly: Int
        var reason: String
    }

    private static let endOfLog = "the log ends inside this cycle, gpsd waits for the cycle's last sentence; the fix itself is whole"
    private static let simulator =
        "the receiver is in simulator mode (RMC and GLL status V, GGA quality 8): gpsd reports it twice, without time;"
        + " a simulated position is no fix here"
    private static let contradicted =
        "GGA gives a position with no or zero quality and RMC says V for the same second:"
        + " gpsd reports it for a moment, without time; here the V counts"
    private static let seam = "the cycle's last sentence is missing in the log, and gpsd reports only at that one; the fix itself is whole"

    static let accepted: [String: Difference] = [
        "GPSmap-76S": Difference(gpsdOnly: 1, oursOnly: 0, reason: simulator),
        "garmin-geko201": Difference(gpsdOnly: 1, oursOnly: 0, reason: simulator),
        "myguide-3100": Difference(gpsdOnly: 2, oursOnly: 0, reason: contradicted),
        "tr737A+": Difference(gpsdOnly: 1, oursOnly: 0, reason: contradicted),
        "ais-nmea": Difference(
            gpsdOnly: 0, oursOnly: 3,
            reason: "an AIS sentence stands beside the cycle's GLL, and gpsd reports no position for these seconds;"
                + " their RMC, GGA and GLL are whole"),
        "bt451": Difference(gpsdOnly: 0, oursOnly: 2, reason: seam + " (at a seam of two recordings, and at the log's end)"),
        "bundg_zeus_9": Difference(
            gpsdOnly: 39, oursOnly: 39,
            reason: "the plotter gives several positions under one time stamp, and GLL stamps one a second later than GGA does:"
                + " gpsd keeps that of its cycle's last sentence (GLL), here the last one stamped with the time counts (GGA); 3 m apart"),
        "ch-4701": Difference(gpsdOnly: 0, oursOnly: 1, reason: endOfLog),
        "garmin48": Difference(
            gpsdOnly: 0, oursOnly: 6,
            reason: "GLL is stamped one second after RMC and GGA: gpsd reports only the later time, here each time has its fix"),
        "gp-320fw-2019-04-06-overflow": Difference(gpsdOnly: 0, oursOnly: 1, reason: seam),
        "neo-m8n": Difference(gpsdOnly: 0, oursOnly: 1, reason: endOfLog),
        "quectel-l76k-nmea": Difference(gpsdOnly: 0, oursOnly: 1, reason: endOfLog),
        "st-teseo-liv3f": Difference(gpsdOnly: 0, oursOnly: 1, reason: endOfLog),
        "ublox-lea-4h": Difference(gpsdOnly: 0, oursOnly: 1, reason: endOfLog),
        "ublox-lea-4s": Difference(gpsdOnly: 0, oursOnly: 1, reason: endOfLog),
        "ublox-lea-5h": Difference(gpsdOnly: 0, oursOnly: 1, reason: seam + " (a seam of two recordings)"),
        "ublox-zed-f9r": Difference(
            gpsdOnly: 0, oursOnly: 1, reason: "gpsd gives no report for the log's first cycle; the fix itself is whole"),
        "venus634lp": Difference(gpsdOnly: 0, oursOnly: 1, reason: endOfLog),
    ]

    struct Row {
        var log: String
        var gpsd: Int
        var ours: Int
        var agree: Int
        var gpsdOnly: Int
        var oursOnly: Int

        var line: String {
            let reason = NMEAAgreementTests.accepted[log]?.reason ?? ""
            return "| \(log) | \(gpsd) | \(ours) | \(agree) | \(gpsdOnly) | \(oursOnly) | \(reason) |"
        }
    }

    /// 1e-7 degrees.
    private struct Place: Hashable {
        var latitude: Int
        var longitude: Int

        func isNear(_ other: Place) -> Bool { abs(latitude - other.latitude) <= 10 && abs(longitude - other.longitude) <= 10 }
    }

    private static let rollover: Int64 = 7168 * 86_400_000

    /// The positions of each time; those of nil have none.
    private func gpsdFixes(_ chk: URL) throws -> [Int64?: Set<Place>] {
        let parser = ISO8601DateFormatter()
        parser.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        var fixes: [Int64?: Set<Place>] = [:]
        for line in try contents(chk).split(separator: 0x0A) where line.starts(with: Array("{\"class\":\"TPV\"".utf8)) {
            let json = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
            guard let mode = json["mode"] as? Int, mode >= 2, let latitude = json["lat"] as? Double, let longitude = json["lon"] as? Double
            else { continue }
            let date = (json["time"] as? String).flatMap { parser.date(from: $0) }
            let time = date.map { Int64(($0.timeIntervalSince1970 * 1000).rounded()) % Self.rollover }
            let place = Place(latitude: Int((latitude * 1e7).rounded()), longitude: Int((longitude * 1e7).rounded()))
            fixes[time, default: []].insert(place)
        }
        return fixes
    }

    private func compare(_ log: URL) throws -> Row {
        let gpsd = try gpsdFixes(log.appendingPathExtension("chk"))
        var decoder = NMEADecoder()
        var ours: [Int64?: Set<Place>] = [:]
        var count = 0
        func take(_ fix: NMEAFix) {
            count += 1
            let place = Place(latitude: Int(fix.sample.latitude), longitude: Int(fix.sample.longitude))
            ours[fix.date == .missing ? nil : fix.sample.time % Self.rollover, default: []].insert(place)
        }
        decoder.feed(try contents(log), emit: take)
        try decoder.finish(emit: take)
        #expect(decoder.report.fixes == UInt64(count))
        func has(_ fixes: [Int64?: Set<Place>], _ time: Int64?, _ place: Place) -> Bool {
            if time == nil { return fixes.values.contains { $0.contains(where: place.isNear) } }
            return fixes[time]?.contains(where: place.isNear) == true
        }
        func isAnywhere(_ time: Int64?, _ places: Set<Place>, in other: [Int64?: Set<Place>]) -> Bool {
            places.contains { has(other, time, $0) || has([nil: other[nil] ?? []], nil, $0) }
        }
        // gpsd reports a time several times: one of its reports has to agree. What has no time is counted by place.
        var agree = 0, gpsdOnly = 0, oursOnly = 0
        for (time, places) in gpsd where time != nil {
            if isAnywhere(time, places, in: ours) { agree += 1 } else { gpsdOnly += 1 }
        }
        for place in gpsd[nil] ?? [] where !has(ours, nil, place) { gpsdOnly += 1 }
        for (time, places) in ours where time != nil && !isAnywhere(time, places, in: gpsd) { oursOnly += 1 }
        for place in ours[nil] ?? [] where !has(gpsd, nil, place) { oursOnly += 1 }
        let name = log.deletingPathExtension().lastPathComponent
        return Row(
            log: name, gpsd: gpsd.keys.count { $0 != nil }, ours: count, agree: agree, gpsdOnly: gpsdOnly, oursOnly: oursOnly)
    }

    @Test("EDGE-10: positions and times agree with gpsd on all of its logs, every difference has a reason")
    func agreement() throws {
        let directory = try #require(captures).appendingPathComponent("nmea/gpsd")
        let logs = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "log" }.sorted { $0.lastPathComponent < $1.lastPathComponent }
        #expect(!logs.isEmpty)
        let rows = try logs.map(compare)
        for row in rows {
            let accepted = Self.accepted[row.log] ?? Difference(gpsdOnly: 0, oursOnly: 0, reason: "")
            #expect(row.gpsdOnly == accepted.gpsdOnly && row.oursOnly == accepted.oursOnly, "\(row.line)")
        }
        try checkTable(rows)
    }

    /// docs/nmea-agreement.md is written with TRACKME_WRITE_TABLES set, and compared otherwise.
    private func checkTable(_ rows: [Row]) throws {
        let url = Repository.url("docs/nmea-agreement.md")
        let head = """
            # NMEA logs: agreement with gpsd

            Written by `NMEAAgreementTests` (set `TRACKME_WRITE_TABLES=1` to write it again). The logs are gpsd's own regression tests,
            compared with the output that gpsd keeps for them: for every time, the positions within 1e-6 degrees. "gpsd" counts the times
            for which gpsd reports a position, "ours" the fixes of `NMEADecoder`, with those that have no date; both "only" columns count
            what the other side has neither at that time nor, where one of the two gives no time, at that place. Times are compared modulo
            1024 weeks, because gpsd moves dates to its own epoch.

            | log | gpsd | ours | agree | gpsd only | ours only | why |
            | --- | ---: | ---: | ---: | ---: | ---: | --- |

            """
        let total = rows.reduce(into: Row(log: "**all**", gpsd: 0, ours: 0, agree: 0, gpsdOnly: 0, oursOnly: 0)) {
            $0.gpsd += $1.gpsd
            $0.ours += $1.ours
            $0.agree += $1.agree
            $0.gpsdOnly += $1.gpsdOnly
            $0.oursOnly += $1.oursOnly
        }
        let table = head + (rows + [total]).map(\.line).joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["TRACKME_WRITE_TABLES"] != nil {
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(table.utf8).write(to: url)
        }
        #expect(try String(decoding: contents(url), as: UTF8.self) == table, "docs/nmea-agreement.md is not what the logs give now")
    }
}
