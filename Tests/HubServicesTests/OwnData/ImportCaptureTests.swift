import Exchange
import Foundation
import HubStore
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Real files of activities. They are not part of the project: without TRACKME_CAPTURES these tests are skipped.
private let folder = ProcessInfo.processInfo.environment["TRACKME_CAPTURES"].map { URL(filePath: $0).appending(path: "activity") }

/// Without the optimizer not the largest ones, which take long: their readers have tests of their own. The longer of the others are for
/// test-long.
#if DEBUG
    private let bytesMax = Seeds.rounds(250_000, of: 1_000_000)
#else
    private let bytesMax = Int.max
#endif

private func names() -> [String] {
    guard let folder, let all = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else { return [] }
    return all.filter { name in
        let bytes = try? folder.appending(path: name).resourceValues(forKeys: [.fileSizeKey]).fileSize
        return ["gpx", "tcx", "fit"].contains((name as NSString).pathExtension.lowercased()) && (bytes ?? .max) < bytesMax
    }.sorted()
}

/// What another reader found in a file.
private struct Facts: Decodable {
    var error: String?, mean: Double?, most: Int?, positions: Int?, rates: Int?, first: String?

    enum CodingKeys: String, CodingKey {
        case error
        case mean = "hr_mean"
        case most = "hr_max"
        case positions = "points_with_position"
        case rates = "points_with_hr"
        case first = "first_time"
    }
}

@Suite("Imports: real activities", .enabled(if: folder != nil, "TRACKME_CAPTURES does not name the directory of the captures"))
struct ImportCaptureTests {
    @Test("the directory that was named holds files")
    func found() { #expect(!names().isEmpty) }

    @Test("DATA-2: each real file is imported with its points and heart rates, or what is damaged is said", arguments: names())
    func isStored(name: String) async throws {
        let url = try #require(folder).appending(path: name), bytes = [UInt8](try Data(contentsOf: url))
        let facts = try JSONDecoder().decode(Facts.self, from: Data(contentsOf: try #require(folder).appending(path: name + ".facts.json")))
        let fixture = try ImportFixture(), result = try await fixture.end(fixture.begin([(name, bytes)]))
        let file = try #require(result.files.first), read = try ActivityFile.read(bytes).samples
        #expect(result.end == .done && result.unread.isEmpty && fixture.left.isEmpty)
        func counts(_ kind: DataKind) -> ImportResult.Counts { result.kinds[kind.name] ?? ImportResult.Counts() }
        func all(_ counts: ImportResult.Counts) -> Int { counts.taken + counts.duplicates + counts.tooDense + counts.outside }
        let stored = try fixture.hub.stored()
        #expect(all(counts(.position)) == read.positions.count && stored.positions.count == counts(.position).taken)
        #expect(all(counts(.heartRate)) == read.heartRates.count && stored.heartRates.count == counts(.heartRate).taken)
        guard facts.error == nil else { return #expect(!file.problems.isEmpty, "damaged, and nothing is said") }
        // Points without a time have no place in a series.
        if facts.first != nil { #expect(all(counts(.position)) == facts.positions) }
        guard facts.first != nil, let mean = facts.mean, all(counts(.heartRate)) == facts.rates, counts(.heartRate).taken == facts.rates
        else { return }
        let rates = stored.heartRates.map { Int($0.beatsPerMinute) }
        #expect(rates.max() == facts.most && abs(Double(rates.reduce(0, +)) / Double(rates.count) - mean) < 0.01)
    }
}
