import HubServices
import Logging
import ServiceLifecycle
import Telephony

/// The hub's telephone lines: they run with the hub, and the log says what is known of them.
struct Telephone: Sendable {
    let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    func changed(_ condition: TelephoneLines.Condition) {
        switch condition {
        case .ready(let lines): logger.notice("self-check: telephone lines can call", metadata: ["lines": "\(lines)"])
        case .failed(let why):
            logger.error("self-check: no telephone line can call: nobody would be called by voice", metadata: ["error": "\(why)"])
        }
    }

    func service(_ voice: TrunkVoice?) -> some Service { Running(voice: voice, logger: logger) }

    private struct Running: Service {
        let voice: TrunkVoice?
        let logger: Logger

        func run() async throws {
            if let voice {
                voice.lines.start()
            } else {
                logger.notice("self-check: nobody is called by voice: hub.voice.account names no SIP trunk")
            }
            try? await gracefulShutdown()
            await voice?.lines.stop()
        }
    }
}
