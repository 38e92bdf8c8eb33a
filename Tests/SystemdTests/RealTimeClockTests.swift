import Foundation
import Testing

@testable import Systemd

@Suite(.timeLimit(.minutes(5))) struct RealTimeClockTests {
    /// By the content of `since_epoch` of each clock.
    @Test(arguments: [
        ([], false), (["1764000000"], true), (["9"], false), (["9", "1764000000\n"], true), (["?"], true),
    ])
    func `a clock without a battery is none`(clocks: [String], exists: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("istep-rtc-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (number, text) in clocks.enumerated() {
            let clock = folder.appendingPathComponent("rtc\(number)")
            try FileManager.default.createDirectory(at: clock, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: clock.appendingPathComponent("since_epoch"))
        }
        #expect(RealTimeClock.exists(in: folder.path, since: 1_735_689_600) == exists)
        #expect(RealTimeClock.exists(in: folder.path + "/none", since: 1_735_689_600))
    }
}
