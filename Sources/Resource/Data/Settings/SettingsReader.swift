internal import StepDomain
internal import Support

/// Reads settings, layer by layer, and checks each. Problems are collected, and a setting with a problem keeps its
/// earlier value.
struct SettingsReader {
    private(set) var user: Sourced<String>?
    private(set) var adapter: Sourced<String>?
    private(set) var database: Sourced<String>?
    private(set) var timeout: Sourced<Double>?
    private(set) var notifications: Sourced<Bool>?
    private(set) var weekStart: Sourced<String>?
    private(set) var units: Sourced<String>?
    private(set) var restartsAdapter: Sourced<Bool>?
    private(set) var recovers: Sourced<Bool>?
    private(set) var backups: Sourced<Int>?
    private(set) var frames: Sourced<Int?>?
    private(set) var destinations: [String: SettingsTable] = [:]
    private(set) var imports: [String: SettingsTable] = [:]
    /// The existing files, in the order in which they were read.
    private(set) var files: [String] = []
    private(set) var problems: [SettingsError] = []
    /// What `~` stands for.
    let home: String?

    /// More problems of one file than a user corrects before the next check.
    static let maximumProblems = 100
    /// The total number of problems at which the file that is being read has reached its limit.
    private var fullAt = Int.max

    init(home: String?) { self.home = home }

    mutating func set(_ key: SettingKey, _ text: String, _ source: SettingSource) {
        gather { reader throws(SettingsError) in try reader.take(key, text, source) }
    }

    mutating func set(timeout seconds: Double, _ source: SettingSource) {
        gather { reader throws(SettingsError) in try reader.take(timeout: seconds, source) }
    }

    /// The path is not changed: on the command line and in the environment a relative path refers to the working
    /// directory of the command.
    mutating func set(database path: String, _ source: SettingSource) { database = Sourced(path, source) }

    /// - Parameter source: the source that names the file; the file must then exist.
    mutating func read(path: String, namedBy source: SettingSource? = nil) {
        gather { reader throws(SettingsError) in
            if let file = try ConfigFile(path) {
                reader.read(file)
            } else if let source {
                throw .missing(path: path, namedBy: source)
            }
        }
    }

    mutating func read(_ file: ConfigFile) {
        files.append(file.path)
        let before = problems.count
        fullAt = before + Self.maximumProblems
        for (name, entry) in file.entries.byLine where problems.count < fullAt {
            gather { reader throws(SettingsError) in try reader.take(name, entry, file.path) }
        }
        problems[before...].sortByLine()
        if problems.count >= fullAt { problems.append(.andMore(path: file.path)) }
    }

    private mutating func gather(_ step: (inout SettingsReader) throws(SettingsError) -> Void) {
        do {
            try step(&self)
        } catch {
            problems.append(error)
        }
    }

