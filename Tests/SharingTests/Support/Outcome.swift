import StepDomain
import Testing

/// Why something failed; nil if it did not.
extension ShareDestination {
    func failure(delivering parcels: ShareParcel...) async -> ShareFailure? {
        await caught { () throws(ShareFailure) in _ = try await deliver(parcels) }
    }

    func failureToFind(_ parcel: ShareParcel) async -> ShareFailure? {
        await caught { () throws(ShareFailure) in _ = try await find(parcel) }
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
