import Sensing
import SystemBus

/// One text: created, sent, waited for the network's report, deleted.
final class TextJob: ModemJob {
    private enum Step {
        case creating
        case sending(String)
        case reporting(String)
        case over
    }

    let id: UInt64
    let modem: String
    private let link: ModemLink
    private let number: PhoneNumber
    private let limits: ModemCaller.Configuration
    private let emit: (ModemCaller.Event) -> Void
    private var step = Step.creating
    private var reference: Int?
    private var reports: [(reference: Int, state: Int)] = []
    private static let reportsMax = 32
    private(set) var deadline: Int64?

    init(
        _ id: UInt64, to number: PhoneNumber, _ text: String, modem: String, link: ModemLink, limits: ModemCaller.Configuration, now: Int64,
        emit: @escaping (ModemCaller.Event) -> Void
    ) {
        (self.id, self.number, self.modem, self.link, self.limits, self.emit) = (id, number, modem, link, limits, emit)
        deadline = now + limits.textLimit
        let properties: [String: BusValue] = [
            "number": .string(number.digits), "text": .string(text), "delivery-report-request": .bool(true),
        ]
        link.call(modem, ModemCodes.messaging, "Create", [.properties(properties)], limit: limits.textLimit) { [weak self] answer in
            self?.created(answer)
        }
    }

    var isOver: Bool {
        if case .over = step { return true }
        return false
    }

    /// It waits for the modem.
    var isSending: Bool {
        switch step {
        case .creating, .sending: true
        case .reporting, .over: false
        }
    }

    private func created(_ answer: Result<[BusValue], BusError>) {
        guard case .creating = step else {
            // It was given up meanwhile.
            if let path = (try? answer.get())?.first?.string { delete(path) }
            return
        }
        do {
            guard let path = try answer.get().first?.string else { throw BusError(name: "System.Error.EBADMSG") }
            step = .sending(path)
            link.call(path, ModemCodes.text, "Send", limit: limits.textLimit) { [weak self] in self?.sent(path, $0) }
        } catch let error as BusError {
            fail(error, mayHaveArrived: false)
        } catch {}
    }

    private func sent(_ path: String, _ answer: Result<[BusValue], BusError>) {
        guard case .sending = step else { return delete(path) }
        if case .failure(let error) = answer {
            delete(path)
            // Of several parts the first may be out.
            return fail(error, mayHaveArrived: error.isTimeout)
        }
        step = .reporting(path)
        deadline = (deadline ?? 0) - limits.textLimit + limits.reportLimit
        emit(.textSent(id))
        link.properties(of: path, ModemCodes.text) { [weak self] in
            self?.reference = $0["MessageReference"]?.int
            self?.weigh()
        }
    }

    func handle(_ signal: BusMessage) {}

    /// What the network says of a text to `other`, which may be this one. ModemManager makes a message of its own of it, and that may be
    /// there before the answer to "Send".
    func report(_ state: Int, reference: Int, number other: PhoneNumber) {
        guard other.isSameLine(as: number), reports.count < Self.reportsMax else { return }
        reports.append((reference, state))
        weigh()
    }

    /// Looks for a report of the text's last part, whose reference the text bears.
    private func weigh() {
        guard case .reporting(let path) = step, let reference, let state = reports.last(where: { $0.reference == reference })?.state else {
            return
        }
        if state < ModemCodes.deliveredBelow {
            emit(.textDelivered(id))
        } else if state >= ModemCodes.givenUpFrom {
            let problem = SourceProblem(
                what: "The network could not deliver the text to \(number) (status \(state))",
                advice: "Check the number, and whether that phone is on", retries: true, kind: .undelivered)
            emit(.textFailed(id, .init(problem: problem, mayHaveArrived: false)))
        } else {
            return
        }
        finish(path)
    }

    func tick(_ now: Int64) {
        guard let deadline, now >= deadline else { return }
        switch step {
        case .creating, .sending: fail(BusError(name: "System.Error.ETIMEDOUT", message: "No answer in time"), mayHaveArrived: true)
        // A network that reports nothing is no failure.
        case .reporting(let path): finish(path)
        case .over: break
        }
    }

    func cancel() {
        switch step {
        case .creating, .sending: step = .over
        case .reporting(let path): finish(path)
        case .over: break
        }
    }

    func lost(_ problem: SourceProblem) {
        switch step {
        case .creating: emit(.textFailed(id, .init(problem: problem, mayHaveArrived: false)))
        case .sending: emit(.textFailed(id, .init(problem: problem, mayHaveArrived: true)))
        case .reporting, .over: break
        }
        step = .over
    }

    private func fail(_ error: BusError, mayHaveArrived: Bool) {
        step = .over
        let problem = ModemError.problem("The text to \(number) was not sent", error)
        emit(.textFailed(id, .init(problem: problem, mayHaveArrived: mayHaveArrived)))
    }

    private func finish(_ path: String) {
        step = .over
        delete(path)
    }

    private func delete(_ path: String) { link.tell(modem, ModemCodes.messaging, "Delete", [.objectPath(path)]) }
}
