import Foundation
import StepDomain
import StepViews
import Synchronization

/// Lines to standard output or standard error, unbuffered, so that both stay in order also in a journal.
struct Output: Sendable {
    static let standard = Output(descriptor: STDOUT_FILENO)
    static let error = Output(descriptor: STDERR_FILENO)

    let descriptor: Int32
    /// Whether it is connected directly to the journal, which accepts a priority in front of each line.
    private let isJournal: Bool

    init(descriptor: Int32) {
        self.descriptor = descriptor
        isJournal =
            getenv("JOURNAL_STREAM").map { JournalStream.isConnected(to: descriptor, variable: String(cString: $0)) }
            ?? false
    }

    /// Writes a line of a message. A failure to write is ignored: it could not be reported anywhere.
    func line(_ text: String, _ priority: JournalPriority = .information) { write(marked(text, priority) + "\n") }

    func write(_ text: String) { _ = put(text) }

    /// Writes a line of a result. A failure is thrown: a user who stores results must learn that one is missing.
    ///
    /// A reader that stops reading (`istep show | head -1`) is not a failure.
    func result(_ text: String, _ priority: JournalPriority = .information) throws(OutputFailure) {
        let code = put(marked(text, priority) + "\n")
        if code == EPIPE {
            Self.lostReader.store(true, ordering: .relaxed)
            Self.readerEnd.continuation.finish()
        }
        guard code == 0 || code == EPIPE else { throw OutputFailure(code: code) }
    }

    private static let lostReader = Atomic(false)

    /// Whether a result could not be written because its reader has gone.
    static var hasLostReader: Bool { lostReader.load(ordering: .relaxed) }

    private static let readerEnd = AsyncStream.makeStream(of: Never.self)

    /// Returns when the reader of results has gone, or the task is cancelled: a command that runs until it is ended,
    /// ends then.
    static func untilReaderEnds() async { for await _ in readerEnd.stream {} }

    /// Writes a JSON document, the whole result for a program.
    func document(_ text: String) throws(OutputFailure) {
        Self.documents.withLock { $0 += 1 }
        try result(text)
    }

    private static let documents = Mutex(0)

    /// Whether the command has printed a document.
    static var hasDocument: Bool { documents.withLock { $0 > 0 } }

    private static let zoneIsNoted = Atomic(false)

    /// - Returns: whether it was not noted yet that days are of another zone than the user's.
    static func noteZone() -> Bool { !zoneIsNoted.exchange(true, ordering: .relaxed) }

    /// For the next command of the same process.
    static func reset() {
        documents.withLock { $0 = 0 }
        zoneIsNoted.store(false, ordering: .relaxed)
    }

    private func marked(_ text: String, _ priority: JournalPriority) -> String {
        isJournal ? JournalStream.prefixed(text, priority) : text
    }

    /// - Returns: 0, or the `errno` of the write that failed.
    func put(_ text: String) -> Int32 {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // Whoever started this, or shares the terminal, has made it non-blocking: wait until the reader has
                // made room.
                var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&output, 1, -1)
                continue
            }
            guard count > 0 else { return count < 0 ? errno : EIO }
            bytes = bytes.dropFirst(count)
        }
        return 0
    }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Whether a line can be overwritten: by a terminal that understands control sequences.
    var isOverwritable: Bool { isTerminal && getenv("TERM").map { String(cString: $0) } != "dumb" }

    /// The terminal's width; nil if there is no terminal, or if it does not report a width.
    var columns: Int? {
        var size = winsize()
        return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
    }

    /// Opens descriptors 0 to 2 if the caller closed them (`istep show >&-`). Otherwise the next file that is opened,
    /// possibly the history, would become standard output. They are opened for reading only, so that a lost result is
    /// reported.
    static func reserveStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDONLY)  // uses the lowest free descriptor: this one
        }
    }
}

/// The result could not be written to standard output.
struct OutputFailure: ReportableError {
    /// `errno`
    let code: Int32

    var category: FailureCategory { .unforeseen }
    var advice: String? { "Free some space or write elsewhere, then show it again." }

    var description: String { "The result could not be written: \(String(cString: strerror(code)))." }
}

extension TextStyle {
    /// What the terminal at `output` can show.
    ///
    /// - Parameters:
    ///   - environment: `NO_COLOR`, `TERM`, `COLUMNS` and the locale's variables are used.
    ///   - commands: what commands in advice need.
    init(_ output: Output, environment: [String: String], commands: CommandOptions = CommandOptions()) {
        // Some programs set 0 if they do not know the width.
        let columns = [output.columns, Int(environment["COLUMNS"] ?? "")].compactMap(\.self).first { $0 > 0 } ?? 80
        let plain = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        let locale = [environment["LC_ALL"], environment["LC_CTYPE"], environment["LANG"]].compactMap(\.self)
            .first { !$0.isEmpty }?.uppercased()
        self.init(
            width: columns, colour: output.isTerminal && !plain && environment["TERM"] != "dumb",
            // Without a locale (a service, a container) the reader is not known. Journals and pagers accept UTF-8.
            unicode: locale.map { $0.contains("UTF-8") || $0.contains("UTF8") } ?? true, commands: commands)
    }
}

/// What a command prints, as its options ask for.
extension Wiring {
    var isForPrograms: Bool { options.isForPrograms }

    /// Prints what is left out with `--quiet`.
    func say(_ text: String) throws(OutputFailure) {
        if !options.isQuiet { try Output.standard.result(text) }
    }

    /// How text is written to standard output.
    var style: TextStyle {
        var style = Self.style(options)
        style.units = units
        return style
    }

    func show(_ view: some View) throws {
        noteUnknownZone()
        try Self.show(view, options, style)
    }

    /// Shows what is left out with `--quiet`.
    func confirm(_ view: some View) throws { if !options.isQuiet || options.isForPrograms { try show(view) } }

    /// For what needs no configuration.
    static func show(_ view: some View, _ options: GlobalOptions, _ style: TextStyle? = nil) throws {
        if options.isForPrograms {
            try Output.standard.document(try view.json())
        } else {
            for line in view.lines(style ?? Self.style(options)) { try Output.standard.result(line) }
        }
    }

    static func style(_ options: GlobalOptions) -> TextStyle {
        TextStyle(.standard, environment: ProcessEnvironment.current, commands: CommandOptions(options))
    }

    func progress() -> Progress {
        if options.isQuiet { return Progress(.silent) }
        return Progress(Output.error.isOverwritable ? .overwriting : .lines)
    }
}
