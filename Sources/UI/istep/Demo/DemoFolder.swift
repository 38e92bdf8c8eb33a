import Foundation
import StepDomain
import StepViews

/// The folder of a demo that runs in the background: its history, its configuration, and what is known of its process,
/// which simulates the Bluetooth.
///
/// The process holds a lock on a file of the folder. So the lock shows whether a demo was killed, whatever its state
/// file says, and only one process can run for a folder.
struct DemoFolder: Sendable {
    /// Absolute.
    let path: String
    /// Whether the whole folder belongs to the demo and is removed with it; otherwise the user has chosen it, and the
    /// history stays.
    let isTemporary: Bool

    /// What commands need to run in it. It is written when the demo is complete.
    struct State: Codable, Sendable {
        var bus: String
        /// Models in range.
        var pedometers: [String]
    }

    var lockPath: String { path + "/demo.lock" }
    var statePath: String { path + "/demo.json" }
    var history: String { path + "/history.sqlite" }
    /// What a phone has exported of the year before the history begins.
    var export: String { path + "/Gadgetbridge.db" }

    /// Names the folder of the demo that all commands use.
    static let variable = "ISTEP_DEMO"

    /// - Parameters:
    ///   - name: the path that the user has given; nil for the folder that `variable` names, else the standard one.
    init(named name: String?, environment: [String: String]) {
        let standard = Self.standardPath(environment)
        let name = name ?? environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
        path = name.map { URL(fileURLWithPath: $0).standardizedFileURL.path } ?? standard
        isTemporary = path == standard
    }

    init(path: String, isTemporary: Bool) {
        self.path = path
        self.isTemporary = isTemporary
    }

    /// Below the run-time directory, which ends with the login; without one, in the directory of temporary files.
    static func standardPath(_ environment: [String: String]) -> String {
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
            return URL(fileURLWithPath: runtime + "/istep-demo").standardizedFileURL.path
        }
        return FileManager.default.temporaryDirectory.appendingPathComponent("istep-demo-\(getuid())")
            .standardizedFileURL.path
    }

    /// The process that runs it; nil if none does. Like `state`, it is read only where `isThere` has accepted the
    /// folder.
    var process: Int32? {
        guard let lock = LockFile(lockPath) else { return nil }
        defer { lock.close() }
        return lock.holder
    }

    /// Nil while it is not complete, and where none was started.
    var state: State? {
        guard let handle = FileHandle(forReadingAtPath: statePath), let bytes = try? handle.read(upToCount: 16_384)
        else { return nil }
        return try? JSONDecoder().decode(State.self, from: bytes)
    }

    /// What a command's environment has to contain to run in the demo: nothing of the user's own history,
    /// configuration, run-time files and buses is used.
    func environment(bus: String) -> [String: String] {
        [
            Self.variable: path, "DBUS_SYSTEM_BUS_ADDRESS": bus, "DBUS_SESSION_BUS_ADDRESS": bus, "ISTEP_DB": history,
            "ISTEP_CONFIG": "",
            "XDG_CONFIG_HOME": path, "XDG_DATA_HOME": path, "XDG_STATE_HOME": path, "XDG_RUNTIME_DIR": path,
        ]
    }

    /// Directs this process to a demo, if `--demo` (or `--demo=DIRECTORY`) is among the options or `variable` is set.
    /// The command `demo` itself is about demos from outside, and help needs none. Called before there are other
    /// threads that read the environment.
    ///
    /// - Parameter arguments: `--demo` is removed.
    /// - Throws: `CommandFailure` where the demo does not run: the command must not use the user's own history instead.
    static func enter(_ arguments: inout [String], environment: [String: String]) throws(CommandFailure) {
        var name: String?
        let isNamed = environment[variable]?.isEmpty == false
        var isWanted = isNamed
        let option = "--demo"
        let options = arguments.first == DemoCommand.name ? [] : arguments.prefix { $0 != "--" }
        if let index = options.firstIndex(where: { $0 == option || $0.hasPrefix(option + "=") }) {
            let word = arguments.remove(at: index)
            isWanted = true
            name = word == option ? nil : String(word.dropFirst(option.count + 1))
        }
        if arguments.first == DemoCommand.name {
            // `istep --demo=DIRECTORY demo --end` ends the demo of that directory.
            if let name { setenv(variable, name, 1) }
            return
        }
        let isHelp =
            ["help", "--version"].contains(arguments.first) || options.contains { ["--help", "-h"].contains($0) }
        guard isWanted, !isHelp else { return }
        let folder = DemoFolder(named: name, environment: environment)
        let state: State
        do throws(CommandFailure) {
            state = try folder.runningState()
        } catch {
            guard isNamed else { throw error }
            let leave = "To use your own history again: `unset \(variable)`"
            let advice = error.advice.map { "\($0)\($0.hasSuffix(".") ? "" : ".") \(leave)" }
            throw CommandFailure(error.category, error.description, advice: advice ?? leave)
        }
        for (name, value) in folder.environment(bus: state.bus) { setenv(name, value, 1) }
    }

    /// `--demo` or `--demo=DIRECTORY`, in shell syntax, if this process was directed to a demo by it; nil where the
    /// shell's variable does that, also for the commands that are shown.
    static var optionOfThisProcess: String? {
        guard ProcessEnvironment.outer[variable]?.isEmpty != false,
            let path = ProcessEnvironment.current[variable], !path.isEmpty
        else { return nil }
        return path == standardPath(ProcessEnvironment.outer) ? "--demo" : ShellCommand.quoted("--demo=\(path)")
    }

    private func runningState() throws(CommandFailure) -> State {
        let start = "Start one: `istep demo --keep\(isTemporary ? "" : " \(ShellCommand.quoted(path))")`"
        guard try isThere() else { throw CommandFailure(.unavailable, "No demo runs in '\(path)'.", advice: start) }
        let isRunning = process != nil
        switch state {
        case let state? where isRunning: return state
        case nil where isRunning: throw isChanging
        case nil: throw CommandFailure(.unavailable, "No demo runs in '\(path)'.", advice: start)
        case _?: throw CommandFailure(.unavailable, "The demo in '\(path)' has stopped.", advice: start)
        }
    }

    /// Another command holds the lock of the folder.
    var isChanging: CommandFailure {
        CommandFailure(
            .temporary, "The demo in '\(path)' is being started or ended.", advice: "Try again in a few seconds.")
    }
}

