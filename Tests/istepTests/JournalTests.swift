import Foundation
import Testing

@testable import istep

@Suite(.timeLimit(.minutes(5))) struct JournalTests {
    /// What systemd writes into the variable for a descriptor.
    private func variable(of descriptor: Int32) -> String {
        var status = stat()
        #expect(fstat(descriptor, &status) == 0)
        return "\(status.st_dev):\(status.st_ino)"
    }

    @Test func `a journal stream is recognised by its device and inode`() {
        var (one, other) = ([Int32](repeating: 0, count: 2), [Int32](repeating: 0, count: 2))
        #expect(pipe(&one) == 0 && pipe(&other) == 0)
        defer { for descriptor in one + other { close(descriptor) } }
        #expect(JournalStream.isConnected(to: one[1], variable: variable(of: one[1])))
        // The variable was inherited by a program whose output goes elsewhere.
        #expect(!JournalStream.isConnected(to: other[1], variable: variable(of: one[1])))
        #expect(!JournalStream.isConnected(to: one[1], variable: nil))
        #expect(!JournalStream.isConnected(to: -1, variable: variable(of: one[1])))
    }

    @Test(arguments: ["", ":", "8", "8:", ":8", "8:x", "-1:-1", "8:9:10", "99999999999999999999:1", " 8:9"])
    func `an invalid variable matches no stream`(_ text: String) {
        #expect(!JournalStream.isConnected(to: STDERR_FILENO, variable: text))
    }

    @Test func `every line has a priority prefix`() {
        #expect(JournalStream.prefixed("one", .warning) == "<4>one")
        #expect(JournalStream.prefixed("one\ntwo\n", .error) == "<3>one\n<3>two\n<3>")
        #expect(JournalPriority.allCases.map(\.rawValue) == Array(0...7))
    }
}
