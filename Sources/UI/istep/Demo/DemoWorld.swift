import Foundation
import StepDomain
import StepViews

/// A demo that goes on: a folder with its history and configuration, and a process with a simulated Bluetooth.
///
/// The process holds a lock on a file of the folder. So a demo that was killed is known by its lock, whatever its state file says, and of two
/// processes for one folder only one runs.
struct DemoWorld: Sendable {
    /// Absolute.
    let folder: String
    /// Whether the whole folder belongs to the demo and is removed with it; otherwise the user has chosen it, and the history stays.
    let isTemporary: Bool

    /// What commands need to run in it. It is written when the demo is complete.
    struct State: Codable, Sendable {
        var bus: String
        /// Models in range.
        var pedometers: [String]
    }

    var lockPath: String { folder + "/demo.lock" }
    var statePath: String { folder + "/demo.json" }
    var history: String { folder + "/history.sqlite" }

    /// Names the folder of the demo that all commands use.
    static let variable = "ISTEP_DEMO"

    /// - Parameters:
    ///   - path: what the user has named; nil for the folder that `variable` names, else the standard one.
    init(path: String?, environment: [String: String]) {
        let standard = Self.standardFolder(environment)
        let named = path ?? environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
        folder = named.map { URL(fileURLWithPath: $0).standardizedFileURL.path } ?? standard
        isTemporary = folder == standard
    }

    init(folder: String, isTemporary: Bool) {
        self.folder = folder
        self.isTemporary = isTemporary
    }

    /// Below the run-time directory, which ends with the login; without one, in the directory of temporary files.
    static func standardFolder(_ environment: [String: String]) -> String {
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
            return URL(fileURLWithPath: runtime + "/istep-demo").standardizedFileURL.path
        }
        return FileManager.default.temporaryDirectory.appendingPathComponent("istep-demo-\(getuid())").standardizedFileURL.path
    }

    /// The process that runs it; nil where none does. Like `state`, it is read only where `isThere` has accepted the folder.
    var process: Int32? {
        guard let lock = LockFile(lockPath) else { return nil }
        defer { lock.close() }
        return lock.holder
    }

    /// Nil while it is not complete, and where none was started.
    var state: State? {
        guard let handle = FileHandle(forReadingAtPath: statePath), let bytes = try? handle.read(upToCount: 16_384) else { return nil }
        return try? JSONDecoder().decode(State.self, from: bytes)
    }

    /// What a command's environment has to contain to run in the demo: nothing of the user's own history, configuration, run-time files and
    /// buses is used.
    func environment(bus: String) -> [String: String] {
        [
            Self.variable: folder, "DBUS_SYSTEM_BUS_ADDRESS": bus, "DBUS_SESSION_BUS_ADDRESS": bus, "ISTEP_DB": history, "ISTEP_CONFIG": "",
            "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder, "XDG_STATE_HOME": folder, "XDG_RUNTIME_DIR": folder,
        ]
    }

    /// Directs this process to a demo, if `--demo` (or `--demo=DIRECTORY`) precedes the command or `variable` is set. The command `demo` itself
    /// is about demos from outside. Called before there are other threads that read the environment.
    ///
    /// - Parameter arguments: `--demo` is removed.
    /// - Throws: `CommandFailure` where the demo does not run: the command must not use the user's own history instead.
    static func enter(_ arguments: inout [String], environment: [String: String]) throws(CommandFailure) {
        var path: String?
        let isNamed = environment[variable]?.isEmpty == false
        var isWanted = isNamed
        let option = "--demo"
        if let first = arguments.first, first == option || first.hasPrefix(option + "=") {
            arguments.removeFirst()
            isWanted = true
            path = first == option ? nil : String(first.dropFirst(option.count + 1))
        }
        guard isWanted, arguments.first != DemoCommand.name else { return }
        let world = DemoWorld(path: path, environment: environment)
        let state: State
        do throws(CommandFailure) {
            state = try world.runningState()
        } catch {
            guard isNamed else { throw error }
            let leave = "To use your own history again: unset \(variable)"
            throw CommandFailure(error.category, error.description, advice: error.advice.map { "\($0) \(leave)" } ?? leave)
        }
        for (name, value) in world.environment(bus: state.bus) { setenv(name, value, 1) }
    }

    private func runningState() throws(CommandFailure) -> State {
        let start = "Start one: istep demo --keep\(isTemporary ? "" : " \(ShellCommand.quoted(folder))")."
        guard try isThere() else { throw CommandFailure(.unavailable, "No demo runs in '\(folder)'.", advice: start) }
        let isRunning = process != nil
        switch state {
        case let state? where isRunning: return state
        case nil where isRunning: throw isChanging
        case nil: throw CommandFailure(.unavailable, "No demo runs in '\(folder)'.", advice: start)
        case _?: throw CommandFailure(.unavailable, "The demo in '\(folder)' has stopped.", advice: start)
        }
    }

    /// Another command holds the lock of the folder.
    var isChanging: CommandFailure {
        CommandFailure(.temporary, "The demo in '\(folder)' is being started or ended.", advice: "Try again in a few seconds.")
    }
}

