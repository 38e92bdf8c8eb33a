import Foundation
import Testing

@testable import Systemd

/// The name of the machine's time zone.
@Suite(.timeLimit(.minutes(5))) struct TimeZoneNameTests {
    @Test(
        arguments: [
            (["TZ": "Europe/Berlin"], "Europe/Berlin"), (["TZ": ":Europe/Berlin"], "Europe/Berlin"),
            (["TZ": "EST5EDT"], "EST5EDT"),
            (["TZ": "CET-1CEST,M3.5.0,M10.5.0/3"], "CET-1CEST,M3.5.0,M10.5.0/3"),
            (["TZ": "<+03>-3"], "<+03>-3"), (["TZ": "Europe/Nowhere"], nil), (["TZ": "nonsense"], nil),
            (["TZ": ""], "UTC"),
            (["TZ": "UTC", "TZDIR": "/nonexistent"], "UTC"), (["TZ": "Europe/Berlin", "TZDIR": "/nonexistent"], nil),
        ] as [([String: String], String?)]) func `a valid TZ variable names the zone`(
            _ environment: [String: String], _ name: String?
        )
    {
        #expect(TimeZoneName.current(environment) == name)
        #expect(TimeZoneName.unknown(environment) == (name == nil ? environment["TZ"] : nil))
    }

    @Test func `without TZ the name of the time zone is that of the machine, or UTC`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("istep-zone-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let link = folder.path + "/localtime"
        #expect(TimeZoneName.current([:], localtime: link) == "UTC", "without one the C library takes UTC")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: "/usr/share/zoneinfo/Europe/Berlin")
        #expect(TimeZoneName.current([:], localtime: link)?.hasSuffix("Berlin") == true)
    }
}
