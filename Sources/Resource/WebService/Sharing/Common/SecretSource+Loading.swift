internal import Quoting
internal import Settings
internal import StepDomain

extension SecretSource {
    /// Read at each delivery, so that a token that was renewed is used.
    func secret(_ environment: [String: String]) throws(ShareFailure) -> Secret {
        do {
            return try load(environment: environment)
        } catch {
            throw ShareFailure(.misconfigured, error.description)
        }
    }
}
