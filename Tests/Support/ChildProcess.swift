public import Foundation
internal import Support
internal import Synchronization

/// Starts a program and waits for its end, with the interface of Foundation's `Process` as far as the tests need it.
///
/// `Process` goes through all open descriptors before it starts a program, and crashes if hundreds of them are opened
/// and closed meanwhile, as in these tests. It also passes on which signals are blocked. A child of this class has the
/// three standard streams, no blocked signals, and the default action for every signal, and no other descriptor. It
/// ends with this process at the latest.
public final class ChildProcess: @unchecked Sendable {  // set up by one task before run(); the rest is behind the mutex
    public enum Reason: Sendable { case exit, uncaughtSignal }

    public var executableURL: URL?
    public var arguments: [String] = []
    /// Nil for the environment of this process.
    public var environment: [String: String]?
    public var standardInput: FileHandle = .nullDevice
    public var standardOutput: FileHandle = .standardOutput
    public var standardError: FileHandle = .standardError
    /// For standard output, and with `isErrorInPipe` for standard error; only the child keeps its writing end open.
    public var pipe: Pipe?
    public var isErrorInPipe = false
    public var terminationHandler: (@Sendable (ChildProcess) -> Void)?
    public private(set) var processIdentifier: pid_t = 0

    private let ended = DispatchGroup()
    private let status = Mutex<Int32?>(nil)

    public init() {}

    /// The exit status, or the number of the signal.
    public var terminationStatus: Int32 {
        let status = status.withLock { $0 ?? 0 }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : status & 0x7F
    }

    public var terminationReason: Reason { status.withLock { $0 ?? 0 } & 0x7F == 0 ? .exit : .uncaughtSignal }

    public var isRunning: Bool { processIdentifier != 0 && status.withLock { $0 == nil } }

    public func run() throws {
        let writing = pipe?.fileHandleForWriting
        let handles = [standardInput, writing ?? standardOutput, (isErrorInPipe ? writing : nil) ?? standardError]
        processIdentifier = try Spawn.start(
            [executableURL?.path ?? ""] + arguments,
            environment: (environment ?? ProcessInfo.processInfo.environment).merging(OrphanGuard.environment) { $1 },
            descriptors: handles.map(\.fileDescriptor), leadsGroup: true)
        try writing?.close()

        ended.enter()
        // A thread of its own: the cooperative threads and those of queues are few, and tests wait for many programs at
        // a time.
        let waiter = Thread { [self] in
            var status: Int32 = 0
            while waitpid(processIdentifier, &status, 0) < 0, errno == EINTR {}
            self.status.withLock { $0 = status }
            ended.leave()
            terminationHandler?(self)
        }
        waiter.stackSize = 256 << 10
        waiter.start()
    }

    public func waitUntilExit() { ended.wait() }

    public func terminate() { if isRunning { kill(processIdentifier, SIGTERM) } }
}
