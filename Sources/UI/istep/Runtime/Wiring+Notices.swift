import StepDomain

extension Wiring {
    /// Finds out what holds now, and keeps it until it has been told.
    ///
    /// - Parameters:
    ///   - reports: of the run that has just ended.
    ///   - watchedSince: since when a watch has listened for each pedometer without a break, where one does.
    func keepNotices(
        in history: SharingRun.History, reports: [SyncReport] = [], watchedSince: [Pedometer.ID: Timestamp] = [:]
    ) throws -> StandingNotices {
        // Where the configuration does not hold, whoever shares says so.
        try StepDataService(history: history, ledger: history, localTime: localTime, now: now)
            .keepNotices(in: history, reports: reports, destinations: try? destinations().map(\.name), watchedSince: watchedSince)
    }
}
