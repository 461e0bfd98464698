import Testing

/// The trials behind those of `SOSSimulationTests`, each 40 on a hub of their own.
@Suite(.timeLimit(.minutes(60)))
struct SOSManyTrialsTests {
    @Test("SOS-9, design: exactly one incident in each of 160 further trials with duplicates, restarts, partitions, pauses and clock steps")
    func exactlyOne() async throws {
        try await SOSSimulationTests.run(SOSSimulationTests.sharing..<5 * SOSSimulationTests.sharing)
    }
}
