import Foundation
import Glibc
import Support
import TestSupport

/// A program on a pseudo-terminal, used as a person would: type, and read until a text appears.
actor Terminal {
    private let process: pid_t
    private let master: FileHandle
    private let output: AsyncStream<Piece>
    private var unread = ""
    private var status: Int32?
    /// Everything that was shown, without colours and cursor movements.
    private var transcript = ""

    private enum Piece: Sendable {
        case text(String)
        case ended(status: Int32)
    }

    struct Ended: Error, CustomStringConvertible {
        let expected: String
        let transcript: String
        var description: String { "the program ended before it showed '\(expected)'; it showed:\n\(transcript)" }
    }

    struct CannotStart: Error {
        let step: String
        let code: Int32
    }

    init(_ program: String, _ arguments: [String] = [], environment: [String: String]) throws {
        let (master, slave) = try Self.openTerminal()
        defer { close(slave) }
        self.master = FileHandle(fileDescriptor: master, closeOnDealloc: true)
        process = try Spawn.start(
            [program] + arguments, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            descriptors: [slave, slave, slave])
        let (output, sink) = AsyncStream.makeStream(of: Piece.self)
        self.output = output
        // Reading and waiting block, which no thread of Swift's pool may do. Reading ends with EIO when the program has
        // gone.
        Thread.detachNewThread { [process] in
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while case let count = read(master, &buffer, buffer.count), count > 0 {
                sink.yield(.text(String(decoding: buffer.prefix(count), as: UTF8.self)))
            }
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            sink.yield(.ended(status: status))
            sink.finish()
        }
    }

    func type(_ line: String) throws { try master.write(contentsOf: Data((line + "\n").utf8)) }

    /// Reads until the text appears; the output after it is left for the next call.
    func expect(_ text: String) async throws {
        if take(text) { return }
        for await piece in output {
            add(piece)
            if take(text) { return }
        }
        throw Ended(expected: text, transcript: transcript + Self.plain(unread))
    }

    /// Waits until the program has ended, and returns its exit code; negative: the signal that ended it.
    func end() async -> Int32 {
        for await piece in output { add(piece) }
        guard let status else { return -1 }
        return status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
    }

    /// What the kernel reports about the program, for the report of a test in which it hangs.
    var processState: String {
        ["status", "wchan", "syscall"].map { name in
            let text = (try? String(contentsOfFile: "/proc/\(process)/\(name)", encoding: .utf8)) ?? "none"
            return "\(name): "
                + text.split(separator: "\n").filter {
                    name != "status" || $0.hasPrefix("State") || $0.hasPrefix("Sig")
                }
                .joined(separator: ", ")
        }.joined(separator: "\n")
    }

    func terminate() {
        // Not after `waitpid`: the number may then belong to another process.
        if status == nil { kill(process, SIGTERM) }
    }

    private func add(_ piece: Piece) {
        switch piece {
        case .text(let text): unread += text
        case .ended(let status): self.status = status
        }
    }

    private func take(_ text: String) -> Bool {
        // A sequence that is cut off by the end of a piece is complete after the next one.
        let plain = Self.plain(unread)
        guard let found = plain.range(of: text) else { return false }
        transcript += plain[..<found.upperBound]
        unread = String(plain[found.upperBound...])
        return true
    }

    private static func plain(_ text: String) -> String {
        text.replacing(/\u{1b}\[[0-9;?]*[A-Za-z]/, with: "").replacing(/[\r\u{1}\u{2}]/, with: "")
    }

    // MARK: System calls

    /// Does what posix_openpt, unlockpt and ptsname do, which are not visible to Swift.
    private static func openTerminal() throws -> (master: Int32, slave: Int32) {
        let (unlock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)  // TIOCSPTLCK, TIOCGPTN
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard master >= 0 else { throw CannotStart(step: "open /dev/ptmx", code: errno) }
        var (locked, number): (Int32, Int32) = (0, 0)
        guard ioctl(master, unlock, &locked) == 0, ioctl(master, getNumber, &number) == 0 else {
            throw CannotStart(step: "unlock a terminal", code: errno)
        }
        let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw CannotStart(step: "open /dev/pts/\(number)", code: errno) }
        // Raw: what is typed is not shown a second time by the terminal.
        var settings = termios()
        tcgetattr(slave, &settings)
        cfmakeraw(&settings)
        tcsetattr(slave, TCSANOW, &settings)
        return (master, slave)
    }
}
