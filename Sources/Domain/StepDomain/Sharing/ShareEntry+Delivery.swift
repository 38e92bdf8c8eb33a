extension ShareEntry {
    /// What the error of a day begins with whose user the destination does not accept.
    private static let refusedUser = "only the days of this user wait: "

    /// Begins an attempt. The entry has to be stored before anything is sent.
    package mutating func begin(_ content: String, at now: Timestamp) {
        if fingerprint != content || firstAttempt == nil { firstAttempt = now }
        fingerprint = content
        state = .sending
        // The error of an earlier attempt does not apply to this one.
        lastError = nil
        attempts += 1
        changedAt = now
    }

    /// The server has it.
    ///
    /// - Parameter recheckAt: when the day's figures must be checked again even if the history has not changed: at the
    ///   end of a day in progress.
    package mutating func confirm(_ receipt: ShareReceipt, recheckAt: Timestamp?, at now: Timestamp) {
        if confirmed != nil, confirmed != fingerprint { repetition += 1 }
        confirmed = fingerprint
        remoteID = receipt.remoteID ?? remoteID
        settle(recheckAt: recheckAt, at: now)
    }

    package mutating func settle(recheckAt: Timestamp? = nil, at now: Timestamp) {
        state = .sent
        isRequested = false
        attempts = 0
        firstAttempt = nil
        lastError = nil
        nextAttempt = recheckAt
        changedAt = now
    }

    /// - Parameter moment: nil if only a change makes it due.
    package mutating func hold(until moment: Timestamp?) { nextAttempt = moment }

    /// It is not sent until its steps become plausible or the user requests it. What was sent before may still have
    /// arrived.
    ///
    /// - Returns: whether the user does not know this yet. A day in progress that goes on growing is reported once.
    package mutating func withhold(_ content: String, at now: Timestamp) -> Bool {
        nextAttempt = nil
        let isKnown = isWithheld
        (lastError, cause) = (Self.implausibleSteps, .implausibleSteps)
        guard state != .unknown else { return !isKnown }
        fingerprint = content
        firstAttempt = nil
        state = .rejected
        if !isKnown { changedAt = now }
        return !isKnown
    }

    /// The attempt was not carried out, or its result is not known. It stays due; the state of its destination decides
    /// when.
    ///
    /// - Parameter before: its state before the attempt: unknown only if the later of two deliveries replaces the
    ///   earlier (`decision`).
    package mutating func fail(_ failure: ShareFailure, before: State, at now: Timestamp) {
        lastError =
            failure.users == nil
            ? failure.reason
            : Self.refusedUser + ([failure.reason, failure.advice].compactMap(\.self).joined(separator: ". "))
        cause = failure.users == nil ? nil : .refusedUser
        changedAt = now
        nextAttempt = ShareRetry.nextAttempt(ofDayAfter: failure, at: now)
        if failure.isPartial { confirmed = Self.unknownContent }
        switch failure.kind {
        // This attempt did not arrive; the one before it may have.
        case .unreachable, .busy, .credentials, .misconfigured: state = before == .unknown ? .unknown : .pending
        case .unanswered: state = .unknown
        case .rejected:
            // The attempt before it may have arrived.
            if before == .unknown { confirmed = Self.unknownContent }
            state = .rejected
        }
    }

    /// Found in state `sending` while no process sends: the sending process was killed. `changedAt` remains the time of
    /// the attempt.
    package mutating func abandon(at now: Timestamp) {
        state = .unknown
        lastError = lastError ?? "interrupted while it was being sent"
        nextAttempt = now
    }

    /// Seconds until the server can no longer be processing the last attempt; 0 if this time is over. A remote id means
    /// that the last attempt was a correction of something that exists, which does no harm when it is repeated.
    package func processingTimeLeft(at now: Timestamp) -> Int {
        // After a clock was set back, the time of the attempt can lie ahead of now: then nothing can be calculated from
        // it.
        guard state == .unknown, remoteID == nil, (0..<ShareRetry.processingTime).contains(now - changedAt) else {
            return 0
        }
        return ShareRetry.processingTime - (now - changedAt)
    }

    /// The server does not have what was attempted: the attempt counts as not made.
    package mutating func notArrived(at now: Timestamp) {
        state = .pending
        // What is there has a remote id, and may be what was attempted: an edit is not searched for.
        confirmed = remoteID == nil ? nil : Self.unknownContent
        firstAttempt = nil
        nextAttempt = now
        changedAt = now
    }

    /// Only the user can find out whether it arrived.
    package mutating func leaveToUser(_ reason: String, at now: Timestamp) {
        state = .unknown
        lastError = reason
        nextAttempt = nil
        changedAt = now
    }

    /// The user wants the entry tried again now, even if it may have arrived.
    ///
    /// - Parameters:
    ///   - canFind: whether the destination can be asked first. Then the day is sent at the user's risk only after the
    ///     destination was asked without a result.
    ///   - isNamed: whether the user named this day. If not, a day that is held until it is over or complete stays
    ///     held, and one whose steps are not plausible stays withheld.
    public mutating func retry(at now: Timestamp, canFind: Bool, isNamed: Bool) {
        if !isNamed, state == .pending {
            // Before the first attempt only the day itself makes it wait, not the destination.
            if attempts > 0 { becomeDue(now) }
            return
        }
        if !isNamed, state == .rejected {
            // The rejected content counts as new.
            fingerprint = nil
            becomeDue(now)
            return
        }
        if canFind, state == .sending || (state == .unknown && nextAttempt != nil) {
            abandon(at: now)
            isRequested = true
            return
        }
        if state == .unknown, confirmed != nil { confirmed = Self.unknownContent }
        sendNow(now)
    }

    private mutating func sendNow(_ now: Timestamp) {
        isRequested = true
        becomeDue(now)
    }

    private mutating func becomeDue(_ now: Timestamp) {
        state = .pending
        firstAttempt = nil
        nextAttempt = now
        changedAt = now
    }

    /// The user wants the day sent as if it had never been sent: the destination lost it, or it was deleted there.
    public mutating func sendAgain(at now: Timestamp) {
        if confirmed != nil || fingerprint != nil { repetition += 1 }
        confirmed = nil
        fingerprint = nil
        remoteID = nil
        attempts = 0
        lastError = nil
        sendNow(now)
    }

    /// The destination has lost the day, which it had confirmed: it is sent as if it were new, when its turn comes.
    package mutating func lose(at now: Timestamp) {
        confirmed = nil
        fingerprint = nil
        remoteID = nil
        attempts = 0
        becomeDue(now)
    }

    /// The user drops the entry.
    ///
    /// - Returns: whether the entry can be removed from the ledger. An entry that the destination has, or may have, is
    ///   kept: otherwise a change of the day would be sent as if it were new.
    public mutating func drop(at now: Timestamp) -> Bool {
        if !wasSent, remoteID == nil, state == .pending || state == .rejected { return true }
        if confirmed == nil || confirmed == Self.unknownContent {
            confirmed = fingerprint ?? (wasSent ? Self.unknownContent : nil)
        }
        settle(at: now)
        return false
    }
}
