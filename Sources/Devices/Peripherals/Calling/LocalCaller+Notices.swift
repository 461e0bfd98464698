internal import Dispatch
import Sensing
import Synchronization

/// Texts outside of alarms: what contacts are to know while nobody calls.
extension LocalCaller {
    struct Notice {
        let recipient: Int
        let number: PhoneNumber
        let text: String
        var tries = 1
    }

    /// One that did not leave is tried again so often, after this long.
    static let noticeTriesMax = 10, noticeAgainAfter = DispatchTimeInterval.seconds(30)
    /// Tells the identifiers of texts outside of alarms from all others.
    static let noticeMark: UInt64 = 1 << 63

    /// Texts everybody who is texted, outside of any real alarm; nothing while one goes on, which tells more. A test holds it up no more than an
    /// alarm. ``Event/noticed(_:_:)`` follows each try.
    /// - Parameter text: for the recipient at that place of the plan.
    public func notify(_ text: @escaping @Sendable (_ recipient: Int) -> String) {
        queue.async { [self] in
            for (index, recipient) in plan.withLock({ $0 }).recipients.enumerated() where recipient.isTexted {
                send(Notice(recipient: index, number: recipient.number, text: text(index)))
            }
        }
    }

    private func send(_ notice: Notice) {
        let isFree = state.withLock { $0.alarm == nil || $0.alarm?.ending != nil || $0.alarm?.mode == .drill }
        guard isFree, let modem = modem.withLock({ $0 }) else { return }
        let id = state.withLock { state in
            state.noticeCount += 1
            state.notices[Self.noticeMark | state.noticeCount] = notice
            return Self.noticeMark | state.noticeCount
        }
        modem.text(id, to: notice.number, notice.text)
    }

    /// - Parameter isLost: it did not leave, and cannot have arrived.
    func endNotice(_ id: UInt64, _ problem: SourceProblem?, isLost: Bool) {
        guard var notice = state.withLock({ $0.notices.removeValue(forKey: id) }) else { return }
        sink(.noticed(notice.recipient, problem))
        guard isLost, notice.tries < Self.noticeTriesMax else { return }
        notice.tries += 1
        queue.asyncAfter(deadline: .now() + Self.noticeAgainAfter) { [weak self, notice] in self?.send(notice) }
    }
}
