import Foundation
import HubServices
import Hummingbird
import SyncProtocol
import Vitals

/// How boxes that are set up by their page become agents.
extension SyncController {
    func pairingRoutes(_ router: Router<HubContext>) {
        router.post(RouterPath(SyncRoute.pairing)) { request, context in
            await answer(request) {
                let address = context.address
                guard guesses.allow(address, at: now()) else { return .tooMany }
                let offer = try await message(PairingOffer.self, request)
                do { return try .json(pairings.offer(offer, now: now())) } catch let refused as ErrorAnswer {
                    if refused.error == "invalid_code" { guesses.wrong(address, at: now()) }
                    throw refused
                }
            }
        }
        router.post(RouterPath(SyncRoute.pairingOpening)) { request, _ in
            await answer(request) { try .json(pairings.open(try await message(PairingOpening.self, request), now: now())) }
        }
        router.post(RouterPath(SyncRoute.pairingClaim)) { request, _ in
            await answer(request) { try .json(WireForm(pairings.claim(try await message(PairingClaim.self, request), now: now()))) }
        }
    }

    private func message<Message: Decodable & Sendable>(_ type: Message.Type, _ request: Request) async throws -> Message {
        try await request.said(type, called: "a request of a box that is set up", upTo: Self.smallBodyMax).message
    }
}
