import StepDomain

/// The pedometers, in the air and in the history.
extension Doctor {
    /// Scans: whether the adapter can, and which devices are in range.
    func scan(_ known: EarlierResults) -> Check {
        let seconds = request.searchTime
        return Check("scan", .pedometers, .scan, needs: ["power"], limit: .seconds(seconds + 40)) {
            guard request.usesRadio else { return [.scan(.notRequested)] }
            guard let session = known.session else { return [] }
            if let holder = try await history?.holder(of: .syncing) { return [.scan(.inUse(holder))] }
            let facts = try await session.scan(seconds: seconds, for: Set((known.pedometers ?? []).map(\.address)))
            known.scan = facts
            return facts.diagnoses(registered: known.pedometers?.count, seconds: Int(seconds))
        }
    }

    /// What the history contains about a pedometer.
    func lastSyncs(of pedometer: Pedometer, _ known: EarlierResults) -> Check {
        Check("syncs", .pedometers, .pedometer(pedometer.name), needs: ["history"]) {
            guard let history = known.history else { return [] }
            let syncs = try await blocking { try history.syncs(of: pedometer.id, limit: Self.syncsRead) }
            return SyncHistoryFacts(pedometer: pedometer, syncs: syncs, now: now()).diagnoses
        }
    }

    /// A month of nightly syncs: more attempts than that in a row are not counted.
    private static let syncsRead = 30

    /// Connects to a pedometer, checks its services, and reads its battery and its clock.
    func connection(to pedometer: Pedometer, _ known: EarlierResults) -> Check {
        // Three attempts to connect, each of which the kernel ends after 20 s, and the scan before them.
        Check("pedometer", .pedometers, .pedometer(pedometer.name), needs: ["scan", "history"], limit: .seconds(120)) {
            guard let scan = known.scan, let history else { return [.pedometer(pedometer.name, .notTried)] }
            let facts = PedometerFacts(pedometer: pedometer, heard: scan.pedometers[pedometer.address])
            do {
                // Two concurrent connections to one pedometer disturb each other.
                let report = try await history.withoutSync { try await bluetooth.examine(pedometer, isHeard: facts.heard != nil) }
                return facts.diagnoses(of: report)
            } catch let error as PedometerContactError {
                return [facts.diagnosis(of: error)]
            } catch let error as HistoryInUse {
                return [.pedometer(pedometer.name, .inUse(error.holder))]
            }
        }
    }
}
