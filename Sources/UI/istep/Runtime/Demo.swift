import Foundation
import SimulatedBlueZ

/// The walk through: the real commands, with an environment that points them to a simulated stack and a history of its own.
struct Demo {
    private let stack: SimulatedBlueZ
    private let folder: URL
    private let isKept: Bool

    static func start(folder path: String?) async throws -> Demo {
        let folder = path.map { URL(fileURLWithPath: $0) }
            ?? FileManager.default.temporaryDirectory.appendingPathComponent("istep-demo-\(UUID().uuidString)")
        try make(folder)
        do {
            try configure(folder)
            let stack = try await SimulatedBlueZ.start(peripherals: [SimulatedRing(), SimulatedPedometer.infiniTime()])
            return Demo(stack: stack, folder: folder, isKept: path != nil)
        } catch {
            if path == nil { try? FileManager.default.removeItem(at: folder) }
            throw error
        }
    }

    /// A destination to share with that needs no network: a file in the folder.
    private static func configure(_ folder: URL) throws {
        let configuration = folder.appendingPathComponent("istep")
        try make(configuration)
        let file = configuration.appendingPathComponent("config.toml")
        if FileManager.default.fileExists(atPath: file.path) { return }    // of a demo before
        let path = folder.appendingPathComponent("steps.csv").path
        try Data("[share.diary]\nkind = \"file\"\npath = '\(path)'\n".utf8).write(to: file)
    }

    /// A history that is there already is somebody's: the demo's steps do not belong into it.
    private static func make(_ folder: URL) throws {
        let advice = "Choose another folder: istep demo --keep FOLDER"
        if FileManager.default.fileExists(atPath: folder.appendingPathComponent("history.sqlite").path) {
            throw CommandFailure(.usage, "'\(folder.path)' holds a history already.", advice: advice)
        }
        let code = makeFolder(folder.path)
        let message = "The folder '\(folder.path)' cannot be used: \(String(cString: strerror(code)))."
        switch code {
        case 0: return
        case EACCES, EPERM, EROFS: throw CommandFailure(.permission, message, advice: advice)
        case ENOSPC, EDQUOT: throw CommandFailure(.temporary, message, advice: "Free some space, or choose another folder.")
        default: throw CommandFailure(.usage, message, advice: advice)
        }
    }

    /// With the folders above it. Foundation's own does the same and hides the reason where it fails.
    ///
    /// - Returns: 0, or the `errno` of what stands in the way of writing there.
    private static func makeFolder(_ path: String) -> Int32 {
        if mkdir(path, 0o700) == 0 { return 0 }
        let above = (path as NSString).deletingLastPathComponent
        switch errno {
        case EEXIST: return access(path + "/.", W_OK) == 0 ? 0 : errno
        case ENOENT where !above.isEmpty && above != path:
            let code = makeFolder(above)
            return code != 0 || mkdir(path, 0o700) == 0 ? code : errno
        default: return errno
        }
    }

    func run() async throws {
        let out = Output.standard
        try out.result("istep demo: a simulated ring on a D-Bus of its own. The commands are the real ones.")
        let environment = Wiring.environment.merging(
            [
                "DBUS_SYSTEM_BUS_ADDRESS": stack.address, "ISTEP_DB": folder.appendingPathComponent("history.sqlite").path,
                "ISTEP_CONFIG": "", "XDG_CONFIG_HOME": folder.path, "XDG_RUNTIME_DIR": folder.path,
            ]) { $1 }
        for words in Self.commands {
            try out.result("")
            try out.result("$ istep \(words)")
            let status = await Wiring.$environment.withValue(environment) {
                await Main.run(words.split(separator: " ").map(String.init))
            }
            // Its own error has been told.
            guard status == 0 else { throw SilentExit(ExitStatus(rawValue: status) ?? .unforeseen) }
        }
        try out.result("")
        try out.result("That was all of it. With your own pedometer:")
        try out.result("  istep scan                which pedometers are in range")
        try out.result("  istep add                 take yours on")
        try out.result("  istep sync                read its steps")
        try out.result("  istep show                today; istep show yesterday, istep show monday")
        if isKept { try out.result("The demo's history is kept: istep show --db \(folder.appendingPathComponent("history.sqlite").path)") }
    }

    func stop() async {
        await stack.stop()
        if !isKept { try? FileManager.default.removeItem(at: folder) }
    }

    private static let commands = [
        "scan --timeout 3", "add --name ring", "profile --height 178 --weight 72 --sex male", "plan 8000 --on sun=rest",
        "sync", "show yesterday", "status", "share yesterday --dry-run", "share yesterday",
    ]
}