/// The first files of a demo.
extension DemoWorld {
    static let advice = "Choose another directory: istep demo --keep DIRECTORY"

    /// A history that exists already belongs to a user: the demo's steps must not be added to it.
    func refuseHistory() throws(CommandFailure) {
        guard FileManager.default.fileExists(atPath: history) else { return }
        throw CommandFailure(.usage, "'\(folder)' already contains a history.", advice: Self.advice)
    }

    /// A destination to share with that needs no network: a file in the folder.
    func configure() throws {
        let directory = folder + "/istep", file = directory + "/config.toml"
        try Self.make(directory)
        if FileManager.default.fileExists(atPath: file) { return }  // from an earlier demo
        // A literal string of TOML has no escapes; a name with an apostrophe needs another kind of string.
        let path = folder + "/steps.csv"
        // By scalars: a quote with a combining mark after it is another character in Swift, but a quote in TOML.
        let scalars = path.unicodeScalars
        let escaped = scalars.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : String($0) }.joined()
        let quoted = scalars.contains("'") ? "\"\(escaped)\"" : "'\(path)'"
        // With any umask, others cannot write to it.
        try PrivateFile.write("[share.diary]\nkind = \"file\"\npath = \(quoted)\n", to: file, advice: Self.advice)
    }

    /// - Returns: how many folders were made: this one and those above it.
    @discardableResult func makeFolder() throws(CommandFailure) -> Int {
        let made = try Self.make(folder)
        _ = try isThere()
        return made
    }

    @discardableResult private static func make(_ folder: String) throws(CommandFailure) -> Int {
        var made = 0
        let code = makeDirectory(folder, &made)
        let message = "The directory '\(folder)' cannot be used: \(String(cString: strerror(code)))."
        switch code {
        case 0: return made
        case EACCES, EPERM, EROFS: throw CommandFailure(.permission, message, advice: advice)
        case ENOSPC, EDQUOT: throw CommandFailure(.temporary, message, advice: "Free some space, or choose another directory.")
        default: throw CommandFailure(.usage, message, advice: advice)
        }
    }

    /// Creates the folder and the folders above it. Foundation's function does the same, but hides the reason of a failure.
    ///
    /// - Parameter made: the number of folders that it has created is added.
    /// - Returns: 0, or the `errno` that says why the folder cannot be written.
    private static func makeDirectory(_ path: String, _ made: inout Int) -> Int32 {
        if mkdir(path, 0o700) == 0 {
            made += 1
            return 0
        }
        let above = (path as NSString).deletingLastPathComponent
        switch errno {
        case EEXIST: return access(path + "/.", W_OK) == 0 ? 0 : errno
        case ENOENT where !above.isEmpty && above != path:
            let code = makeDirectory(above, &made)
            guard code == 0 else { return code }
            guard mkdir(path, 0o700) == 0 else { return errno }
            made += 1
            return 0
        default: return errno
        }
    }
}
