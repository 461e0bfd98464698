public import SyncProtocol
public import Vitals

extension BoxStatus {
    /// The check-ins that are known here, one a line, for a terminal.
    public var checkInText: String {
        let lines = persons.flatMap { $0.checkIns ?? [] }.map { $0.text(hub: hub?.address ?? "") }
        return lines.isEmpty ? "No check-in of a run is known at this box" : lines.joined(separator: "\n")
    }

    /// The check-in of a run (RUN-5): what is asked, and what became of an answer.
    public struct CheckInState: Codable, Sendable, Hashable {
        public enum Phase: String, Codable, Sendable, Hashable, CaseIterable {
            case open
            /// Answered here; the hub has not decided yet.
            case sending
            /// The run started without an answer that came in time, as far as is known.
            case late
            case accepted
            /// Accepted, but no position has come.
            case withoutPosition
            case refused
            /// The hub said no: ``CheckInState/why``.
            case notDone
            /// It was accepted, and holds no more.
            case ended
        }

        public var id: ConsentID
        public var run: String
        public var code: String
        public var organiser: String
        public var purpose: String
        /// The kinds that the organiser reads.
        public var kinds: [CheckIn.Kind]
        /// Until then; UTC milliseconds.
        public var until: Milliseconds
        /// The start, from which on no answer counts; UTC milliseconds.
        public var lapses: Milliseconds
        public var phase: Phase
        /// The answer given here; nil for none.
        public var choice: CheckInAnswer.Choice?
        public var why: CheckInReply.Cause?
        /// The obstacle that keeps the answer from the hub, in English.
        public var problem: String?

        init(_ item: CheckIn, phase: Phase, choice: CheckInAnswer.Choice? = nil, why: CheckInReply.Cause? = nil, problem: String? = nil) {
            (id, run, code, organiser, purpose) = (item.id, item.run, item.code, item.organiser, item.purpose)
            (kinds, until, lapses) = (item.kinds, item.until, item.lapses)
            (self.phase, self.choice, self.why, self.problem) = (phase, choice, why, problem)
        }

        /// For a terminal: what is asked before anybody answers, and how it stands.
        /// - Parameter hub: its address.
        public func text(hub: String) -> String {
            switch phase {
            case .open:
                """
                \(organiser) asks you to check in to \(run) (\(code)): your \(kindsText), until \(ISO8601.string(until)). Everybody who watches sees \
                where you are, as you chose when you enrolled. Purpose: \(purpose). Answer by \(ISO8601.string(lapses)): \
                trackme-agent check-in accept \(code), or refuse \(code).
                """
            case .sending:
                "\(run) (\(code)): \"\(choice?.rawValue ?? "")\" is on its way to the hub and does not count yet; it lapses at "
                    + "\(ISO8601.string(lapses))." + (problem.map { " \($0)." } ?? "")
            case .late:
                "\(run) (\(code)): TOO LATE. The run started at \(ISO8601.string(lapses)), and the hub had no answer in time."
            case .accepted: "\(run) (\(code)): you are checked in. \(organiser) reads your \(kindsText) until \(ISO8601.string(until))."
            case .withoutPosition:
                "\(run) (\(code)): checked in, but the hub has NO POSITION of yours: without one you are off the list at the start."
            case .refused:
                "\(run) (\(code)): you said no and are not checked in. Until the start you can check in at \(hub)/runs/\(code)/check-in."
            case .notDone: "\(run) (\(code)): the hub did not take your answer: \(whyText) See \(hub)/runs/\(code)/check-in."
            case .ended: "\(run) (\(code)): your check-in holds no more. See \(hub)/runs/\(code)/check-in."
            }
        }

        private var kindsText: String {
            kinds.map { $0 == .position ? "position" : "heart rate" }.joined(separator: " and ")
        }

        private var whyText: String {
            switch why ?? .other {
            case .lapsed: "the run has started."
            case .withdrawn: "the organiser took the question back."
            case .notEnrolled: "you are not on the list."
            case .acceptedBefore: "you had accepted before; take that back there."
            case .refusedBefore: "you had refused before."
            case .takenBack: "you took it back on the hub."
            case .over: "the run is over."
            case .notHere: "this question cannot be answered at this box."
            case .other: "it does not say why."
            }
        }
    }
}