    private mutating func take(_ name: String, _ entry: SettingEntry, _ path: String) throws(SettingsError) {
        guard let key = SettingKey(rawValue: name) else {
            throw .unknownKey(name, path: path, line: entry.line, nearest: SettingKey.nearest(to: name)?.rawValue)
        }
        let source = SettingSource.file(path, line: entry.line)
        switch (key, entry.value) {
        case (.share, .table(let tables)):
            for (name, entry) in tables.byLine where problems.count < fullAt {
                gather { reader throws(SettingsError) in try reader.take(destination: name, entry, path) }
            }
        case (.import, .table(let tables)):
            for (name, entry) in tables.byLine where problems.count < fullAt {
                gather { reader throws(SettingsError) in try reader.take(import: name, entry, path) }
            }
        case (.timeout, .integer(let seconds)): try take(timeout: Double(seconds), source)
        case (.timeout, .number(let seconds)): try take(timeout: seconds, source)
        case (.notifications, .flag(let isOn)): notifications = Sourced(isOn, source)
        case (.restartAdapter, .flag(let isOn)): restartsAdapter = Sourced(isOn, source)
        case (.recover, .flag(let isOn)): recovers = Sourced(isOn, source)
        case (.backups, .integer(let count)):
            guard (0...Settings.maximumBackups).contains(count) else {
                throw .badValue("\(count)", key: name, source: source, expected: key.expected)
            }
            backups = Sourced(count, source)
        case (.frames, .text(let text)):
            guard let age = Age(text) else { throw .badValue(text, key: name, source: source, expected: key.expected) }
            frames = Sourced(age.days, source)
        case (.user, .text(let text)), (.adapter, .text(let text)), (.database, .text(let text)),
            (.weekStart, .text(let text)), (.units, .text(let text)):
            try take(key, text, source)
        case (.backups, .number(let count)):
            throw .badValue(brief(count), key: name, source: source, expected: key.expected)
        case (.share, let value), (.import, let value), (.timeout, let value), (.notifications, let value),
            (.backups, let value),
            (.restartAdapter, let value), (.recover, let value):
            throw .wrongType(key: name, source: source, expected: key.expected, found: value.inWords)
        case (_, let value):
            throw .wrongType(key: name, source: source, expected: "a text: " + key.expected, found: value.inWords)
        }
    }

    private mutating func take(destination name: String, _ entry: SettingEntry, _ path: String) throws(SettingsError) {
        destinations[name] = try table(
            [SettingKey.share.rawValue, name], entry, path, SettingsTable.expectedDestination)
    }

    private mutating func take(import name: String, _ entry: SettingEntry, _ path: String) throws(SettingsError) {
        imports[name] = try table([SettingKey.import.rawValue, name], entry, path, SettingsTable.expectedImport)
    }

    private func table(_ keys: [String], _ entry: SettingEntry, _ path: String, _ expected: String)
        throws(SettingsError) -> SettingsTable
    {
        let source = SettingSource.file(path, line: entry.line)
        guard case .table(let entries) = entry.value else {
            throw .wrongType(key: dotted(keys), source: source, expected: expected, found: entry.value.inWords)
        }
        guard SettingsTable.isName(keys[1]) else { throw .badName(keys[1], table: dotted([keys[0]]), source: source) }
        return SettingsTable(path: keys, source: source, entries: entries)
    }

    private mutating func take(timeout seconds: Double, _ source: SettingSource) throws(SettingsError) {
        guard SearchTime.range.contains(seconds) else {
            throw .badValue(
                brief(seconds), key: SettingKey.timeout.rawValue, source: source, expected: SettingKey.timeout.expected)
        }
        timeout = Sourced(seconds, source)
    }

    private mutating func take(_ key: SettingKey, _ text: String, _ source: SettingSource) throws(SettingsError) {
        let bad = SettingsError.badValue(text, key: key.rawValue, source: source, expected: key.expected)
        switch key {
        case .user:
            guard !text.allSatisfy(\.isWhitespace) else { throw bad }
            user = Sourced(text, source)
        case .adapter:
            guard isAdapter(text) else { throw bad }
            adapter = Sourced(text, source)
        case .database:
            guard let path = absolutePath(text, home: home) else { throw bad }
            database = Sourced(path, source)
        case .weekStart:
            guard Weekday.allCases.contains(where: { $0.name == text.lowercased() }) else { throw bad }
            weekStart = Sourced(text.lowercased(), source)
        case .units:
            guard let system = UnitSystem(rawValue: text.lowercased()) else { throw bad }
            units = Sourced(system.rawValue, source)
        case .timeout, .notifications, .backups, .frames, .restartAdapter, .recover, .share, .import: throw bad
        }
    }

    /// The kernel's names of adapters: `hci` and a number.
    private func isAdapter(_ text: String) -> Bool {
        let number = text.dropFirst(3)
        return text.hasPrefix("hci") && (1...5).contains(number.count)
            && number.allSatisfy { $0.isASCII && $0.isNumber }
    }
}
