internal import Support
public import StepDomain

/// Imports the files that the configuration names, if they have changed: a part of the nightly sync.
///
/// Each is one transaction. There is no backup before it, as the nightly sync makes one each week, and an import can be
/// taken back.
public struct ScheduledImports: Sendable {
    private let plans: [ScheduledImport]
    private let reader: any ForeignHistoryReader
    private let store: EditableHistory
    private let lock: any WorkLock
    private let options: @Sendable (ScheduledImport) throws -> ForeignOptions
    private let words: @Sendable (ScheduledImportFailure) -> String
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - options: how a file is read; throws `ImportError.noZone`.
    ///   - words: how the history keeps a failure.
    public init(
        _ plans: [ScheduledImport], _ reader: any ForeignHistoryReader, into store: EditableHistory, lock: any WorkLock,
        options: @escaping @Sendable (ScheduledImport) throws -> ForeignOptions,
        words: @escaping @Sendable (ScheduledImportFailure) -> String,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.plans = plans
        self.reader = reader
        self.store = store
        self.lock = lock
        self.options = options
        self.words = words
        self.now = now
    }

    /// Imports those of the configuration that have changed.
    ///
    /// - Parameters:
    ///   - failures: of those that the configuration describes wrongly.
    ///   - make: opens the history.
    public static func run(
        _ plans: [ScheduledImport], failures: [ScheduledImportFailure],
        make: @escaping @Sendable () throws -> ScheduledImports
    ) async -> [ScheduledImportReport] {
        func failed(_ failure: ScheduledImportFailure) -> ScheduledImportReport {
            ScheduledImportReport(name: failure.name, outcome: .failed(failure))
        }
        let reports = failures.map(failed)
        do {
            let imports = try await blocking(make)
            return reports + (await imports.run())
        } catch {
            return reports + plans.map { failed(ScheduledImportFailure(name: $0.name, error)) }
        }
    }

    /// Imports all that have changed. One that fails does not keep the others from being read.
    public func run() async -> [ScheduledImportReport] {
        var reports: [ScheduledImportReport] = []
        for plan in plans where !Task.isCancelled {
            do {
                reports.append(try await run(plan))
            } catch {
                let failure = error as? ScheduledImportFailure ?? ScheduledImportFailure(name: plan.name, error)
                await note(failure)
                reports.append(ScheduledImportReport(name: plan.name, outcome: .failed(failure)))
            }
        }
        return reports
    }

    /// Of a folder, a file whose damage shows only when it is read is passed over like those that are not recognised.
    private func run(_ plan: ScheduledImport) async throws -> ScheduledImportReport {
        let options = try options(plan)
        var unreadable: Set<String> = [], newest: ScheduledImportFailure?
        while true {
            let found: NewestForeignFile
            do {
                let known = unreadable
                found = try await blocking { try reader.newest(in: plan.path, options, unreadable: known) }
            } catch {
                throw newest ?? error
            }
            let path = found.file.path
            do {
                return try await run(plan, found, options)
            } catch {
                let failure = ScheduledImportFailure(name: plan.name, file: path, error)
                guard (error as? ImportError)?.isDamage == true, path != plan.path,
                    unreadable.insert(path).inserted
                else { throw failure }
                newest = newest ?? failure
            }
        }
    }

    private func run(
        _ plan: ScheduledImport, _ found: NewestForeignFile, _ options: ForeignOptions
    ) async throws -> ScheduledImportReport {
        let state = try await blocking { try store.scheduledImports().first { $0.name == plan.name } }
        let moment = now()
        func report(_ outcome: ScheduledImportReport.Outcome) -> ScheduledImportReport {
            ScheduledImportReport(name: plan.name, outcome: outcome, damaged: found.damaged)
        }
        // Of what an earlier version has read, the settings are not known: they count as these. If the file were read
        // again, an import that was taken back would return.
        if let state, state.file == found.file, (state.settings ?? plan.settings) == plan.settings {
            // Also after a failure that concerned no file, such as a folder that was not mounted.
            var seen = state
            (seen.triedAt, seen.failure, seen.damaged, seen.settings) = (moment, nil, found.damaged, plan.settings)
            let stored = seen
            try await blocking { try store.store(stored) }
            return report(.unchanged)
        }
        return report(try await importFile(found, of: plan, options, at: moment))
    }

    private func importFile(
        _ found: NewestForeignFile, of plan: ScheduledImport, _ options: ForeignOptions, at moment: Timestamp
    ) async throws -> ScheduledImportReport.Outcome {
        let history = try await blocking { try reader.read(found.file.path, options) }
        return try await lock.hold(for: .syncing) {
            try await blocking { () -> ScheduledImportReport.Outcome in
                let user = try UserSelection(store, wanted: plan.user, login: "").user()
                let changes = try store.store(history, of: user, at: moment)
                if let other = changes.otherZone { throw ImportError.otherZone(other) }
                try store.store(
                    ScheduledImportState(
                        name: plan.name, file: found.file, readAt: moment, triedAt: moment, settings: plan.settings,
                        damaged: found.damaged))
                return .imported(changes)
            }
        }
    }

    /// The file counts as not read: the next sync tries again.
    private func note(_ failure: ScheduledImportFailure) async {
        let moment = now()
        try? await blocking {
            var state =
                try store.scheduledImports().first { $0.name == failure.name }
                ?? ScheduledImportState(name: failure.name, triedAt: moment)
            (state.triedAt, state.failure, state.damaged) = (moment, String(words(failure).prefix(1000)), [])
            try store.store(state)
        }
    }
}
