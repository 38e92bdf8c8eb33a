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

    /// SQLite reports a disk failure if the index of its log cannot grow, and a failed open if the log cannot be
    /// created.
    ///
    /// The history is made elsewhere and copied: no file may have been deleted from the disk before it is full. A
    /// program that another test is starting at that moment still holds the deleted file for an instant, and releases
    /// its space after that.
    @Test func `a full disk is reported as full, and the history is usable once there is space`() throws {
        try withDirectory { directory in
            let disk = directory + "/disk", path = disk + "/history.sqlite"
            let history = try Fixture(directory)
            try history.merge(slot(0, 10))
            try history.database.close()
            try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
            try #require(try run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk) == 0)
            defer { _ = try? run("umount", "-l", disk) }
            try FileManager.default.copyItem(atPath: history.path, toPath: path)
            let filler = disk + "/filler"
            let file = open(filler, O_CREAT | O_WRONLY, 0o600)
            try #require(file >= 0)
            var chunk = [UInt8](repeating: 1, count: 4096)
            while write(file, &chunk, chunk.count) > 0 {}
            try #require(errno == ENOSPC)
            close(file)
            try #require(HistoryFileProbe.freeSpace(disk) == 0)
            // A reader needs no space.
            for _ in 0..<2 {
                let reader = try StepDatabase(path: path, for: .reading)
                #expect(try reader.dayData(of: history.user, on: day).tracks.first?.samples == [slot(0, 10)])
            }
            let samples = (1...3000).map { slot($0, 1, length: 60) }
            for _ in 0..<2 {
                let error = historyError {
                    let database = try StepDatabase(path: path)
                    _ = try database.merge(SampleBatch(samples: samples), sync: history.sync)
                }
                #expect(error == .noSpace(path: path))
                #expect(error?.category == .temporary)
            }
            unlink(filler)
            let database = try StepDatabase(path: path)
            #expect(try database.merge(SampleBatch(samples: samples), sync: history.sync).added == 3000)
        }
    }
}
