extension Settings {
    /// Gathers the settings from files, environment and flags. Where no file is there, nothing is parsed.
    ///
    /// What is in the tables of destinations is not looked at: that is for whoever reads them.
    ///
    /// - Parameters:
    ///   - flags: what the command line sets.
    ///   - environment: of the process.
    ///   - paths: where files are; by default those of `environment`.
    /// - Throws: the first of what `check` finds.
    public static func load(
        flags: SettingFlags = SettingFlags(), environment: [String: String], paths: Paths? = nil
    ) throws(SettingsError) -> Settings {
        let check = check(flags: flags, environment: environment, paths: paths)
        if let first = check.problems.first { throw first }
        guard let settings = check.settings else { throw .noHome }
        return settings
    }

    /// The same, but everything that is wrong is gathered instead of ending with the first.
    public static func check(
        flags: SettingFlags = SettingFlags(), environment: [String: String], paths: Paths? = nil
    ) -> SettingsCheck {
        let paths = paths ?? Paths(environment: environment)
        // An empty variable is as good as none, as it is for the XDG ones.
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

        var reader = SettingsReader(home: paths.home)
        reader.read(path: paths.systemConfig)
        if let path = paths.userConfig { reader.read(path: path) }
        if let path = flags.config {
            reader.read(path: path, namedBy: .flag("--config"))
        } else if let path = variable("ISTEP_CONFIG") {
            reader.read(path: path, namedBy: .environment("ISTEP_CONFIG"))
        }
        if let path = variable("ISTEP_DB") { reader.set(database: path, .environment("ISTEP_DB")) }
        if let user = flags.user { reader.set(.user, user, .flag("--user")) }
        if let adapter = flags.adapter { reader.set(.adapter, adapter, .flag("--adapter")) }
        if let path = flags.database { reader.set(database: path, .flag("--db")) }
        if let seconds = flags.timeout { reader.set(timeout: seconds, .flag("--timeout")) }
        return SettingsCheck(reader, standardDatabase: paths.database)
    }
}
