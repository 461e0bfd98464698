import Foundation
public import HubStore
public import Runs
public import Vitals
public import Workouts

/// Track4Run's data of somebody, for the download of all data (DATA-9).
public struct RunsExport: Sendable, Codable, Hashable {
    public let enrolments: [Enrolment]
    public let results: [Result]
    public let organised: [Organised]
    public let friends: [PersonID]
    /// Around where they are told of runs.
    public let nearby: NearbyWish?
    public let workouts: [Workout]
    /// The list of workouts, those that were found included.
    public let listed: [Listed]

    /// Times are ISO 8601.
    public struct Enrolment: Sendable, Codable, Hashable {
        public let code: String
        public let name: String
        public let starts: String
        public let ends: String
        public let bib: Int
        public let state: String
        public let choices: EnrolmentChoices
        public let enrolled: String
        public let checkIn: ConsentID?
        public let publicHeartRate: ConsentID?
    }

    public struct Result: Sendable, Codable, Hashable {
        /// Of the run; nil when that is gone.
        public let code: String?
        /// Times within are UTC milliseconds.
        public let result: RunnerResult?
    }

    public struct Workout: Sendable, Codable, Hashable {
        public let began: String
        /// nil while it goes on.
        public let ended: String?
        public let isShared: Bool
        /// Of this friends see nothing.
        public let home: HomeZone?
        /// Times within are UTC milliseconds.
        public let summary: WorkoutSummary?
        /// When the button for a lap was pressed; nil for never.
        public let laps: [String]?
    }

    /// What its owner says of one, and its figures. The way is in the positions.
    public struct Listed: Sendable, Codable, Hashable {
        public let began: String
        public let ended: String
        /// As ``Vitals/DataKind/activity`` has it.
        public let kind: String
        public let title: String
        public let note: String
        /// Times within are UTC milliseconds.
        public let statistics: WorkoutStatistics
    }

    public struct Organised: Sendable, Codable, Hashable {
        public let code: String
        public let state: String
        public let created: String
        /// Times within are UTC milliseconds.
        public let plan: RunPlan
        public let messages: [Message]
    }

    public struct Message: Sendable, Codable, Hashable {
        public let time: String
        public let text: String
    }

    public init(_ account: AccountID, _ store: RunsStore) throws {
        enrolments = try store.enrolments.enrolments(of: account.person, count: 10_000).map { enrolment, run in
            Enrolment(
                code: run.code, name: run.plan.name, starts: RecordsExport.text(run.plan.starts), ends: RecordsExport.text(run.plan.ends),
                bib: enrolment.bib,
                state: "\(enrolment.state)", choices: enrolment.choices, enrolled: RecordsExport.text(enrolment.created),
                checkIn: enrolment.checkIn,
                publicHeartRate: enrolment.publicHeartRate)
        }
        results = try store.results.results(of: account.person).map { run, result in
            Result(code: try store.code(of: run), result: result.result)
        }
        friends = try store.friends.friends(of: account.person)
        nearby = try store.nearby.nearby(of: account.person)
        let open = try store.workouts.openWorkout(of: account.person).map { [$0] } ?? []
        workouts = try (open + store.workouts.workouts(of: account.person, count: WorkoutStore.workoutsMax)).map { workout in
            Workout(
                began: RecordsExport.text(workout.began), ended: workout.ended.map(RecordsExport.text), isShared: workout.isShared,
                home: workout.content.home, summary: workout.content.summary, laps: workout.content.laps?.map(RecordsExport.text))
        }
        listed = try store.workoutRecords.records(of: account.person, count: WorkoutRecordStore.recordsMax).compactMap { record in
            record.content.map { content in
                Listed(
                    began: RecordsExport.text(record.span.lowerBound), ended: RecordsExport.text(record.span.upperBound),
                    kind: "\(content.kind)",
                    title: content.edit?.title ?? "", note: content.edit?.note ?? "", statistics: content.statistics)
            }
        }
        organised = try store.runs(of: account, count: 10_000).map { run in
            Organised(
                code: run.code, state: "\(run.state)", created: RecordsExport.text(run.created), plan: run.plan,
                messages: try store.notices.messages(to: run, count: 10_000).map {
                    Message(time: RecordsExport.text($0.time), text: $0.text)
                })
        }
    }
}
