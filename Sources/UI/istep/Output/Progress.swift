import StepViews
import Synchronization

/// Shows what a long command is doing: one line that is overwritten on a terminal, plain lines elsewhere, nothing when
/// quiet. Always on standard error, so that standard output has only results.
final class Progress: Sendable {
    enum Mode: Sendable { case overwriting, lines, silent }

    private let mode: Mode
    private let output: Output
    /// Columns; nil for those of the terminal, which may change.
    private let width: Int?
    private let last = Mutex("")
    /// Only for `lines`: how often each text came, without its numbers.
    private let counts = Mutex<[String: Int]>([:])

    init(_ mode: Mode, output: Output = .error, width: Int? = nil) {
        self.mode = mode
        self.output = output
        self.width = width
    }

    /// - Parameter isDetail: an update of the step before, of which there may be hundreds: not written as a plain line.
    func step(_ text: String, isDetail: Bool = false) {
        guard !isDetail || mode != .lines else { return }
        let isNew = last.withLock { last in
            defer { last = text }
            return last != text
        }
        guard isNew else { return }
        switch mode {
        case .overwriting:
            // A line that the terminal wraps could not be overwritten.
            output.write("\r\u{1b}[K\(Printable(text, limit: max(1, (width ?? output.columns ?? 80) - 1)))")
        case .lines: if isDue(text) { output.line(text) }
        case .silent: break
        }
    }

    /// Whether a line is written that cannot be overwritten. Of lines that count, such as "3 of 352 days", those after
    /// 1, 2, 4, 8… of them: their number stays small.
    private func isDue(_ text: String) -> Bool {
        let shape = text.replacing(/\d+ of \d+/, with: "")
        guard shape != text else { return true }
        let count = counts.withLock { counts in
            counts[shape, default: 0] += 1
            return counts[shape, default: 0]
        }
        return count & (count - 1) == 0
    }

    /// Clears the line for what follows.
    func end() {
        let shown = last.withLock { last in
            defer { last = "" }
            return !last.isEmpty
        }
        if shown, mode == .overwriting { output.write("\r\u{1b}[K") }
    }
}
