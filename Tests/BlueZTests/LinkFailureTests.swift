import Glibc
import Sensing
import Testing

@testable import BlueZ

struct LinkFailureTests {
    @Test("EDGE-2: errors of the kernel are told apart, each with something to do")
    func kernelErrors() throws {
        let address = try #require(SensorAddress("C4:01:02:03:04:05"))
        let codes = [
            EAFNOSUPPORT, EHOSTUNREACH, ENETDOWN, EACCES, EMFILE, EBUSY, EHOSTDOWN, EINPROGRESS, ETIMEDOUT, ECONNREFUSED, EINVAL,
        ]
        let failures = codes.map { LinkFailure(connectCode: $0) }
        #expect(
            failures == [
                .kernelWithoutBluetooth, .noAdapter(nil), .adapterDown(0), .notPermitted, .descriptorsExhausted, .busy, .outOfRange,
                .outOfRange, .outOfRange, .outOfRange, .other(operation: "connecting", code: EINVAL),
            ])
        for failure in failures {
            let problem = failure.problem(address)
            #expect(!problem.what.isEmpty && !problem.advice.isEmpty && problem.retries)
        }
        let kinds: [SourceProblem.Kind?] = failures.map { $0.problem(address).kind }
        #expect(kinds.prefix(7) == [.noBluetooth, .noAdapter, .noBluetooth, .noBluetooth, .noBluetooth, .strapTaken, .strapAway])
        #expect(LinkFailure.busy.problem(address).advice.contains("bluetoothctl disconnect C4:01:02:03:04:05,"))
        #expect(LinkFailure(linkCode: ETIMEDOUT, operation: "x") == .supervisionTimeout)
        #expect(LinkFailure(linkCode: ECONNRESET, operation: "x") == .sensorHungUp)
    }
}
