import EmergencyDispatch
import HubStore
import Vitals

/// How many cases are open, for whoever watches the hub. Tests are left out; it names nobody.
struct SOSCounts: Sendable {
    private(set) var open = 0
    /// Those that nobody who can help has taken.
    private(set) var unreached = 0
    /// How long the oldest of these is open, milliseconds; 0 for none.
    private(set) var oldest: Milliseconds = 0

    init(_ sos: SOSService) {
        let now = sos.now()
        sos.state.withLock { state in
            for item in state.cases.values where item.isOpen && !item.isTest {
                open += 1
                guard !item.isReached(at: now) else { continue }
                unreached += 1
                oldest = max(oldest, now - item.opened)
            }
        }
    }
}
