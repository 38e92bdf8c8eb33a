package import Backoff

/// When sharing is attempted again. What failed decides which of these holds:
///
/// - A destination that cannot be reached, is busy or does not answer: `backoff`, or the wait that the server requests. All its days wait
///   (`DestinationState.fail`).
/// - Rejected credentials: only after the user acts (`DestinationState.stopped`).
/// - A rejected day: that day waits for the user (`ShareEntry.fail`); after `mostRejections` in a row, the others wait as after a failure.
/// - An attempt without an answer, where a second delivery would do harm: the destination is asked, for `processingTime` at least.
/// - A day with gaps: `delayOfIncompleteDays`.
public enum ShareRetry {
    /// Between attempts at a destination. At most six hours, so that a nightly sync always finds its destinations due.
    package static let backoff = ExponentialBackoff(first: .seconds(60), longest: .seconds(6 * 3600))

    /// Seconds. A longer wait that a server requests is limited to this.
    public static let longestWait = 86_400

    /// Rejections in a row after which the other days wait as after a failure: most likely the destination refuses something
    /// that all days have in common.
    package static let mostRejections = 3

    /// Seconds after an attempt without an answer during which the server may still be processing it: a day that is not found there
    /// may yet appear. A proxy usually gives a request one minute (nginx: `proxy_read_timeout`), and istep itself waits no longer than
    /// that (`HTTPLimits.whole`); this is twice as much.
    package static let processingTime = 120

    /// Seconds after the end of a day for which a day with gaps waits for the sync that may fill them: two nights.
    package static let delayOfIncompleteDays = 36 * 3600
}
