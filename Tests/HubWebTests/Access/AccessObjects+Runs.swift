import Accounts
import Foundation
import HubServices
import HubStore
import Runs
import Testing
import Vitals
import Workouts

@testable import HubWeb

/// Runs: each cast's organiser has one that is public, and its person takes part in it where a line wants that.
extension Cast {
    func runObject(_ name: String) throws -> String? {
        switch name {
        case "publicRun", "ownRun": return try run().code
        case "myRun":
            let run = try run()
            let enrolment = try web.hub.runsStore.enrolments.enrolment(of: person.id.person, in: run.id)
            if enrolment == nil || enrolment?.state == .withdrawn {
                _ = try web.hub.runsStore.enrolments.enrol([.init(run: run.id, person: person.id.person, choices: .init())], now: Self.now)
            }
            return run.code
        case "myWorkout":
            let store = web.hub.runsStore, own = try person.id
            if let old = try store.workouts.workouts(of: own.person).first { return old.id.description }
            _ = try store.workouts.beginWorkout(.init(starter: own), of: own.person, isShared: false, now: Cast.now)
            return try store.workouts.endWorkout(of: own.person, now: Cast.now + 1)?.id.description
        case "myRecord": return try record().id.description
        case "friend": return PersonID.random().description
        default: return nil
        }
    }

    private func record() throws -> StoredWorkoutRecord {
        let store = web.hub.runsStore.workoutRecords, own = try person.id.person
        if let old = try store.records(of: own).first { return old }
        let line = WorkoutLine([], [], in: Self.now - 600_000...Self.now), statistics = WorkoutStatistics(line)
        var change = WorkoutRecordChange()
        change.kept = [.init(span: line.span, content: .init(origin: .found, kind: .running, statistics: statistics, sketch: []))]
        _ = try store.keep(change, store.scan(of: own), of: own)
        return try #require(try store.records(of: own).first)
    }

    private func run() throws -> StoredRun {
        let organiser = try #require(accounts[.organiser]), runs = web.hub.runs
        if let old = try runs.organising.runs(organisedBy: organiser).first(where: { $0.state == .scheduled }) { return old }
        let starts = Self.now + 5 * 86_400_000
        let plan = RunPlan(
            name: "Access \(name)", purpose: "Made up", place: "Bergamo", timeZone: "Europe/Rome", starts: starts, ends: starts + 3_600_000,
            closes: starts, most: 100, isPublic: true)
        let draft = try runs.organising.create(plan, course: RunFiles.course(), accepted: OrganiserService.disclaimerVersion, by: organiser)
        return try runs.organising.publish(draft.id, by: organiser)
    }
}

/// Made-up courses: a square of about 1 km a side.
enum RunFiles {
    static func points(latitude: Int32 = 454_000_000, longitude: Int32 = 90_000_000, side: Int32 = 90_000) -> [CoursePoint] {
        let corners: [(Int32, Int32)] = [(0, 0), (side, 0), (side, side), (0, side), (0, 0)]
        var points: [CoursePoint] = []
        for (from, to) in zip(corners, corners.dropFirst()) {
            for step in Int32(0)..<10 {
                points.append(
                    CoursePoint(
                        latitude: latitude + from.0 + (to.0 - from.0) / 10 * step,
                        longitude: longitude + from.1 + (to.1 - from.1) / 10 * step))
            }
        }
        return points + [CoursePoint(latitude: latitude, longitude: longitude)]
    }

    static func course() -> CoursePlan { CoursePlan(points: points()) }

    static func gpx(_ points: [CoursePoint], waypoints: String = "") -> String {
        let lines = points.map { point in
            "<trkpt lat=\"\(Double(point.latitude) / 1e7)\" lon='\(Double(point.longitude) / 1e7)'><ele>201.5</ele><time>2026-01-01T00:00:00Z</time></trkpt>"
        }
        return """
            <?xml version="1.0"?><!-- a course --><gpx version="1.1" creator="test">\(waypoints)<trk><name>Square &amp; more</name><trkseg>
            \(lines.joined(separator: "\n"))
            </trkseg></trk></gpx>
            """
    }
}
