import Synchronization

/// What a long command is doing: one line that is written over on a terminal, plain lines elsewhere, nothing when quiet.
/// Always on standard error, so that results stay alone on standard output.
final class Progress: Sendable {
    enum Manner: Sendable { case overwriting, lines, silent }

    private let manner: Manner
    private let output: Output
    private let width: Int
    private let last = Mutex("")

    init(_ manner: Manner, output: Output = .error, width: Int = 80) {
        self.manner = manner
        self.output = output
        self.width = width
    }

    func step(_ text: String) {
        let isNew = last.withLock { last in
            defer { last = text }
            return last != text
        }
        guard isNew else { return }
        switch manner {
        case .overwriting: output.write("\r\u{1b}[K" + text.prefix(width - 1))
        case .lines: output.line(text)
        case .silent: break
        }
    }

    /// Clears the line for what follows.
    func end() {
        let shown = last.withLock { last in
            defer { last = "" }
            return !last.isEmpty
        }
        if shown, manner == .overwriting { output.write("\r\u{1b}[K") }
    }
}