/// The first files of a demo.
extension DemoFolder {
    static let advice = "Choose another directory: `istep demo --keep DIRECTORY`"

    /// A history that exists already belongs to a user: the demo's steps must not be added to it.
    func refuseHistory() throws(CommandFailure) {
        guard FileManager.default.fileExists(atPath: history) else { return }
        throw CommandFailure(.usage, "'\(path)' already contains a history.", advice: Self.advice)
    }

    /// A destination to share with that needs no network: a file in the folder.
    func configure() throws {
        let directory = path + "/istep", file = directory + "/config.toml"
        try Self.make(directory)
        if FileManager.default.fileExists(atPath: file) { return }  // from an earlier demo
        // A literal string of TOML has no escapes; a name with an apostrophe needs another kind of string.
        let diary = path + "/diary.csv"
        // By scalars: a quote with a combining mark after it is another character in Swift, but a quote in TOML.
        let scalars = diary.unicodeScalars
        let escaped = scalars.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : String($0) }.joined()
        let quoted = scalars.contains("'") ? "\"\(escaped)\"" : "'\(diary)'"
        // With any umask, others cannot write to it.
        try PrivateFile.write("[share.diary]\nkind = \"file\"\npath = \(quoted)\n", to: file, advice: Self.advice)
    }

    /// - Returns: how many folders were made: this one and those above it.
    @discardableResult func makeFolder() throws(CommandFailure) -> Int {
        let made = try Self.make(path)
        _ = try isThere()
        return made
    }

    @discardableResult private static func make(_ path: String) throws(CommandFailure) -> Int {
        var made = 0
        let code = makeDirectory(path, &made)
        let message = "The directory '\(path)' cannot be used: \(String(cString: strerror(code)))."
        switch code {
        case 0: return made
        case EACCES, EPERM, EROFS: throw CommandFailure(.permission, message, advice: advice)
        case ENOSPC, EDQUOT:
            throw CommandFailure(.temporary, message, advice: "Free some space, or choose another directory.")
        default: throw CommandFailure(.usage, message, advice: advice)
        }
    }

    /// Creates the folder and the folders above it. Foundation's function does the same, but hides the reason of a
    /// failure.
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
