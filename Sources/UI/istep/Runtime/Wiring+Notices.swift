import StepDomain

extension Wiring {
    /// Finds out what holds now, and keeps it until it has been told.
    ///
    /// - Parameters:
    ///   - reports: of the run that has just ended.
    ///   - listening: of a watch, where there is one.
    func keepNotices(
        in history: SharingRun.History, reports: [SyncReport] = [], listening: Listening = Listening()
    ) throws -> StandingNotices {
        // Where the configuration does not hold, whoever shares says so.
        try StepDataService(history: history, ledger: history, localTime: localTime, now: now)
            .keepNotices(in: history, reports: reports, destinations: try? destinations().map(\.name), listening: listening)
    }
}
