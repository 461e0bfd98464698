import HubServices

extension HubConfiguration {
    /// Runs that people take part in.
    public struct Runs: Sendable {
        /// `hub.runs.organisers` / `HUB_RUNS_ORGANISERS`: `all`, or `organisations` where those alone may make runs.
        public var organisers = RunOrganisers.all.rawValue

        /// `hub.runs.check` / `HUB_RUNS_CHECK`: which new runs an operator looks at before they are published: `none`, an organiser's `first`, or `each`.
        public var check = RunCheckRule.none.rawValue

        /// - Throws: ``HubConfigurationError`` for another word.
        func whichAreChecked() throws -> RunCheckRule {
            guard let known = RunCheckRule(rawValue: check) else {
                throw HubConfigurationError("hub.runs.check is \(check): write none, first, or each.")
            }
            return known
        }

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
