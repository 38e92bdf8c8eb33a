import Foundation

/// The environment variables that commands use.
enum ProcessEnvironment {
    /// Those that the process was started with; in a demo the ones outside it.
    static let outer = ProcessInfo.processInfo.environment

    /// Those of this process, as `Main` has completed them before its first command. The demo replaces them for the
    /// commands that it runs: a command has no other way to be given them.
    @TaskLocal static var current = ProcessInfo.processInfo.environment
}
