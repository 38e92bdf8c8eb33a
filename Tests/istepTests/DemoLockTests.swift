import Foundation
import Testing

@testable import istep

@Suite(.timeLimit(.minutes(5))) struct DemoLockTests {
    private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// The end of a demo may remove it after another command has made sure that it is there.
    @Test func `a missing folder is created again by the start of a demo, but not by its end`() throws {
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

    @Test(arguments: [0, 1, 2])
    func `the folders that a start has made are removed with it, also by a later start, and no others`(_ existing: Int) throws {
        let folder = try Folder()
        let above = folder.path + "/above"
        let world = DemoWorld(folder: above + "/own", isTemporary: false)
        for path in [above, world.folder].prefix(existing) { try #require(mkdir(path, 0o700) == 0) }
        // Twice, as if the first one had been killed.
        for _ in 0..<2 {
            let lock = try #require(try DemoWorld.Lock.take(world, isStart: true))
            world.begin(lock)
            #expect(lock.started.filter { $0.hasPrefix(".") } == Array([".", ".."].dropLast(existing)))
            lock.release()
        }
        let lock = try #require(try DemoWorld.Lock.take(world, isStart: false))
        defer { lock.release() }
        try Data().write(to: URL(fileURLWithPath: world.history))
        // The command that has started the demo knows the same names.
        world.remove(lock, started: lock.started)
        #expect(isThere(folder.path) && isThere(above) == (existing > 0) && isThere(world.folder) == (existing > 1))
        if existing > 1 { #expect(try FileManager.default.contentsOfDirectory(atPath: world.folder).isEmpty) }
    }

    @Test func `a folder that contains something else is not removed`() throws {
        let folder = try Folder()
        let world = DemoWorld(folder: folder.path + "/above/own", isTemporary: false)
        let lock = try #require(try DemoWorld.Lock.take(world, isStart: true))
        defer { lock.release() }
        world.begin(lock)
        let notes = world.folder + "/notes"
        try Data().write(to: URL(fileURLWithPath: notes))
        world.remove(lock)
        #expect(isThere(notes) && !isThere(world.lockPath))
    }
}
