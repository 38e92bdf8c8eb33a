import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct SpawnTests {
    @Test(arguments: [0, 3] as [Int32]) func `the exit status of a child is returned`(status: Int32) throws {
        let child = try Spawn.start("/bin/sh", ["sh", "-c", "exit \(status)"], environment: [:], descriptors: [:])
        #expect(Spawn.wait(for: child) == status)
        #expect(Spawn.wait(for: child) == nil, "it is no child any more")
    }

    @Test func `a child that was killed has no exit status`() throws {
        let child = try Spawn.start("/bin/sh", ["sh", "-c", "kill -9 $$"], environment: [:], descriptors: [:])
        #expect(Spawn.wait(for: child) == nil)
    }
}
