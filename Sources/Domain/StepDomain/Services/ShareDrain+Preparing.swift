/// What to do with entries that are due.
extension ShareDrain {
    func prepare(
        _ due: ShareEntry, _ content: SharedDay?, at moment: Timestamp, _ settled: inout [ShareEntry],
        _ begun: inout [Shipment], _ run: inout Run
    ) async throws {
        var entry = due
        guard let day = content else {
            // A correction was taken back, or the day was asked for in vain.
            if entry.drop(at: moment) { try ledger.remove(entry) } else { settled.append(entry) }
            return run.note(entry, .nothingKnown)
        }
        if let latest = run.latest[entry.user], entry.day < latest {
            entry.settle(at: moment)
            run.note(entry, .passed)
            return settled.append(entry)
        }
        let content = day.fingerprint
        var step = entry.step(content, traits, readyAt: readyAt(day.summary), now: moment)
        if step == .find {
            guard try await find(&entry, day, content, &run) else { return settled.append(entry) }
            // What was unclear is settled, so that this cannot ask to find it again.
            step = entry.step(content, traits, readyAt: readyAt(day.summary), now: moment)
        }
        let before = entry
        switch step {
        case .send:
            entry.begin(content, at: moment)
            return begun.append(Shipment(before: before, entry: entry, parcel: ShareParcel(day, entry, content: content)))
        case .settled:
            run.note(entry, entry.confirmed == content ? .unchanged : .fixed)
            entry.settle(lookAgain: lookAgain(day.summary), at: moment)
        case .hold(let until):
            run.note(entry, .held(until: until))
            entry.hold(until: until)
        case .ask, .find:
            entry.ask(entry.lastError ?? Self.untold, at: moment)
            run.note(entry, .doubtful(reason: entry.lastError ?? Self.untold))
        case .leave:
            entry.hold(until: nil)
            run.note(entry, .rejected(reason: entry.lastError ?? "no reason given"))
        }
        settled.append(entry)
    }

    private static let untold = "it cannot be told whether it arrived"

    /// Asks what became of an attempt without an answer.
    ///
    /// - Returns: whether it is clear now; if not, the entry is left as it is to be stored.
    private func find(_ entry: inout ShareEntry, _ day: SharedDay, _ content: String, _ run: inout Run) async throws -> Bool {
        do throws(ShareFailure) {
            switch try await destination.find(ShareParcel(day, entry, content: content)) {
            case .arrived(let receipt):
                entry.confirm(receipt, lookAgain: nil, at: now())
                return true
            case .absent:
                entry.notArrived(at: now())
                return true
            case .unclear:
                entry.ask(entry.lastError ?? Self.untold, at: now())
                run.note(entry, .doubtful(reason: entry.lastError ?? Self.untold))
                return false
            }
        } catch {
            run.report.state.fail(error, at: now())
            run.report.failure = error
            run.isOver = true
            entry.lastError = error.reason
        }
        run.note(entry, .unknown(reason: entry.lastError ?? Self.untold))
        return false
    }

    struct ContentKey: Hashable {
        let user: User.ID
        let day: Day

        init(_ entry: ShareEntry) { (user, day) = (entry.user, entry.day) }
    }

    /// What there is to share of each, read at once; without those of which nothing is known.
    func contents(of entries: [ShareEntry]) throws -> [ContentKey: SharedDay] {
        var contents: [ContentKey: SharedDay] = [:]
        for user in users {
            let mine = entries.filter { $0.user == user.id }
            for (entry, data) in zip(mine, try history.stepData(of: user, on: mine.map(\.day))) {
                let summary = DaySummary(data, localTime: localTime, now: now())
                let tracks = traits.wantsSamples ? data.tracks.map { SharedDay.Track(pedometer: $0.name, samples: $0.samples) } : []
                contents[ContentKey(entry)] = SharedDay(summary, tracks: tracks)
            }
        }
        return contents
    }

    /// From when on a day may go out by itself; nil for at once.
    private func readyAt(_ summary: DaySummary) -> Timestamp? {
        if destination.terms.takesUnfinishedDays ?? traits.takesUnfinishedDays { return nil }
        let end = localTime.span(of: summary.day).end
        if summary.isRunning { return end }
        return summary.completeness == .complete ? nil : end + Self.patience
    }

    func lookAgain(_ summary: DaySummary) -> Timestamp? {
        summary.isRunning ? localTime.span(of: summary.day).end : nil
    }
}
