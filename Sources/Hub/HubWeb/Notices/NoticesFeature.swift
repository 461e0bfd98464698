import HubServices
import HubStore
import Hummingbird
import ServiceLifecycle
import WebPush

/// What people are told, on the page and on their browsers.
struct NoticesFeature: Sendable {
    let core: HubCore
    private let key: ServerKey

    init(_ core: HubCore) throws { (self.core, key) = (core, try ServerKey(of: core.accounts)) }

    /// The hub's public key, for browsers.
    var publicKey: String { key.publicText }

    func routes(_ pages: some RouterMethods<HubContext>) {
        NoticesPages(
            store: core.accounts.notices, consents: core.accounts.consents, pushes: core.accounts.pushes,
            devices: PushDevices(store: core.accounts.pushes, addresses: core.egress), templates: core.templates,
            key: publicKey, logger: core.logger, now: core.now
        ).routes(pages)
    }

    func service(_ sos: SOSService) -> some Service {
        PushSender(
            store: core.accounts.pushes, client: core.client, key: key, contact: "mailto:\(core.configuration.mail.sender)",
            logger: core.logger, now: sos.now, ways: sos.ways, write: PushTexts.letter)
    }
}
