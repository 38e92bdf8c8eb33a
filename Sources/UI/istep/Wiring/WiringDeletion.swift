import Settings
import StepDatabase
import StepDomain
import StepServices

/// What commands that delete and move work with.
extension Wiring {
    /// - Throws: `HistoryError.missing` if there is no history and `use` does not create one.
    func deletionStore(for use: HistoryUse) throws(HistoryError) -> Deleting.Store {
        if use == .updating { return try StepDatabase.existing(databasePath, backups: backups) }
        return try StepDatabase(
            path: databasePath, for: use == .reading ? .reading : .writing, backups: backups, isUsedByTasks: true)
    }

    func deleting(_ store: Deleting.Store) -> Deleting {
        Deleting(
            store, backups: HistoryFileBackups(path: databasePath, backups: backups, now: now, localTime: localTime),
            lock: HistoryLock(path: databasePath), destinations: { try destinations() }, localTime: localTime, now: now)
    }

    /// - Throws: `HistoryError.missing` if there is no history.
    func movingStore() throws(HistoryError) -> Moving.Store {
        try StepDatabase.existing(databasePath, backups: backups)
    }

    func moving(_ store: Moving.Store) -> Moving {
        Moving(
            store, backups: HistoryFileBackups(path: databasePath, backups: backups, now: now, localTime: localTime),
            lock: HistoryLock(path: databasePath), destinations: { try destinations() }, localTime: localTime, now: now)
    }

    func users(_ store: Deleting.Store) -> Users {
        Users(store, destinations: { try destinations() }, localTime: localTime, now: now)
    }

    /// The settings that name a user: `user`, and the users of destinations and imports.
    func settingsNaming(_ user: User) -> [String] {
        func names(_ name: String?) -> Bool { name?.lowercased() == user.name.lowercased() }
        let ofDestinations = (try? destinations())?.filter { $0.terms.users?.contains(where: names) == true } ?? []
        let ofImports = Self.scheduledImports(settings.imports, environment).plans.filter { names($0.user) }
        // Of the command line, the next command has another one.
        let isConfigured = if case .flag(_)? = settings.user?.source { false } else { names(settings.user?.value) }
        return (isConfigured ? ["user"] : [])
            + ofDestinations.map { "[share.\($0.name)]" } + ofImports.map { "[import.\($0.name)]" }
    }
}
