import Foundation
import Glibc

/// A program on a pseudo-terminal, as a person would use it: type, and read on until something shows up.
actor Terminal {
    private let process = Process()
    private let master: FileHandle
    private let output: AsyncStream<String>
    private var unread = ""
    /// Everything that was shown, without colours and cursor movements.
    private(set) var transcript = ""

    struct Ended: Error, CustomStringConvertible {
        let expected: String
        let transcript: String
        var description: String { "the program ended before it showed '\(expected)'; it showed:\n\(transcript)" }
    }

    struct NoTerminal: Error {
        let code: Int32
    }

    init(_ program: String, _ arguments: [String] = [], environment: [String: String]) throws {
        // As posix_openpt, unlockpt and ptsname do it, which Swift does not see.
        let (unlock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)  // TIOCSPTLCK, TIOCGPTN
        let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (locked, number): (Int32, Int32) = (0, 0)
        guard descriptor >= 0, ioctl(descriptor, unlock, &locked) == 0, ioctl(descriptor, getNumber, &number) == 0 else {
            throw NoTerminal(code: errno)
        }
        let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw NoTerminal(code: errno) }
        // Raw: what is typed is not shown a second time by the terminal.
        var settings = termios()
        tcgetattr(slave, &settings)
        cfmakeraw(&settings)
        tcsetattr(slave, TCSANOW, &settings)
        master = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let end = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
        (process.standardInput, process.standardOutput, process.standardError) = (end, end, end)
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (output, sink) = AsyncStream.makeStream(of: String.self)
        self.output = output
        try process.run()
        try end.close()
        // Its own thread: reading a terminal blocks, and ends with EIO when the program has gone.
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
                sink.yield(String(decoding: buffer.prefix(count), as: UTF8.self))
            }
            sink.finish()
        }
    }

    func type(_ line: String) throws { try master.write(contentsOf: Data((line + "\n").utf8)) }

    /// Reads on until the text shows up; what comes after it is for the next call.
    func expect(_ text: String) async throws {
        if take(text) { return }
        for await piece in output {
            unread += piece
            if take(text) { return }
        }
        transcript += Self.plain(unread)
        throw Ended(expected: text, transcript: transcript)
    }

    private func take(_ text: String) -> Bool {
        // A sequence that is cut off by the end of a piece is whole after the next one.
        let plain = Self.plain(unread)
        guard let found = plain.range(of: text) else { return false }
        transcript += plain[..<found.upperBound]
        unread = String(plain[found.upperBound...])
        return true
    }

    /// Ends the program if it has not ended by itself, and returns its exit code.
    func end() async -> Int32 {
        for await piece in output { unread += piece }
        transcript += Self.plain(unread)
        unread = ""
        process.waitUntilExit()
        return process.terminationStatus
    }

    func kill() { if process.isRunning { process.terminate() } }

    private static func plain(_ text: String) -> String {
        text.replacing(/\u{1b}\[[0-9;?]*[A-Za-z]/, with: "").replacing(/[\r\u{1}\u{2}]/, with: "")
    }
}
