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
        case .notConnected(credentials: false, _): ShareFailure(.unreachable, reason)
        case .lost(let mayBeCommitted, _), .cancelled(let mayBeCommitted):
            ShareFailure(mayBeCommitted ? .unanswered : .unreachable, reason)
        case .refused(let state, _): Self.refusal(state, reason, machine: rows.machine)
        }
    }

    /// What an SQLSTATE means (PostgreSQL documentation, appendix A).
    private static func refusal(_ state: String, _ reason: String, machine: String) -> ShareFailure {
        switch state {
        case "3F000", "42P01", "42883", "42703":
            ShareFailure(.misconfigured, reason, advice: PostgresInspection.schemaAdvice)
        case "42501":
            ShareFailure(
                .credentials, reason,
                advice:
                    "The owner of the database enrols this machine's role for each user whose days it sends: SELECT "
                    + "istep.enrol('SUBJECT', 'ROLE'). Or name the users in `users`. The role also needs the right to make "
                    + "temporary tables: GRANT TEMPORARY ON DATABASE …")
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
