import Distress
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Vitals

/// Falls and seizures that another system notices (SOS-2, SOS-24). Who writes is a device that the person made for that system: no consent gives
/// an organisation the right to raise an alarm.
extension APIController {
    static let flags = "/api/v1/flags"
    /// Wrong clocks of a day are taken, like all devices'.
    private static let aheadMax = SampleLimits.aheadMax

    var flagOperations: [Operation] {
        [Operation(method: .post, path: Self.flags) { request, context in try await takeFlag(request, context) }]
    }

    private struct NewFlag: Decodable {
        var flag: String
        var time: String
    }

    private func takeFlag(_ request: Request, _ context: HubContext) async throws -> Response {
        // Strangers are sent away before their body is read.
        let device = try detector(request, context)
        let body = try await request.body(upTo: Self.bodyMax)
        guard let sent = try? JSONDecoder().decode(NewFlag.self, from: Data(body.readableBytesView)) else {
            throw APIProblem(.badRequest, "invalid_request", "The body is not {\"flag\": \"fall\", \"time\": \"2026-11-23T10:00:00Z\"}.")
        }
        guard let flag = Flag(rawValue: sent.flag) else {
            let known = Flag.allCases.map(\.rawValue).joined(separator: " or ")
            throw APIProblem(.badRequest, "invalid_flag", "The flag is not known. Send \(known).")
        }
        guard let time = APITime.read(sent.time) else {
            throw APIProblem(.badRequest, "invalid_time", "A time is neither RFC 3339 in UTC nor milliseconds since 1970.")
        }
        guard time >= SampleLimits.earliest, time - now() <= Self.aheadMax else {
            throw APIProblem(
                .badRequest, "invalid_time", "The time lies before 2000, or more than a day ahead. Set the clock of the system.")
        }
        let outcome: FlagOutcome
        do { outcome = try await reports.report(flag, noticedAt: time, by: device) } catch DeviceIngest.Refusal.gone {
            throw APIProblem.strangeDevice
        } catch DeviceIngest.Refusal.slowDown {
            throw APIProblem(
                .tooManyRequests, "slow_down",
                "This device reports again and again. What it reported first counts. Wait a minute, and look whether it is broken.")
        }
        let answer = FlagAnswer(flag, outcome)
        guard answer.isHeard else { throw APIProblem(.conflict, answer.outcome, answer.detail) }
        return try .json(answer)
    }

    private func detector(_ request: Request, _ context: HubContext) throws -> StoredDevice {
        let device = try device(request, context, stranger: .strangeDevice, organisation: .notForOrganisations)
        guard device.kind == .detector else { throw APIProblem.wrongDevice }
        return device
    }
}

extension APIProblem {
    fileprivate static let strangeDevice = APIProblem(
        .unauthorized, "invalid_device",
        "This secret is of no device, or the device was removed. The person makes a new one on the page of their boxes and phones: “Fall or seizure detector”."
    )
    fileprivate static let wrongDevice = APIProblem(
        .forbidden, "wrong_device",
        "This secret is of a phone, which sends positions. The person makes a device of the kind “Fall or seizure detector” on the page of their boxes and phones."
    )
    fileprivate static let notForOrganisations = APIProblem(
        .forbidden, "wrong_device",
        "No consent lets an organisation raise an alarm. The person makes a “Fall or seizure detector” on the page of their boxes and phones and gives you its secret: send that here."
    )
}

/// The outcome of a flagged event, for the program that reported it.
struct FlagAnswer: Encodable {
    let flag: String
    /// `asked`, `open` or `answered`; or why nobody is asked: `off`, `paused`, `waiting`, `late`.
    let outcome: String
    /// Until when the person may answer.
    let until: String?
    /// What happens now, for people.
    let detail: String
    /// The person is asked, was asked, or is being helped.
    let isHeard: Bool

    private enum CodingKeys: String, CodingKey { case flag, outcome, until, detail }

    init(_ flag: Flag, _ outcome: FlagOutcome) {
        self.flag = flag.rawValue
        var until: Milliseconds?
        switch outcome {
        case .asked(let time):
            until = time
            (self.outcome, isHeard) = ("asked", true)
            detail = "The person is asked \"are you OK?\". Without an answer help is called."
        case .open:
            (self.outcome, isHeard) = ("open", true)
            detail = "An alarm is open already, and goes on."
        case .answered:
            (self.outcome, isHeard) = ("answered", true)
            detail = "The person has answered, or the case is over. Nothing new begins."
        case .unheard(.paused):
            (self.outcome, isHeard) = ("paused", false)
            detail = "It is kept, but nobody is asked or called: the person has paused monitoring."
        case .unheard(.waitingForReactivation):
            (self.outcome, isHeard) = ("waiting", false)
            detail = "It is kept, but nobody is asked or called: a case is over, and monitoring waits for the person to reactivate it."
        case .unheard:
            (self.outcome, isHeard) = ("off", false)
            detail = "It is kept, but nobody is asked or called: AutomatedSOS is off. The person can turn it on at the page of protection."
        case .late:
            (self.outcome, isHeard) = ("late", false)
            detail = "It is kept, but nobody is asked or called: it was noticed more than 6 hours ago. Look at the clock of the system."
        }
        self.until = until.map(APITime.text)
    }
}
