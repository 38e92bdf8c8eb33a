import Foundation
import StepDomain
import StepServices

/// The process of a demo: a simulated Bluetooth whose wearers go on walking.
///
/// Its standard input and output are pipes to the command that started it. It prints `ready` and the address of the bus, and waits for
/// `done`: if the command ends without that, so does the demo.
struct DemoProcess {
    let world: DemoWorld
    let pedometers: [DemoPedometer]

    /// Seconds between two steps: 20 steps a minute, so that one sees them grow, and no more than a day of walking when left alone.
    private static let secondsForEachStep = 3

    func run() async throws {
        setsid()  // signals of the terminal are not for it
        guard let lock = try DemoWorld.Lock.take(world.lockPath) else { return Output.standard.write("busy\n") }
        defer { lock.release() }
        world.clean()
        do {
            let bluetooth = try await SimulatedBluetooth.start(pedometers)
            Output.standard.write("ready \(bluetooth.address)\n")
            let isWanted = await blockingLine() == "done"
            if isWanted {
                try? world.write(DemoWorld.State(bus: bluetooth.address, pedometers: pedometers.map(\.key)))
                Output.standard.write("running\n")
                await walk(bluetooth, lock)
            }
            await bluetooth.stop()
        } catch {
            Output.standard.write("failed \(Failure(error).line ?? "\(error)")\n")
        }
        // Its folder may be another demo's by now.
        if lock.isInPlace { world.remove() }
    }

    /// Until it is cancelled or its folder is removed.
    private func walk(_ bluetooth: SimulatedBluetooth, _ lock: DemoWorld.Lock) async {
        var seconds = 0
        while !Task.isCancelled, lock.isInPlace {
            try? await Task.sleep(for: .seconds(1))
            seconds += 1
            if seconds % Self.secondsForEachStep == 0 { await bluetooth.step() }
        }
    }

    /// A line of standard input; nil at its end.
    private func blockingLine() async -> String? { try? await blocking { readLine() } }
}

/// A demo's process, as the command sees it that starts it.
final class StartedDemo: Sendable {
    /// The address of its bus.
    let bus: String
    private let process: pid_t
    private let input: FileHandle
    private let output: LineReader

    private init(bus: String, process: pid_t, input: FileHandle, output: LineReader) {
        self.bus = bus
        self.process = process
        self.input = input
        self.output = output
    }

    /// - Returns: nil where a demo runs in the folder already.
    /// - Throws: `CommandFailure`.
    static func start(_ world: DemoWorld, _ pedometers: [DemoPedometer]) async throws -> StartedDemo? {
        let input = Pipe(), output = Pipe()
        let process = try spawn(
            [DemoCommand.name, "--world", world.folder] + (world.isTemporary ? ["--temporary"] : [])
                + pedometers.flatMap { ["--pedometer", $0.key] },
            // The bus is in the folder, too, and nothing of the environment is left over in a process that goes on.
            Self.environment.merging(["TMPDIR": world.folder, "LIBDISPATCH_LOG": "NO"]) { $1 },
            input.fileHandleForReading.fileDescriptor, output.fileHandleForWriting.fileDescriptor)
        try? input.fileHandleForReading.close()
        try? output.fileHandleForWriting.close()
        let reader = LineReader(output.fileHandleForReading)
        let answer = try await blocking { reader.next() } ?? ""
        let words = answer.split(separator: " ", maxSplits: 1).map(String.init)
        if words.count == 2, words[0] == "ready" {
            return StartedDemo(bus: words[1], process: process, input: input.fileHandleForWriting, output: reader)
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        if answer == "busy" { return nil }
        throw CommandFailure(.unavailable, words.count == 2 ? words[1] : "The demo could not be started.")
    }

    /// Lets it go on when this command has ended.
    func leaveRunning() async throws {
        try input.write(contentsOf: Data("done\n".utf8))
        guard try await blocking({ [output] in output.next() }) == "running" else {
            throw CommandFailure(.unavailable, "The demo has ended before it was complete.")
        }
    }

    /// Ends it, and waits until it has removed its files.
    func end() async {
        try? input.close()
        kill(process, SIGTERM)
        _ = try? await blocking { [process] in
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
        }
    }

    private static var environment: [String: String] {
        Wiring.environment.filter { ["PATH", "HOME", "USER", "LOGNAME", "TZ", "LANG", "LC_ALL"].contains($0.key) }
    }

    /// Starts this program with these arguments, in a session of its own.
    ///
    /// - Throws: `CommandFailure`.
    private static func spawn(
        _ arguments: [String], _ environment: [String: String], _ input: Int32, _ output: Int32
    ) throws(CommandFailure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        // Other descriptors that this process was given, such as one that a shell redirects, would be kept open for as long as the demo runs.
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.compactMap { Int32($0) } ?? []
        for descriptor in descriptors where descriptor > STDERR_FILENO { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t(), all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var words: [UnsafeMutablePointer<CChar>?] = (["istep"] + arguments).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in words + variables { free(pointer) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, "/proc/self/exe", &actions, &attributes, &words, &variables)
        guard code == 0 else { throw CommandFailure(.unforeseen, "The demo could not be started: \(String(cString: strerror(code))).") }
        return process
    }
}

/// Lines of a pipe, one at a time.
///
/// Unchecked: it is used by one task after the other, never by two at once.
final class LineReader: @unchecked Sendable {
    private let file: FileHandle
    private var buffer: [UInt8] = []

    init(_ file: FileHandle) { self.file = file }

    /// Blocks. Nil at the end.
    func next() -> String? {
        while true {
            if let end = buffer.firstIndex(of: 0x0a) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            // FileHandle would wait for as many bytes as are asked for.
            var more = [UInt8](repeating: 0, count: 4096)
            let count = read(file.fileDescriptor, &more, more.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            buffer += more.prefix(count)
        }
    }
}
