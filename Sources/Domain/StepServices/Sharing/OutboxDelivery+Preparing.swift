import StepDomain
internal import Support

/// What to do with entries that are due.
extension OutboxDelivery {
    enum Preparation {
        /// It is not in the ledger any more.
        case removed
        /// To be stored: nothing is sent now.
        case settled(ShareEntry)
        /// To be stored and then sent.
        case begun(Item)
    }

    /// - Parameter content: nil if nothing is known of the day.
    func prepare(
        _ due: ShareEntry, _ content: SharedDay?, at moment: Timestamp, _ run: inout Run
    ) async throws -> Preparation {
        var entry = due
        guard let day = content, day.isShared(by: due, traits) else {
            // A correction was removed, a day was deleted that the destination does not have, or the user requested a
            // day without data.
            let isRemoved = entry.drop(at: moment)
            if isRemoved { try await blocking { [entry] in try ledger.remove(entry, evenIfEnqueued: false) } }
            run.note(entry, .nothingKnown)
            return isRemoved ? .removed : .settled(entry)
        }
        if let latest = run.latest[entry.user], entry.day < latest {
            entry.settle(at: moment)
            run.note(entry, .passed)
            return .settled(entry)
        }
        let content = traits.fingerprint(of: day), isPlausible = day.summary.isPlausible
        func decided() -> ShareEntry.SendDecision {
            entry.decision(content, traits, readyAt: readyAt(day.summary), isPlausible: isPlausible, now: moment)
        }
        var decision = decided()
        if decision == .find {
            guard try await find(&entry, day, content, &run) else { return .settled(entry) }
            // The unclear attempt is resolved by now, so it cannot be `find` again.
            decision = decided()
        }
        let before = entry
        switch decision {
        case .send:
            entry.begin(content, at: moment)
            return .begun(
                Item(before: before, entry: entry, payload: SharePayload(day, entry, content: content, slugs: slugs)))
        case .settled:
            run.note(entry, entry.confirmed == content ? .unchanged : .fixed)
            entry.settle(recheckAt: recheck(day.summary), at: moment)
        case .hold(let until):
            run.note(entry, .held(until: until))
            entry.hold(until: until)
        case .withhold:
            if entry.withhold(content, at: moment) { run.note(entry, .withheld) }
        case .unresolved, .find:
            entry.leaveToUser(entry.lastError ?? Self.unknownArrival, at: moment)
            run.note(entry, .doubtful(reason: entry.lastError ?? Self.unknownArrival))
        case .leave:
            entry.hold(until: nil)
            // A day that is withheld was reported when that began.
            if !entry.isWithheld { run.note(entry, .rejected(reason: entry.lastError ?? "no reason given")) }
        }
        return .settled(entry)
    }

    private static let unknownArrival = "it is not known whether it arrived"

    /// Asks the destination what happened to an attempt without an answer.
    ///
    /// - Returns: whether the result is known now; if not, the entry has the state that must be stored.
    private func find(_ entry: inout ShareEntry, _ day: SharedDay, _ content: String, _ run: inout Run) async throws
        -> Bool
    {
        do throws(ShareFailure) {
            switch try await destination.find(SharePayload(day, entry, content: content, slugs: slugs)) {
            case .arrived(let receipt):
                entry.confirm(receipt, recheckAt: nil, at: now())
                return true
            case .absent:
                let left = entry.processingTimeLeft(at: now())
                guard left == 0 else {
                    throw ShareFailure(
                        .busy,
                        "\(entry.day) is not there yet, but may still appear: its answer was lost less than "
                            + "\(ShareRetry.processingTime) s ago", retryAfter: left)
                }
                entry.notArrived(at: now())
                return true
            case .unclear:
                entry.leaveToUser(entry.lastError ?? Self.unknownArrival, at: now())
                run.note(entry, .doubtful(reason: entry.lastError ?? Self.unknownArrival))
                return false
            }
        } catch {
            // The search is refused as such: the next attempt would end in the same way, and the other days would wait
            // for this one.
            if error.kind == .rejected {
                entry.leaveToUser(error.reason, at: now())
                run.note(entry, .doubtful(reason: error.reason))
                return false
            }
            let failure = error.naming(destination.secretPlace)
            run.report.state.fail(failure, at: now())
            run.report.failure = failure
            run.isOver = true
            entry.lastError = failure.reason
        }
        run.note(entry, .unknown(reason: entry.lastError ?? Self.unknownArrival))
        return false
    }

    /// The content to share of each entry, read together; entries of days without data are left out.
    func contents(of entries: [ShareEntry]) throws -> [UserDay: SharedDay] {
        var contents: [UserDay: SharedDay] = [:]
        for user in users {
            let mine = entries.filter { $0.user == user.id }
            if mine.isEmpty { continue }
            let person = try history.person(of: user, for: traits)
            for (entry, data) in zip(mine, try history.dayData(of: user, on: mine.map(\.day))) {
                contents[UserDay(entry)] = SharedDay(
                    data, person, for: traits, localTime: localTime, now: now())
            }
        }
        return contents
    }

    /// When a day may first be sent without a request by the user; nil for immediately.
    private func readyAt(_ summary: DaySummary) -> Timestamp? {
        HeldDay.end(
            summary, acceptsUnfinishedDays: destination.terms.acceptsUnfinishedDays ?? traits.acceptsUnfinishedDays,
            localTime)
    }

    /// When a day must be checked again even if the history does not change: at its end, if it is in progress.
    func recheck(_ summary: DaySummary) -> Timestamp? {
        summary.isInProgress ? localTime.span(of: summary.day).end : nil
    }
}
