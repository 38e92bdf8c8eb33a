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

/// The owner of a demo's folder, and the first files in it.
extension DemoWorld {
    static let advice = "Choose another directory: istep demo --keep DIRECTORY"

    /// Whether the folder exists and only this user can write to it.
    ///
    /// Another user could have made it before, with a configuration that names a program, and `istep --demo share` would run this program.
    /// Nothing in the folder is read, run or removed before this check.
    ///
    /// - Throws: `CommandFailure` where others can put files into the folder, or have done so.
    func isThere() throws(CommandFailure) -> Bool {
        let access = DemoAccess.current
        var status = stat()
        guard lstat(folder, &status) == 0 else { return false }
        if status.st_mode & S_IFMT == S_IFLNK {
            // A link of the user's may lead to the folder that the user has named.
            if isTemporary || status.st_uid != access.user { throw refusal("it is a symbolic link", "Remove it") }
            guard stat(folder, &status) == 0 else { return false }
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return false }
        // With the sticky bit.
        let isForAll = status.st_mode & 0o1002 == 0o1002 && [0, access.user].contains(status.st_uid)
        guard status.st_uid == access.user else { throw refusal("it belongs to another user", isForAll: isForAll) }
        // The name of the standard one is known to others.
        if isTemporary, status.st_mode & 0o077 != 0 {
            throw refusal("other users can use it", "Run chmod go= \(ShellCommand.quoted(folder))")
        }
        if access.isWritableByOthers(status, hasAccessList: DemoAccess.hasAccessList(folder)) {
            throw refusal("other users can write to it", isForAll: isForAll)
        }
        try requireOwnFiles(access)
        return true
    }

    /// Refuses what others have put into the folder before it was closed to them, and what they can write to.
    private func requireOwnFiles(_ access: DemoAccess) throws(CommandFailure) {
        for name in ["demo.lock", "demo.json", "istep"] + Self.startFiles {
            let path = folder + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            if status.st_uid != access.user { throw refusal("\(name) in it belongs to another user", "Remove \(ShellCommand.quoted(path))") }
            // Of a link of the user's, the mode says nothing.
            guard status.st_mode & S_IFMT != S_IFLNK else { continue }
            if access.isWritableByOthers(status, hasAccessList: DemoAccess.hasAccessList(path)) {
                throw refusal("other users can write to \(name) in it", "Run chmod go-w \(ShellCommand.quoted(path))")
            }
        }
    }

    /// - Parameters:
    ///   - remedy: only for the standard folder. Any other one may be used by others, or by the system, with the access that it has.
    ///   - isForAll: whether each user may have files and folders of their own in the folder, as in /tmp.
    private func refusal(_ reason: String, _ remedy: String? = nil, isForAll: Bool = false) -> CommandFailure {
        let advice =
            if isTemporary, let remedy {
                "\(remedy), or choose another directory: istep demo --keep DIRECTORY"
            } else if isForAll, !isTemporary {
                "Choose a directory in it: istep demo --keep \(ShellCommand.quoted(folder + "/istep-demo"))"
            } else {
                Self.advice
            }
        return CommandFailure(.permission, "The directory '\(folder)' is not used for a demo: \(reason).", advice: advice)
    }

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
