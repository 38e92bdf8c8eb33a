import Foundation
import StepDatabase
import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct ReopenedHistoryTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("istep-test-\(UUID().uuidString)")
            .path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder + "/history.sqlite")
    }

    @Test func `a missing history is not created`() throws {
        try withFolder { path in
            let source = ReopenedHistory(path: path, backups: nil)
            #expect {
                _ = try source.history()
            } throws: {
                source.isMissing($0)
            }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `a history that is only read is kept open, shows what others write, and creates nothing`() throws {
        try withFolder { path in
            let source = ReopenedHistory(path: path, backups: nil, isReadOnly: true)
            #expect {
                _ = try source.history()
            } throws: {
                source.isMissing($0)
            }
            #expect(!FileManager.default.fileExists(atPath: path))
            let other = try StepDatabase(path: path)
            let history = try source.history()
            _ = try other.addUser(named: "anna")
            #expect(try history.users().map(\.name) == ["anna"])
            #expect(try source.history() as? StepDatabase === history as? StepDatabase)
            #expect(throws: HistoryError.self) { _ = try history.addUser(named: "bob") }
        }
    }

    @Test func `another error is not a missing history`() throws {
        try withFolder { path in
            try Data("no history".utf8).write(to: URL(fileURLWithPath: path))
            let source = ReopenedHistory(path: path, backups: nil)
            #expect {
                _ = try source.history()
            } throws: {
                !source.isMissing($0) && ($0 as? any ReportableError)?.category == .data
            }
        }
    }

    @Test func `the history stays open until its file is replaced`() throws {
        try withFolder { path in
            _ = try StepDatabase(path: path).addUser(named: "anna")
            let source = ReopenedHistory(path: path, backups: nil)
            let first = try source.history(), second = try source.history()
            #expect(first as AnyObject === second as AnyObject)
            _ = try StepDatabase(path: path + ".new").addUser(named: "ben")
            #expect(rename(path + ".new", path) == 0)
            #expect(try source.history().users().map(\.name) == ["ben"])
        }
    }
}
