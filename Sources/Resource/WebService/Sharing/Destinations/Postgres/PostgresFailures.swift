internal import Foundation
internal import Postgres
internal import StepDomain
internal import Support

/// What errors of a server mean for sharing.
extension PostgresDestination {
    func failure(_ error: PostgresError, hiding secret: Secret?) -> ShareFailure {
        let reason = secret?.scrubbed(from: error.description) ?? error.description
        return switch error {
        case .libraryMissing:
            ShareFailure(.misconfigured, reason, advice: "Install it: `sudo apt-get install libpq5`")
        case .notConnected(credentials: true, _):
            ShareFailure(.credentials, reason, advice: "Check `username` and the password of the role.")
        case .notConnected(credentials: false, _): ShareFailure(.unreachable, reason, advice: socketAdvice)
        case .lost(let mayBeCommitted, _), .cancelled(let mayBeCommitted):
            ShareFailure(mayBeCommitted ? .unanswered : .unreachable, reason)
        case .refused(let state, _): refusal(state, reason)
        }
    }

    /// For a socket that is not there. Another machine that is not there may be switched off: it is tried again.
    private var socketAdvice: String? {
        let port = address.parameters["port"] ?? "5432"
        guard let host = address.parameters["host"], host.hasPrefix("/"),
            !FileManager.default.fileExists(atPath: "\(host)/.s.PGSQL.\(port)")
        else { return nil }
        return
            "`host` is the directory of the server's socket, /var/run/postgresql on Debian. Check that the server runs: `systemctl status postgresql`"
    }

    /// What an SQLSTATE means (PostgreSQL documentation, appendix A).
    private func refusal(_ state: String, _ reason: String) -> ShareFailure {
        switch state {
        case "3F000", "42P01", "42883", "42703":
            ShareFailure(.misconfigured, reason, advice: PostgresInspection.schemaAdvice)
        case "42501":
            ShareFailure(
                .credentials, reason,
                advice:
                    "See what this machine's role lacks, and the statements that give it: \(comparison). Or name the users "
                    + "whose days are sent in `users`.")
        default:
            switch state.prefix(2) {
            case "28": ShareFailure(.credentials, reason)
            // Rows that collide, data that do not fit, and broken constraints.
            case "21", "22", "23": ShareFailure(.rejected, reason)
            // Connections, conflicts with other transactions, resources, and the operator.
            default: ShareFailure(.busy, reason)
            }
        }
    }
}
