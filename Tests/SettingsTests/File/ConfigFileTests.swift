import Foundation
import Settings
import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct ConfigFileTests {
    /// The error of a user's file with this text, its path given as `config.toml`.
    private func error(_ text: String) throws -> SettingsError? { try error(Data(text.utf8)) }

    private func error(_ data: Data) throws -> SettingsError? {
        var error: SettingsError?
        try withMachine { machine in
            try machine.write(data, to: machine.userConfig)
            error = machine.error()?.at("config.toml")
        }
        return error
    }

    @Test(
        arguments: [
            ("timout = 3", 1, "timout", "timeout"), ("\n# c\n  usr = 'x'", 3, "usr", "user"),
            ("user = 'x'\n[users]\nada = 1", 2, "users", "user"), ("log = 'info'", 1, "log", nil),
            ("\"Adapter\" = 'hci0'", 1, "Adapter", "adapter"),
            ("databaes = ''", 1, "databaes", "database"), ("db = ''", 1, "db", nil),
            ("colour = 'red'", 1, "colour", nil),
            ("sync.every = 3", 1, "sync", nil), ("[[device]]\nx = 1", 1, "device", nil),
        ] as [(String, Int, String, String?)])
    func `an unknown key is reported with its line`(text: String, line: Int, key: String, nearest: String?) throws {
        let error = try error(text)
        #expect(error == .unknownKey(key, path: "config.toml", line: line, nearest: nearest))
        #expect(error?.category == .configuration)
        #expect(error?.description.contains(nearest ?? "known keys: `user`, `adapter`") == true)
    }

    @Test func `a line inside a multi-line string is not a key`() throws {
        let text = "user = '''\nAda\ntimout = 3\n'''\n\n\n timout = 3"
        #expect(try error(text) == .unknownKey("timout", path: "config.toml", line: 7, nearest: "timeout"))
    }

    @Test func `the error on the earliest line is reported`() throws {
        #expect(
            try error("timeout = 'x'\naaa = 1")
                == .wrongType(
                    key: "timeout", source: .file("config.toml", line: 1),
                    expected: "a number of seconds from 1 to 600", found: "a text"))
        #expect(try error("zzz = 1\naaa = 1") == .unknownKey("zzz", path: "config.toml", line: 1, nearest: nil))
    }

    @Test(arguments: [
        ("timeout = '30'", "timeout", "a text"), ("timeout = true", "timeout", "true or false"),
        ("timeout = [1]", "timeout", "an array"), ("notifications = 'no'", "notifications", "a text"),
        ("user = 5", "user", "a number"), ("user = 1.5", "user", "a number"),
        ("adapter = 2014-04-20", "adapter", "a date"), ("adapter = 07:30:00", "adapter", "a time"),
        ("user = 2014-04-20T07:30:00Z", "user", "a date with time"), ("[database]\npath = 'x'", "database", "a table"),
    ])
    func `a wrong type is reported with its line and the expected type`(text: String, key: String, found: String) throws
    {
        guard case .wrongType(key, .file("config.toml", line: 1), let expected, found) = try error(text) else {
            Issue.record("\(String(describing: try error(text)))")
            return
        }
        #expect(!expected.isEmpty)
    }

    @Test(arguments: [
        "timeout = 0", "timeout = 601", "timeout = -1", "timeout = nan", "timeout = inf",
        "timeout = 9223372036854775807",
        "user = ''", "user = \" \"", "adapter = 'eth0'", "adapter = 'hci'", "adapter = 'hci0; reboot'",
        "adapter = 'hci٣'", "database = ''", "database = 'relative.sqlite'", "database = '~ada/x'",
    ])
    func `an invalid value is reported with its line`(text: String) throws {
        guard case .badValue(_, _, .file("config.toml", line: 1), _) = try error(text) else {
            Issue.record("\(String(describing: try error(text)))")
            return
        }
    }

    @Test(arguments: [
        ("user = ", 1), ("user = 'x'\ntimeout 3", 2), ("user = 'x'\nuser = 'y'", 2), ("= 3", 1), ("[", 1),
        ("user = \"x", 1),
        ("a = " + String(repeating: "[", count: 10_000), 1),
    ])
    func `a TOML syntax error is reported with its line`(text: String, line: Int) throws {
        guard case .syntax("config.toml", line, _, let reason) = try error(text) else {
            Issue.record("\(String(describing: try error(text)))")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test func `a file that is not text is reported with the line`() throws {
        #expect(
            try error(Data("user = 'Ada'\n# \u{E9}".utf8) + [0xE9, 0x0A]) == .notText(path: "config.toml", line: 2))
        #expect(try error("user = 'Ada'\n\0timeout = 'hidden'") == .containsNUL(path: "config.toml", line: 2))
        #expect(try error(Data([0xFF, 0xFE, 0x75, 0x00])) == .containsNUL(path: "config.toml", line: 1))
    }

    @Test func `a file of more than 64 KiB is rejected`() throws {
        let line = "# a comment of 32 bytes, 32 ....\n"
        #expect(try error(String(repeating: line, count: 1985)) == nil, "64 KiB at most")
        #expect(try error(String(repeating: line, count: 1986)) == .tooLarge(path: "config.toml", limit: 65_536))
    }

    @Test func `a directory is reported as unreadable`() throws {
        try withMachine { machine in
            try FileManager.default.createDirectory(atPath: machine.userConfig, withIntermediateDirectories: true)
            #expect(machine.error() == .unreadable(path: machine.userConfig, reason: "Is a directory"))
        }
    }

    @Test func `a pipe or an endless device is rejected`() throws {
        try withMachine { machine in
            let pipe = machine.root + "/pipe"
            try #require(mkfifo(pipe, 0o600) == 0)
            for path in [pipe, "/dev/zero"] {
                let error = machine.error(SettingFlags(config: path))
                #expect(error == .unreadable(path: path, reason: "it is not a regular file"))
            }
            #expect(machine.error(SettingFlags(config: "/dev/null")) == nil)
        }
    }

    @Test func `a NUL byte is reported differently from a wrong encoding`() throws {
        #expect(try error("user = 'A\0'")?.description.contains("NUL") == true)
        #expect(try error(Data("user = '".utf8) + [0xE9, 0x27])?.description.contains("UTF-8") == true)
    }

    /// In a child process, which gives up root's privileges: root can read everything.
    @Test func `an unreadable file is reported with the reason`() async throws {
        let path = NSTemporaryDirectory() + "istep-tests-" + UUID().uuidString
        try Data().write(to: URL(fileURLWithPath: path))
        chmod(path, 0)
        defer { unlink(path) }
        await #expect(processExitsWith: .success) { [path = path as String] in
            if geteuid() == 0 { try #require(setuid(65_534) == 0) }
            let error = #expect(throws: SettingsError.self) {
                try Settings.load(flags: SettingFlags(config: path), environment: ["HOME": "/nowhere"])
            }
            guard error == .unreadable(path: path, reason: "Permission denied") else { exit(1) }
        }
    }

    @Test func `a byte order mark and CRLF line ends are accepted`() throws {
        #expect(try error("\u{FEFF}user = 'Ada'\r\ntimeout = 3\r\n") == nil)
        #expect(
            try error("\u{FEFF}usr = 'Ada'\r\n") == .unknownKey("usr", path: "config.toml", line: 1, nearest: "user"))
        #expect(try error("") == nil)
    }

    @Test func `the error message about a key contains no control characters`() throws {
        let shown = try #require(try error("\"\\u001B[2J\" = 1")).description
        #expect(shown.unicodeScalars.allSatisfy { $0.value >= 32 })
        #expect(try #require(try error(String(repeating: "x", count: 60_000) + " = 1")).category == .configuration)
    }
}

