import Foundation

/// The paths of istep's files, by the XDG Base Directory Specification 0.8.
///
/// A variable that is empty or relative is ignored, as the specification requires. Without a home directory, as in some
/// services, there are only the directories that variables name.
public struct Paths: Hashable, Sendable {
    /// `/etc/istep/config.toml`: for all users of the machine.
    public let systemConfig: String
    /// `$XDG_CONFIG_HOME/istep`, else `~/.config/istep`.
    public let config: String?
    /// `$XDG_DATA_HOME/istep`, else `~/.local/share/istep`.
    public let data: String?
    /// `$XDG_RUNTIME_DIR/istep`; the specification has no substitute for it.
    public let runtime: String?
    /// The user's home directory.
    public let home: String?

    static let configVariable = "XDG_CONFIG_HOME"
    static let dataVariable = "XDG_DATA_HOME"

    /// - Parameters:
    ///   - environment: the environment of the process; `HOME` and the `XDG_` variables are read.
    ///   - passwordHome: the home directory in the user database, read only if `HOME` is not usable.
    ///   - root: prefix of `/etc`, for a system that is mounted elsewhere.
    public init(
        environment: [String: String], passwordHome: () -> String? = Paths.passwordHome, root: String = ""
    ) {
        func directory(_ variable: String) -> String? {
            environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let home = directory("HOME") ?? passwordHome()
        func base(_ variable: String, _ standard: String) -> String? {
            (directory(variable) ?? home.map { joined($0, standard) }).map { joined($0, "istep") }
        }
        self.home = home
        systemConfig = root + "/etc/istep/config.toml"
        config = base(Self.configVariable, ".config")
        data = base(Self.dataVariable, ".local/share")
        runtime = directory("XDG_RUNTIME_DIR").map { joined($0, "istep") }
    }

    /// `config.toml` of the user's configuration directory.
    public var userConfig: String? { config.map { joined($0, "config.toml") } }
    /// `history.sqlite` of the user's data directory.
    public var database: String? { data.map { joined($0, "history.sqlite") } }

    /// The home directory in the user database, for processes without `HOME`.
    public static func passwordHome() -> String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(getuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil,
            let directory = entry.pw_dir
        else { return nil }
        let path = String(cString: directory)
        return path.hasPrefix("/") ? path : nil
    }
}

private func joined(_ directory: String, _ name: String) -> String {
    directory.hasSuffix("/") ? directory + name : directory + "/" + name
}

/// An absolute path from the text of a file, or nil if the text does not start with / or ~/.
///
/// The file is read by commands in any working directory, so a relative path in it would have a different meaning each
/// time.
func absolutePath(_ path: String, home: String?) -> String? {
    if path.hasPrefix("/") { return path }
    guard path.hasPrefix("~/"), let home else { return nil }
    return home + path.dropFirst()
}
