/// What a look through all the configuration has found.
public struct SettingsCheck: Hashable, Sendable {
    /// The files that were read, in the order in which they replace one another.
    public let files: [String]
    /// Everything that is wrong: file by file, in the order of lines. What is wrong within the tables of destinations
    /// is not among it: that is found by whoever reads them.
    public let problems: [SettingsError]
    /// The tables of destinations that can be read, by name, also where other things are wrong.
    public let destinations: [SettingsTable]
    /// Nil where something is wrong.
    public let settings: Settings?
    /// All that can be read, also where other things are wrong: for whoever looks for what is wrong. Nil where not even a place
    /// for the history is known.
    public let readable: Settings?

    init(_ reader: SettingsReader, standardDatabase: String?) {
        let database = reader.database ?? standardDatabase.map { Sourced($0, .standard) }
        // A file can be named twice, and then all in it is wrong twice.
        var seen: Set<SettingsError> = []
        var problems = reader.problems.filter { seen.insert($0).inserted }
        if database == nil { problems.append(.noHome) }
        self.problems = problems
        files = reader.files
        destinations = reader.destinations.values.sorted { $0.name < $1.name }
        readable = database.map { [files, destinations] in
            Settings(
                user: reader.user, adapter: reader.adapter, database: $0,
                timeout: reader.timeout ?? Sourced(Settings.standardTimeout, .standard),
                notifications: reader.notifications ?? Sourced(true, .standard),
                destinations: destinations, files: files)
        }
        settings = problems.isEmpty ? readable : nil
    }
}
