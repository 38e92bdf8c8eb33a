internal import Support

/// Decides when sharing is attempted again. `ShareEntry.fail` and `DestinationState.fail` store what is decided here.
///
/// After a failed delivery (`ShareFailure.Kind`):
///
/// | Failure                       | The day            | The destination                                      |
/// | ----------------------------- | ------------------ | ---------------------------------------------------- |
/// | unreachable, busy, unanswered | is due again       | waits, and all its days with it                      |
/// | credentials                   | is due again       | is stopped until the user acts                       |
/// | misconfigured                 | is due again       | does not wait                                        |
/// | rejected                      | waits for the user | as if unreachable after `maximumRejections` in a row |
///
/// If it concerns only some users (`ShareFailure.users`), their days are due again, and the others are not affected.
///
/// A destination waits 1, 2, 4, 8, 16, 32, 64, 128 and 256 minutes after the first nine failures in a row and 6 hours
/// after each further one, or as long as the server requests if that is longer (`maximumWait` at most).
///
/// After an attempt without an answer, if a second delivery would do harm, the destination is asked about the day, for
/// at least `processingTime`. When a day may first be sent: `HeldDay`.
public enum ShareRetry {
    /// The wait between attempts at a destination: at most six hours, so that a nightly sync always finds its
    /// destinations due.
    private static let backoff = ExponentialBackoff(first: .seconds(60), longest: .seconds(6 * 3600))

    /// Seconds. A longer wait that a server requests is limited to this.
    public static let maximumWait = 86_400

    /// Rejections in a row after which the other days wait as after a failure: most likely the destination refuses
    /// something that all days have in common.
    package static let maximumRejections = 3

    /// Seconds after an attempt without an answer during which the server may still be processing it: a day that is not
    /// found there may yet appear. A proxy usually gives a request one minute (nginx: `proxy_read_timeout`), and istep
    /// itself waits no longer than that (`HTTPLimits.whole`); this is twice as much.
    package static let processingTime = 120

    /// When the day of a failed delivery is due again; nil if the user has to act first. The wait of its destination
    /// has to pass, too.
    package static func nextAttempt(ofDayAfter failure: ShareFailure, at now: Timestamp) -> Timestamp? {
        failure.kind == .rejected ? nil : now
    }

    /// What a failed delivery means for the other days of a destination.
    package enum Consequence: Equatable {
        case unaffected
        /// They wait (`wait`).
        case delayed
        /// They wait until the user acts.
        case stopped
    }

    package static func consequence(of failure: ShareFailure) -> Consequence {
        switch failure.kind {
        // A rejection concerns one day, and a wrong configuration has to be fixed by the user: there is no time to
        // wait.
        case .rejected, .misconfigured: .unaffected
        case .credentials: .stopped
        case .unreachable, .busy, .unanswered: .delayed
        }
    }

    /// Seconds for which a destination waits.
    ///
    /// - Parameter failures: number of failures in a row, including this one.
    package static func wait(after failure: ShareFailure, failures: Int) -> Int {
        max(backoff.seconds(after: failures), min(failure.retryAfter ?? 0, maximumWait))
    }
}
