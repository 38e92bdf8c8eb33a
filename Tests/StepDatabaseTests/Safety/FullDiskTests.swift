import Foundation
import StepDomain
import TestSupport
import Testing

@testable import StepDatabase

/// A file system of 1 MB, full to the last byte.
@Suite(.timeLimit(.minutes(5)), .enabled(if: geteuid() == 0, "only root can mount one")) struct FullDiskTests {
    private func run(_ words: String...) throws -> Int32 {
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// SQLite reports a disk failure if the index of its log cannot grow, and a failed open if the log cannot be created.
    @Test func `a disk without a byte left is full, not broken, and is used again when there is room`() throws {
        try withDirectory { directory in
            try #require(try run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", directory) == 0)
            defer { _ = try? run("umount", "-l", directory) }
            let history = try Fixture(directory)
            try history.merge(slot(0, 10))
            try history.database.close()
            let filler = directory + "/filler"
            let file = open(filler, O_CREAT | O_WRONLY, 0o600)
            try #require(file >= 0)
            var chunk = [UInt8](repeating: 1, count: 4096)
            while write(file, &chunk, chunk.count) > 0 {}
            try #require(errno == ENOSPC)
            try #require(HistoryFileProbe.freeSpace(directory) == 0)
            close(file)
            // A reader needs no space.
            for _ in 0..<2 {
                let reader = try StepDatabase(path: history.path, for: .reading)
                #expect(try reader.stepData(of: history.user, on: day).tracks.first?.samples == [slot(0, 10)])
            }
            let samples = (1...3000).map { slot($0, 1, length: 60) }
            for _ in 0..<2 {
                let error = historyError {
                    let database = try StepDatabase(path: history.path)
                    _ = try database.merge(SampleBatch(samples: samples), sync: history.sync)
                }
                #expect(error == .noSpace(path: history.path))
                #expect(error?.category == .temporary)
            }
            unlink(filler)
            let database = try StepDatabase(path: history.path)
            #expect(try database.merge(SampleBatch(samples: samples), sync: history.sync).added == 3000)
        }
    }
}
