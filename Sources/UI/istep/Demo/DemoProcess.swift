import Foundation
import StepDomain
import StepViews
import Support

/// The process of a demo: it simulates the Bluetooth, and makes steps until it is ended.
///
/// Its standard input and output are pipes to the command that started it. It prints `ready` and the address of the
/// bus, and waits for `done`: if the command ends without that, so does the demo.
struct DemoProcess {
    let folder: DemoFolder
    let pedometers: [DemoPedometer]

    /// Seconds between two steps: 20 a minute, so that the count visibly grows, but not beyond a day's steps if the
    /// demo is left running.
    private static let secondsForEachStep = 3

    func run() async throws {
        setsid()  // it must not receive the terminal's signals
        let lock: DemoFolder.Lock
        do throws(CommandFailure) {
            guard let taken = try DemoFolder.Lock.take(folder, isStart: true) else {
                return Output.standard.write("busy\n")
            }
            lock = taken
        } catch {
            return Output.standard.write("failed \(ErrorText(error).line)\n")
        }
        defer { lock.release() }
        folder.begin(lock)
        do {
            let bluetooth = try await SimulatedBluetooth.start(pedometers)
            Output.standard.write("ready \(bluetooth.address)\n")
            let isWanted = await StandardInput.line() == "done"
            if isWanted {
                lock.setStarted([])
                try? folder.write(DemoFolder.State(bus: bluetooth.address, pedometers: pedometers.map(\.key)))
                Output.standard.write("running\n")
                await walk(bluetooth, lock)
            }
            await bluetooth.stop()
        } catch {
            Output.standard.write("failed \(ErrorText(error).line)\n")
        }
        // Another demo may use the folder by now.
        if lock.isInPlace { folder.remove(lock) }
    }

    /// Until it is cancelled or its folder is removed.
    private func walk(_ bluetooth: SimulatedBluetooth, _ lock: DemoFolder.Lock) async {
        var seconds = 0
        while !Task.isCancelled, lock.isInPlace {
            try? await Task.sleep(for: .seconds(1))
            seconds += 1
            if seconds % Self.secondsForEachStep == 0 { await bluetooth.step() }
        }
    }
}

/// A demo's process, as the command that starts it sees it.
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

    /// - Returns: nil if a demo runs in the folder already.
    /// - Throws: `CommandFailure`.
    static func start(_ folder: DemoFolder, _ pedometers: [DemoPedometer]) async throws -> StartedDemo? {
        let input = Pipe(), output = Pipe()
        let arguments =
            ["istep", DemoCommand.name, "--background-folder", folder.path]
            + (folder.isTemporary ? ["--temporary"] : [])
            + pedometers.flatMap { ["--pedometer", $0.key] }
        let process: pid_t
        do {
            process = try Spawn.start(
                "/proc/self/exe", arguments,
                // TMPDIR puts the bus into the folder, too. The background process inherits only the variables that it
                // needs.
                environment: Self.environment.merging(["TMPDIR": folder.path, "LIBDISPATCH_LOG": "NO"]) { $1 },
                descriptors: [
                    0: input.fileHandleForReading.fileDescriptor, 1: output.fileHandleForWriting.fileDescriptor,
                ])
        } catch {
            throw CommandFailure(.unforeseen, "The demo could not be started: \(error).")
        }
        try? input.fileHandleForReading.close()
        try? output.fileHandleForWriting.close()
        let reader = LineReader(output.fileHandleForReading)
        let answer = try await blocking { reader.next() } ?? ""
        let words = answer.split(separator: " ", maxSplits: 1).map(String.init)
        if words.count == 2, words[0] == "ready" {
            return StartedDemo(bus: words[1], process: process, input: input.fileHandleForWriting, output: reader)
        }
        Spawn.wait(for: process)
        if answer == "busy" { return nil }
        throw CommandFailure(.unavailable, words.count == 2 ? words[1] : "The demo could not be started.")
    }

    /// Lets it go on when this command has ended.
    func leaveRunning() async throws {
        try input.write(contentsOf: Data("done\n".utf8))
        guard try await blocking({ [output] in output.next() }) == "running" else {
            throw CommandFailure(.unavailable, "The demo ended before its start was complete.")
        }
    }

    /// Ends it, and waits until it has removed its files.
    func end() async {
        try? input.close()
        kill(process, SIGTERM)
        _ = try? await blocking { [process] in Spawn.wait(for: process) }
    }

    private static var environment: [String: String] {
        ProcessEnvironment.current.filter {
            ["PATH", "HOME", "USER", "LOGNAME", "TZ", "LANG", "LC_ALL"].contains($0.key)
        }
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
