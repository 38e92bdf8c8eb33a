import Foundation
import StepViews

/// Lines to standard output or standard error, unbuffered, so that both stay in order also in a journal.
struct Output: Sendable {
    static let standard = Output(descriptor: STDOUT_FILENO)
    static let error = Output(descriptor: STDERR_FILENO)

    let descriptor: Int32

    func line(_ text: String) { write(text + "\n") }

    func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }     // nobody reads any more: nothing to tell it to
            bytes = bytes.dropFirst(count)
        }
    }

    var isTerminal: Bool { isatty(descriptor) == 1 }
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
