import HubServices

extension HubConfiguration {
    /// Runs that people take part in.
    public struct Runs: Sendable {
        /// `hub.runs.organisers` / `HUB_RUNS_ORGANISERS`: `all`, or `organisations` where those alone may make runs.
        public var organisers = RunOrganisers.all.rawValue

        /// - Throws: ``HubConfigurationError`` for another word.
        func whoOrganises() throws -> RunOrganisers {
            guard let known = RunOrganisers(rawValue: organisers) else {
                throw HubConfigurationError(
                    "hub.runs.organisers is \(organisers): write all, or organisations to let those alone make runs.")
            }
            return known
        }
    }
}
