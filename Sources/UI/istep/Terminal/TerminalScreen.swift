import Dispatch
import Foundation
import Synchronization

/// The whole screen of a terminal: its alternate buffer, without a cursor, and keys as they are pressed.
///
/// The terminal is left as it was found on every way out, `leave` may be called at any time and more than once.
final class TerminalScreen: Sendable {
    struct NotATerminal: Error {}

    private let output = Output.standard
    /// How the terminal was, as long as it is changed.
    private let found: Mutex<termios?> = Mutex(nil)

    /// The one that has changed the terminal, for a process that has to end at once.
    private static let current: Mutex<TerminalScreen?> = Mutex(nil)

    /// Leaves the terminal as it was, if one is changed: before the process ends in the middle of a command.
    static func leaveCurrent() { current.withLock { $0 }?.leave() }

    static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    var size: (columns: Int, lines: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// - Throws: `NotATerminal`.
    func enter() throws {
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { throw NotATerminal() }
        let isFirst = found.withLock { found in
            defer { found = found ?? before }
            return found == nil
        }
        guard isFirst else { return }
        Self.current.withLock { $0 = self }
        change(before)
    }

    /// Changes the terminal again after another process may have set it. Keys that were pressed meanwhile are kept.
    func renew() {
        guard let before = found.withLock(\.self) else { return }
        change(before)
    }

    private func change(_ before: termios) {
        var raw = before
        cfmakeraw(&raw)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
        // xterm's alternate screen (1049) and cursor (25): ctlseqs.
        output.write("\u{1b}[?1049h\u{1b}[?25l\u{1b}[2J")
    }

    func leave() {
        guard var before = found.withLock({ $0.take() }) else { return }
        Self.current.withLock { $0 = nil }
        output.write("\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l")
        // Keys that were pressed meanwhile are not for the shell. A lost terminal cannot be set any more.
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
    }

    /// - Returns: whether the terminal is still there.
    func show(_ lines: [String]) -> Bool {
        // One write, so that no half picture is seen.
        output.put(Self.picture(lines, height: size.lines)) == 0
    }

    /// Each line is erased before it is written: after the last column, the cursor of xterm and of the Linux console
    /// stays on it, and erasing to the end of the line would take the last character away.
    static func picture(_ lines: [String], height: Int) -> String {
        let rest = Array(repeating: "", count: max(0, height - lines.count))
        return "\u{1b}[H" + (lines + rest).map { "\u{1b}[K" + $0 }.joined(separator: "\r\n")
    }

    // MARK: Events

    enum Event: Sendable {
        case bytes([UInt8])
        case resized
        /// The process continues after it was stopped: the terminal may be in any state.
        case continued
        /// Another process asks this one to stop.
        case suspend
        case lost
    }

    /// Reports what happens at the terminal, until `stop` is called.
    final class Events {
        private let report: @Sendable (Event) -> Void
        private let signals: SignalHandlers
        private var keys: (any DispatchSourceRead)?

        /// Returns when signals are reported. To be made before the terminal is entered: until then SIGTSTP stops the
        /// process, which would leave a changed terminal behind.
        init(_ report: @escaping @Sendable (Event) -> Void) async {
            self.report = report
            signals = SignalHandlers([SIGWINCH, SIGCONT, SIGTSTP]) { number in
                report(number == SIGWINCH ? .resized : number == SIGCONT ? .continued : .suspend)
            }
            await signals.registered()
        }

        /// Reports keys from now on.
        func readKeys() {
            let keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
            let isLost = Mutex(false)
            keys.setEventHandler { [report] in
                if isLost.withLock({ $0 }) { return }
                var buffer = [UInt8](repeating: 0, count: 256)
                let count = read(STDIN_FILENO, &buffer, buffer.count)
                if count > 0 { return report(.bytes(Array(buffer[..<count]))) }
                if count < 0, errno == EINTR || errno == EAGAIN { return }
                // Nothing more will come: EIO, or the end of the input.
                isLost.withLock { $0 = true }
                report(.lost)
            }
            keys.activate()
            self.keys = keys
        }

        func stop() {
            keys?.cancel()
            signals.cancel()
            signal(SIGTSTP, SIG_DFL)
        }
    }

    /// Stops the process as Ctrl-Z does, with the terminal as it was; returns when it continues.
    func suspend() throws {
        leave()
        // Sent to this thread: another thread could handle a signal to the process, and this one would enter the
        // terminal before it stops.
        raise(SIGSTOP)
        try enter()
    }
}
