import Foundation
import StepDomain

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

    /// The process that runs it; nil where none does.
    var process: Int32? {
        guard let lock = LockFile(lockPath) else { return nil }
        defer { lock.close() }
        return lock.holder
    }

    /// The file of a demo's lock, as others see it. It shows the process even after that has removed the file, until the lock is released.
    struct LockFile {
        private let file: Int32

        /// Nil if there is no such file.
        init?(_ path: String) {
            file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            if file < 0 { return nil }
        }

        /// The process that holds the lock; nil where none does.
        var holder: Int32? {
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            return fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK) && lock.l_pid > 0 ? lock.l_pid : nil
        }

        func close() { _ = Foundation.close(file) }
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

    /// Directs this process to a demo, if `--demo` (or `--demo=FOLDER`) precedes the command or `variable` is set. The command `demo` itself
    /// is about demos from outside. Called before there are other threads that read the environment.
    ///
    /// - Parameter arguments: `--demo` is removed.
    /// - Throws: `CommandFailure` where the demo does not run: the command must not use the user's own history instead.
    static func enter(_ arguments: inout [String], environment: [String: String]) throws(CommandFailure) {
        var path: String?
        var isWanted = environment[variable]?.isEmpty == false
        let option = "--demo"
        if let first = arguments.first, first == option || first.hasPrefix(option + "=") {
            arguments.removeFirst()
            isWanted = true
            path = first == option ? nil : String(first.dropFirst(option.count + 1))
        }
        guard isWanted, arguments.first != DemoCommand.name else { return }
        let world = DemoWorld(path: path, environment: environment)
        guard world.process != nil, let state = world.state else { throw world.absence(isNamed: environment[variable]?.isEmpty == false) }
        for (name, value) in world.environment(bus: state.bus) { setenv(name, value, 1) }
    }

    private func absence(isNamed: Bool) -> CommandFailure {
        let leave = isNamed ? " To use your own history again: unset \(Self.variable)" : ""
        let start = "Start one: istep demo --keep\(isTemporary ? "" : " \(folder)")."
        if process != nil {
            return CommandFailure(.temporary, "The demo in '\(folder)' is being started.", advice: "Try again in a few seconds.")
        }
        if state != nil {
            return CommandFailure(.unavailable, "The demo in '\(folder)' was ended from outside.", advice: start + leave)
        }
        return CommandFailure(.unavailable, "No demo runs in '\(folder)'.", advice: start + leave)
    }
}

/// How a demo's folder begins.
extension DemoWorld {
    private static let advice = "Choose another folder: istep demo --keep FOLDER"

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
        let quoted = path.contains("'") ? "\"\(path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"" : "'\(path)'"
        try Data("[share.diary]\nkind = \"file\"\npath = \(quoted)\n".utf8).write(to: URL(fileURLWithPath: file))
    }

    func makeFolder() throws(CommandFailure) {
        try Self.make(folder)
        guard isTemporary else { return }
        // Its name is known to others, who could have made it first.
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw CommandFailure(.permission, "'\(folder)' is not a folder that only you can use.", advice: Self.advice)
        }
    }

    private static func make(_ folder: String) throws(CommandFailure) {
        let code = makeDirectory(folder)
        let message = "The folder '\(folder)' cannot be used: \(String(cString: strerror(code)))."
        switch code {
        case 0: return
        case EACCES, EPERM, EROFS: throw CommandFailure(.permission, message, advice: advice)
        case ENOSPC, EDQUOT: throw CommandFailure(.temporary, message, advice: "Free some space, or choose another folder.")
        default: throw CommandFailure(.usage, message, advice: advice)
        }
    }

    /// Creates the folder and the folders above it. Foundation's function does the same, but hides the reason of a failure.
    ///
    /// - Returns: 0, or the `errno` that says why the folder cannot be written.
    private static func makeDirectory(_ path: String) -> Int32 {
        if mkdir(path, 0o700) == 0 { return 0 }
        let above = (path as NSString).deletingLastPathComponent
        switch errno {
        case EEXIST: return access(path + "/.", W_OK) == 0 ? 0 : errno
        case ENOENT where !above.isEmpty && above != path:
            let code = makeDirectory(above)
            return code != 0 || mkdir(path, 0o700) == 0 ? code : errno
        default: return errno
        }
    }
}

/// What the process of a demo does with its folder while it holds the lock.
extension DemoWorld {
    /// Holds the lock of a demo's folder until the process ends. (Nothing else in the process may open the file: a POSIX lock ends when any
    /// descriptor of its file is closed.)
    struct Lock: Sendable {
        fileprivate let file: Int32
        private let path: String
        private let inode: ino_t

        /// - Returns: nil where another process holds it.
        /// - Throws: `CommandFailure` where the file cannot be used.
        static func take(_ path: String) throws(CommandFailure) -> Lock? {
            // Once more where a demo that ended has removed the file in between.
            while true {
                let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
                guard file >= 0 else { throw CommandFailure(.permission, "'\(path)' cannot be used: \(String(cString: strerror(errno))).") }
                var lock = flock()
                lock.l_type = Int16(F_WRLCK)
                guard fcntl(file, F_SETLK, &lock) == 0 else {
                    close(file)
                    return nil
                }
                var status = stat()
                if fstat(file, &status) == 0 {
                    let taken = Lock(file: file, path: path, inode: status.st_ino)
                    if taken.isInPlace { return taken }
                }
                close(file)
            }
        }

        /// Whether the file is still there; otherwise the folder was removed.
        var isInPlace: Bool {
            var status = stat()
            return lstat(path, &status) == 0 && status.st_ino == inode
        }

        private init(file: Int32, path: String, inode: ino_t) {
            self.file = file
            self.path = path
            self.inode = inode
        }

        func release() { close(file) }
    }

    /// Removes what an earlier demo has left: one that was killed.
    func clean() {
        unlink(statePath)
        guard isTemporary else { return }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where folder + "/" + name != lockPath {
            try? FileManager.default.removeItem(atPath: folder + "/" + name)
        }
    }

    /// Removes the demo: the whole folder, or its files in a folder of the user's.
    func remove() {
        unlink(lockPath)
        // The bus of a demo that was killed removes its own files at the same time, and a folder that it has just emptied is not removed at once.
        for _ in 0..<10 {
            clean()
            guard isTemporary, rmdir(folder) != 0, errno == ENOTEMPTY else { return }
            usleep(20_000)  // on this thread: the program ends after this
        }
    }

    func write(_ state: State) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try PrivateFile.write(String(decoding: try encoder.encode(state), as: UTF8.self) + "\n", to: statePath)
    }
}
