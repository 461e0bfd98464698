import Accounts
import Foundation
import Groups
import HubStore
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// A hub's directory with windows that were closed before it started: who is released in them is made up.
struct ReleasedGroups {
    let directory: TemporaryDirectory
    /// The last four that could be closed by now, the oldest first.
    let windows: [GroupWindow]

    static let tree = RegionTree(Regions.list)

    init(_ cells: [GroupCell], kinds: [DataKind] = [.heartRate, .sleep, .weight]) throws {
        let now = Milliseconds(Date().timeIntervalSince1970 * 1000), week = GroupWindow.Length.week.milliseconds
        directory = try TemporaryDirectory()
        windows = Array(GroupWindow.closed(.week, from: now - 8 * week, to: now).suffix(4))
        let files = try HubDirectory(directory.url), accounts = try AccountStore(files, keys: KeyStore(files, environment: [:]))
        let variance = try #require(NoiseVariance(1_600))
        for (number, window) in windows.enumerated() {
            let releases = kinds.flatMap { kind in
                Dictionary(grouping: cells) { Self.tree.regions[$0.region]?.level ?? .region }.map { level, cells in
                    GroupRelease(
                        window: window, kind: kind, level: level, variance: variance,
                        cells: Dictionary(uniqueKeysWithValues: cells.map { ($0, Self.counts(number)) }))
                }
            }
            _ = try accounts.consents.groupReleases.close(window, releases: releases, now: window.closes())
        }
    }

    /// 8,000 people around the classes in the middle.
    private static func counts(_ number: Int) -> [Int64] {
        let shape: [Int64] = [100, 400, 1_200, 2_300, 2_300, 1_200, 400, 100], first = 4 + number % 2
        return (0..<GroupBins.count).map { (first..<first + shape.count).contains($0) ? shape[$0 - first] : 0 }
    }

    static func code(_ text: String) throws -> RegionCode { try #require(RegionCode(text)) }

    static func cell(_ sex: CellSex, _ age: Int, _ region: String) throws -> GroupCell {
        GroupCell(sex, AgeBand(age: age), try code(region))
    }

    func run(_ body: (WebFixture) async throws -> Void) async throws { try await WebFixture.run(in: directory, body) }
}

extension WebFixture {
    /// The fields that a page's form sends back as they are.
    static func hidden(_ page: String, form action: String) -> [String: String] {
        let form = page.components(separatedBy: "action=\"\(action)\"").dropFirst().first?.components(separatedBy: "</form>").first ?? ""
        return form.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/).reduce(into: [:]) {
            $0[String($1.1)] = String($1.2)
        }
    }
}
