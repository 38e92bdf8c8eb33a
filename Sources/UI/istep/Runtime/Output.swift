import Foundation
import StepViews
import Systemd

/// Lines to standard output or standard error, unbuffered, so that both stay in order also in a journal.
struct Output: Sendable {
    static let standard = Output(descriptor: STDOUT_FILENO)
    static let error = Output(descriptor: STDERR_FILENO)

    let descriptor: Int32
    /// Whether it leads straight to the journal, which takes a priority in front of each line.
    private let isJournal: Bool

    private init(descriptor: Int32) {
        self.descriptor = descriptor
        isJournal = getenv("JOURNAL_STREAM").map { JournalStream.isConnected(to: descriptor, variable: String(cString: $0)) } ?? false
    }

    /// A line of a message: where it cannot be written there is nobody to tell it to.
    func line(_ text: String, _ priority: JournalPriority = .information) { write(marked(text, priority) + "\n") }

    func write(_ text: String) { _ = put(text) }

    /// A line of a result: whoever keeps results has to hear that one is missing.
    ///
    /// A reader who has had enough (`istep show | head -1`) is no failure.
    func result(_ text: String, _ priority: JournalPriority = .information) throws(OutputFailure) {
        let code = put(marked(text, priority) + "\n")
        guard code == 0 || code == EPIPE else { throw OutputFailure(code: code) }
    }

    private func marked(_ text: String, _ priority: JournalPriority) -> String {
        isJournal ? JournalStream.prefixed(text, priority) : text
    }

    /// - Returns: 0, or the `errno` of what could not be written.
    private func put(_ text: String) -> Int32 {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : EIO }
            bytes = bytes.dropFirst(count)
        }
        return 0
    }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Fills descriptors 0 to 2 where the caller closed them (`istep show >&-`): else the next file to be opened, maybe the
    /// history, would be taken for standard output. What fills them cannot be written, so that a lost result is told.
    static func reserveStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDONLY)     // takes the lowest that is free: this one
        }
    }
}

/// The result could not be written to standard output.
struct OutputFailure: Error, CustomStringConvertible {
    /// `errno`
    let code: Int32

    var description: String { "The result could not be written: \(String(cString: strerror(code)))." }
}

extension TextStyle {
    /// What the terminal at `output` can show.
    ///
    /// - Parameter environment: `NO_COLOR`, `TERM`, `COLUMNS` and the locale's variables are looked at.
    init(_ output: Output, environment: [String: String]) {
        var size = winsize()
        let known = ioctl(output.descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        let columns = known ? Int(size.ws_col) : Int(environment["COLUMNS"] ?? "") ?? 80
        let plain = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        let locale = [environment["LC_ALL"], environment["LC_CTYPE"], environment["LANG"]].compactMap(\.self)
            .first { !$0.isEmpty }?.uppercased()
        self.init(
            width: columns, colour: output.isTerminal && !plain && environment["TERM"] != "dumb",
            // No locale at all (a service, a container) says nothing of the reader: UTF-8 is what journals and pagers take.
            unicode: locale.map { $0.contains("UTF-8") || $0.contains("UTF8") } ?? true)
    }
}