extension SettingsError {
    /// The same error for a file of another name.
    fileprivate func at(_ path: String) -> SettingsError {
        func source(_ source: SettingSource) -> SettingSource {
            if case .file(_, let line) = source { .file(path, line: line) } else { source }
        }
        return switch self {
        case .missing(_, let named): .missing(path: path, namedBy: named)
        case .unreadable(_, let reason): .unreadable(path: path, reason: reason)
        case .tooLarge(_, let limit): .tooLarge(path: path, limit: limit)
        case .notText(_, let line): .notText(path: path, line: line)
        case .containsNUL(_, let line): .containsNUL(path: path, line: line)
        case .syntax(_, let line, let column, let reason):
            .syntax(path: path, line: line, column: column, reason: reason)
        case .unknownKey(let key, _, let line, let nearest): .unknownKey(key, path: path, line: line, nearest: nearest)
        case .wrongType(let key, let old, let expected, let found):
            .wrongType(key: key, source: source(old), expected: expected, found: found)
        case .badValue(let value, let key, let old, let expected):
            .badValue(value, key: key, source: source(old), expected: expected)
        case .unknownEntry(let key, let table, let old, let nearest, let known):
            .unknownEntry(key, table: table, source: source(old), nearest: nearest, known: known)
        case .missingEntry(let key, let table, let old, let expected):
            .missingEntry(key, table: table, source: source(old), expected: expected)
        case .badName(let name, let table, let old): .badName(name, table: table, source: source(old))
        case .badPrivateValue(let key, let old, let expected):
            .badPrivateValue(key: key, source: source(old), expected: expected)
        case .openSecret(let key, let old, let fileKey): .openSecret(key: key, source: source(old), fileKey: fileKey)
        case .conflict(let keys, let table, let old): .conflict(keys, table: table, source: source(old))
        case .tooDeep(_, let line, let limit): .tooDeep(path: path, line: line, limit: limit)
        case .andMore: .andMore(path: path)
        case .noHome: .noHome
        }
    }
}
