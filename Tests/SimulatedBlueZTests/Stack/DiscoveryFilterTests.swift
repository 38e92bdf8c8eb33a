import DBus
import Testing

@testable import SimulatedBlueZ

@Suite(.timeLimit(.minutes(5))) struct DiscoveryFilterTests {
    private let ring = Advertisement(
        name: "R02_A1B2", services: ["6e40fff0-b5a3-f393-e0a9-e50e24dcca9e"], txPower: 4, rssi: -60)

    private func hears(_ options: [[String: DBusValue]]) throws -> Bool {
        let filters = try options.map { try DiscoveryFilter.parse($0) }
        return DiscoveryFilter.anyMatches(filters, ring, address: "C0:DE:52:02:A1:B2")
    }

    @Test func `a matching filter accepts the ring`() throws {
        #expect(try hears([[:]]))
        #expect(try hears([["UUIDs": .strings(["180d", "6E40FFF0-B5A3-F393-E0A9-E50E24DCCA9E"])]]))
        #expect(try hears([["Pattern": .string("R02_")]]))
        #expect(try hears([["Pattern": .string("C0:DE:52")]]))
        #expect(try hears([["RSSI": .int16(-70), "Transport": .string("le")]]))
        #expect(try hears([["Pathloss": .uint16(70)]]))
    }

    @Test func `a filter that does not match rejects the ring`() throws {
        #expect(try !hears([["UUIDs": .strings(["180d"])]]))
        #expect(try !hears([["Pattern": .string("2_A1")]]))
        #expect(try !hears([["RSSI": .int16(-50)]]))
        #expect(try !hears([["Pathloss": .uint16(50)]]))
        #expect(try !hears([["Transport": .string("bredr")]]))
    }

    @Test func `the filters of several clients are alternatives`() throws {
        #expect(try hears([["UUIDs": .strings(["180d"])], [:]]))
        #expect(try !hears([["Pattern": .string("X")], ["Pattern": .string("Y")]]))
        // If one client has no pattern, no pattern counts.
        #expect(try hears([["Pattern": .string("X")], ["Transport": .string("le")]]))
    }

    @Test(
        arguments: [
            ["Bogus": .string("x")], ["UUIDs": .strings(["zzz"])], ["UUIDs": .string("180f")],
            ["Transport": .string("foo")],
            ["RSSI": .int16(-60), "Pathloss": .uint16(10)], ["RSSI": .int32(-60)], ["Pattern": .boolean(true)],
        ] as [[String: DBusValue]])
    func `invalid filter options are rejected`(options: [String: DBusValue]) {
        #expect(throws: BlueZError.invalidArguments) { try DiscoveryFilter.parse(options) }
    }

    @Test func `an empty filter counts as no filter`() throws {
        #expect(try DiscoveryFilter.parse(["Transport": .string("auto"), "UUIDs": .strings([])]) == nil)
    }
}
