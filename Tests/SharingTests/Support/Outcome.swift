import StepDomain
import Testing

/// Why something failed; nil if it did not.
extension ShareDestination {
    func failure(delivering payloads: SharePayload...) async -> ShareFailure? {
        await caught { () throws(ShareFailure) in _ = try await deliver(payloads) }
    }

    func failureToFind(_ payload: SharePayload) async -> ShareFailure? {
        await caught { () throws(ShareFailure) in _ = try await find(payload) }
    }

    func failureOfCheck() async -> ShareFailure? { await caught { () throws(ShareFailure) in _ = try await check() } }

    private func caught(_ body: () async throws(ShareFailure) -> Void) async -> ShareFailure? {
        do throws(ShareFailure) {
            try await body()
            return nil
        } catch {
            return error
        }
    }
}
