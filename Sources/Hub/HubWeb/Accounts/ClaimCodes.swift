import Accounts
import Foundation
import HubServices
import HubStore
import Logging
import Vitals

/// Without an operator nobody can admit anybody: the hub says at each start how to become one. The code itself is for a terminal: more people read
/// logs than may run a hub.
func tellClaimCode(_ accounts: AccountStore, address: String, logger: Logger) {
    do {
        guard try accounts.operators().isEmpty else { return }
        logger.notice(
            "this hub has no operator yet: `trackme-hub claim-code` prints a code, which somebody types on the page within a day",
            metadata: ["page": "\(address)/claim"])
    } catch {
        logger.error("whether there is an operator cannot be read", metadata: ["error": "\(error)"])
    }
}

extension HubCommands {
    /// Makes a code with which whoever runs the hub becomes an operator; returns what to do with it. Also where there is an operator already:
    /// whoever can run this has the hub's files anyway.
    public static func claimCode(_ configuration: HubConfiguration) throws -> String {
        let directory = try HubDirectory(configuration.directory)
        let accounts = try AccountStore(directory, keys: KeyStore(directory))
        let code = try FactorService.makeClaimCode(accounts, now: now())
        let url = try HubIdentity.enrolmentAddress(configuration).prefix { $0 != "#" }
        return "\(code)\nOpen \(url)/claim and type this code, within a day. It works once."
    }
}
