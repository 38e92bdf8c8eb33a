import Foundation
import Settings
import Testing

/// A file system and an environment for one test.
struct Machine {
    let root: String
    var environment: [String: String]

    var home: String { root + "/home/ada" }
    var userConfig: String { home + "/.config/istep/config.toml" }
    var systemConfig: String { root + "/etc/istep/config.toml" }

    func write(_ text: String, to path: String, mode: Int = 0o600) throws {
        try write(Data(text.utf8), to: path, mode: mode)
    }

    func write(_ data: Data, to path: String, mode: Int = 0o600) throws {
        let directory = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try data.write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    func load(_ flags: SettingFlags = SettingFlags()) throws(SettingsError) -> Settings {
        let paths = Paths(environment: environment, passwordHome: { nil }, root: root)
        return try Settings.load(flags: flags, environment: environment, paths: paths)
    }

    /// What loading throws.
    func error(_ flags: SettingFlags = SettingFlags()) -> SettingsError? {
        do { _ = try load(flags) } catch { return error }
        return nil
    }
}

func withMachine(_ environment: [String: String] = [:], _ body: (Machine) throws -> Void) throws {
    let root = NSTemporaryDirectory() + "istep-tests-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: root) }
    let home = ["HOME": root + "/home/ada"]
    try body(
        Machine(
            root: root,
            environment: home.merging(environment.mapValues { $0.replacingOccurrences(of: "ROOT", with: root) }) { $1 })
    )
}
