import Foundation

extension Settings {
    /// Gathers the settings from files, environment and flags. Where no file is there, nothing is parsed.
    ///
    /// - Parameters:
    ///   - flags: what the command line sets.
    ///   - environment: of the process.
    ///   - paths: where files are; by default those of `environment`.
    public static func load(
        flags: SettingFlags = SettingFlags(), environment: [String: String], paths: Paths? = nil
    ) throws(SettingsError) -> Settings {
        let paths = paths ?? Paths(environment: environment)
        // An empty variable is as good as none, as it is for the XDG ones.
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

        var reader = SettingsReader(home: paths.home)
        try reader.read(path: paths.systemConfig)
        if let path = paths.userConfig { try reader.read(path: path) }
        if let path = flags.config {
            try reader.read(path: path, namedBy: .flag("--config"))
        } else if let path = variable("ISTEP_CONFIG") {
            try reader.read(path: path, namedBy: .environment("ISTEP_CONFIG"))
        }
        if let path = variable("ISTEP_DB") { reader.database = Sourced(path, .environment("ISTEP_DB")) }
        if let user = flags.user { try reader.set(.user, user, .flag("--user")) }
        if let adapter = flags.adapter { try reader.set(.adapter, adapter, .flag("--adapter")) }
        if let path = flags.database { reader.database = Sourced(path, .flag("--db")) }
        if let seconds = flags.timeout { try reader.set(timeout: seconds, .flag("--timeout")) }

        guard let database = reader.database ?? paths.database.map({ Sourced($0, .standard) }) else { throw .noHome }
        return Settings(
            user: reader.user, adapter: reader.adapter, database: database,
            timeout: reader.timeout ?? Sourced(standardTimeout, .standard))
    }
}
