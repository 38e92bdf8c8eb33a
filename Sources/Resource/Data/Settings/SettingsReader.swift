import Foundation
import TOMLKit

/// Takes settings in, layer upon layer, and checks each.
struct SettingsReader {
    var user: Sourced<String>?
    var adapter: Sourced<String>?
    var database: Sourced<String>?
    var timeout: Sourced<Double>?
    /// What `~` stands for.
    let home: String?

    init(home: String?) { self.home = home }

    /// A file that somebody named has to be there.
    mutating func read(path: String, namedBy source: SettingSource) throws(SettingsError) {
        guard try read(path: path) else { throw .missing(path: path, namedBy: source) }
    }

    /// - Returns: whether there is such a file.
    @discardableResult
    mutating func read(path: String) throws(SettingsError) -> Bool {
        guard let file = try ConfigFile(path) else { return false }
        // The first line that is wrong is told, whatever is wrong with it.
        var problems: [(line: Int, error: SettingsError)] = []
        for name in file.keys {
            let line = file.line(of: name)
            do {
                try take(name, from: file, line: line)
            } catch {
                problems.append((line ?? .max, error))
            }
        }
        if let first = problems.min(by: { $0.line < $1.line }) { throw first.error }
        return true
    }

    private mutating func take(_ name: String, from file: ConfigFile, line: Int?) throws(SettingsError) {
        guard let key = SettingKey(rawValue: name), let value = file.value(of: key) else {
            throw .unknownKey(name, path: file.path, line: line, nearest: SettingKey.nearest(to: name)?.rawValue)
        }
        let source = SettingSource.file(file.path, line: line)
        switch (key, value.type) {
        case (.timeout, .int): try set(timeout: Double(value.int ?? 0), source)
        case (.timeout, .double): try set(timeout: value.double ?? 0, source)
        case (.timeout, _), (_, .table), (_, .array), (_, .bool), (_, .int), (_, .double), (_, .date), (_, .time), (_, .dateTime):
            throw .wrongType(
                key: name, source: source, expected: key == .timeout ? key.expected : "a text: " + key.expected,
                found: value.type.inWords)
        case (_, .string): try set(key, value.string ?? "", source)
        }
    }

    mutating func set(timeout seconds: Double, _ source: SettingSource) throws(SettingsError) {
        guard Settings.timeouts.contains(seconds) else {
            throw .badValue("\(seconds)", key: SettingKey.timeout.rawValue, source: source, expected: SettingKey.timeout.expected)
        }
        timeout = Sourced(seconds, source)
    }

    mutating func set(_ key: SettingKey, _ text: String, _ source: SettingSource) throws(SettingsError) {
        let bad = SettingsError.badValue(text, key: key.rawValue, source: source, expected: key.expected)
        switch key {
        case .user:
            guard !text.allSatisfy(\.isWhitespace) else { throw bad }
            user = Sourced(text, source)
        case .adapter:
            guard isAdapter(text) else { throw bad }
            adapter = Sourced(text, source)
        case .database:
            guard let path = absolute(text) else { throw bad }
            database = Sourced(path, source)
        case .timeout:
            guard let seconds = Double(text) else { throw bad }
            try set(timeout: seconds, source)
        }
    }

    /// The kernel's names of adapters: `hci` and a number.
    private func isAdapter(_ text: String) -> Bool {
        let number = text.dropFirst(3)
        return text.hasPrefix("hci") && (1...5).contains(number.count) && number.allSatisfy { $0.isASCII && $0.isNumber }
    }

    /// A file is read from wherever a command runs, so that a relative path in it would mean another one each time.
    private func absolute(_ path: String) -> String? {
        if path.hasPrefix("/") { return path }
        guard path.hasPrefix("~/"), let home else { return nil }
        return home + path.dropFirst()
    }
}

extension TOMLType {
    fileprivate var inWords: String {
        switch self {
        case .table: "a table"
        case .array: "an array"
        case .string: "a text"
        case .int, .double: "a number"
        case .bool: "true or false"
        case .date: "a date"
        case .time: "a time"
        case .dateTime: "a date with time"
        }
    }
}
