import Foundation
import Testing

@testable import istep

@Suite(.timeLimit(.minutes(5))) struct DemoLockTests {
    private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// The end of a demo may remove it after another command has made sure that it is there.
    @Test func `a start that has no folder any more makes it again, and an end does not`() throws {
        let folder = try Folder()
        let world = DemoWorld(folder: folder.path + "/demo", isTemporary: true)
        let isTaken = try DemoWorld.Lock.take(world, isStart: false) != nil
        #expect(!isTaken && !isThere(world.folder))
        let lock = try #require(try DemoWorld.Lock.take(world, isStart: true))
        defer { lock.release() }
        #expect(lock.isInPlace)
        try Data().write(to: URL(fileURLWithPath: world.history))
        world.remove(lock)
        #expect(!lock.isInPlace && !isThere(world.folder))
    }

    @Test func `only files that a start creates are removed with it`() throws {
        let folder = try Folder()
        let world = DemoWorld(folder: folder.path + "/own", isTemporary: false)
        let lock = try #require(try DemoWorld.Lock.take(world, isStart: true))
        defer { lock.release() }
        let outside = folder.path + "/outside", diary = world.folder + "/steps.csv"
        try Data().write(to: URL(fileURLWithPath: diary))
        lock.setStarted(world.filesToStart)
        #expect(lock.started.contains("history.sqlite") && !lock.started.contains("steps.csv"))
        lock.setStarted(["history.sqlite", "../outside"])
        for path in [outside, world.history] { try Data().write(to: URL(fileURLWithPath: path)) }
        // A history that goes on is not one of them.
        #expect(world.filesToStart.isEmpty)
        world.remove(lock)
        #expect(!isThere(world.history) && !isThere(world.lockPath))
        #expect(isThere(outside) && isThere(diary))
    }
}
