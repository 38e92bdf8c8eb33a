import StepDomain
internal import Support

/// Restoring what a destination lost on its own.
extension OutboxDelivery {
    /// Sends the destination the latest day of each user again, because the ledger does not record that the destination
    /// lost it.
    ///
    /// Sends only days whose current figures equal the confirmed ones; other days are due and are sent as usual. If the
    /// destination cannot be reached, nothing is lost: the next share does the same.
    func restore(_ run: inout Run) async throws {
        guard !run.isOver, isReady(run) else { return }
        let payloads = try await blocking { try payloadsToRestore() }
        if payloads.isEmpty { return }
        do throws(ShareFailure) {
            try await destination.restore(payloads)
        } catch {
            // The other failures pass without action by the user.
            guard error.kind == .credentials || error.kind == .misconfigured else { return }
            let failure = error.naming(destination.secretPlace)
            run.report.failure = failure
            run.report.state.fail(failure, at: now())
            try await blocking { [state = run.report.state] in try ledger.record(state) }
        }
    }

    /// Makes all days of the users due of whom the destination has lost what it confirmed, such as a statistic that was
    /// cleared there.
    ///
    /// If the destination cannot be asked, the deliveries report that, and the next share asks again.
    ///
    /// - Returns: number of these days.
    func sendLostAgain(_ run: Run) async throws -> Int {
        guard isReady(run) else { return 0 }
        let firsts = try await blocking { try firstDays() }
        guard !firsts.isEmpty, let lost = try? await destination.lost(firsts), !lost.isEmpty else { return 0 }
        return try await blocking {
            let entries = try confirmedEntries().filter { lost.contains($0.user) }
            try ledger.record(
                entries.map { entry in
                    var entry = entry
                    entry.lose(at: now())
                    return entry
                })
            return entries.count
        }
    }

    private func confirmedEntries() throws -> [ShareEntry] {
        try ledger.entries(for: destination.name, in: [.sent]).filter(\.isConfirmed)
    }

    /// Read a few at a time: most users have steps on the first one.
    private func firstDays() throws -> [SharePayload] {
        let confirmed = try confirmedEntries()
        return try users.compactMap { user in
            var rest = confirmed.filter { $0.user == user.id }.sorted { $0.day < $1.day }[...]
            while !rest.isEmpty {
                let part = Array(rest.prefix(16)), contents = try contents(of: part)
                for entry in part {
                    guard let day = contents[UserDay(entry)], day.steps > 0 else { continue }
                    let content = traits.fingerprint(of: day)
                    if content == entry.confirmed { return SharePayload(day, entry, content: content, slugs: slugs) }
                }
                rest = rest.dropFirst(16)
            }
            return nil
        }
    }

    private func payloadsToRestore() throws -> [SharePayload] {
        // As for `latestDays`.
        let confirmed = try confirmedEntries().filter { $0.day <= today.advanced(by: 1) }
        let latest = users.compactMap { user in confirmed.filter { $0.user == user.id }.max { $0.day < $1.day } }
        let contents = try contents(of: latest)
        return latest.compactMap { entry in
            contents[UserDay(entry)].flatMap { day in
                let fingerprint = traits.fingerprint(of: day)
                return fingerprint == entry.confirmed
                    ? SharePayload(day, entry, content: fingerprint, slugs: slugs) : nil
            }
        }
    }
}
