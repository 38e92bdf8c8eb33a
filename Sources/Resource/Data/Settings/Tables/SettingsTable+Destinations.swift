extension SettingsTable {
    static let expectedDestination = "a table, [share.NAME], with the keys of one destination"

    /// What a name of a destination has to be, in words for the user.
    static let expectedName = "1 to 32 characters of a-z, A-Z, 0-9, - and _"

    /// Whether a destination can have this name: one that needs no quotes in TOML, in a shell and in a file's name.
    static func isName(_ name: String) -> Bool { isBare(name) && name.utf8.count <= 32 }

    /// The destinations of a TOML document, by name, for what is no file yet.
    ///
    /// - Parameter path: of the file that errors are to name.
    public static func destinations(in text: String, path: String) throws(SettingsProblems) -> [SettingsTable] {
        var reader = SettingsReader(home: nil)
        var problems: [SettingsError] = []
        do {
            reader.read(try ConfigFile(text: text, path: path))
            problems = reader.problems
        } catch {
            problems = [error]
        }
        if let problems = SettingsProblems(problems) { throw problems }
        return reader.destinations.values.sorted { $0.name < $1.name }
    }
}
