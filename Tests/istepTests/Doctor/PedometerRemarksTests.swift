import BlueZ
import Pedometers
import StepDomain
import Testing

@testable import istep

/// What a trial to read a pedometer comes to, for all ways in which it can end.
@Suite struct PedometerRemarksTests {
    private static let address = "C0:DE:00:00:00:01"
    private let ring = Pedometer(id: 1, user: 1, model: "colmi", address: address, addressType: "random", name: "ring")

    private func remarks(isHeard: Bool = true, isPaired: Bool = false, isConnected: Bool = false) throws -> PedometerRemarks {
        let address = try #require(DeviceAddress(Self.address))
        return PedometerRemarks(ring, isHeard ? Discovery(address: address, rssi: -60, isConnected: isConnected, isPaired: isPaired) : nil)
    }

    private func failed(_ reason: ConnectFailure.Reason) -> BluetoothError {
        .connectFailed(Self.address, reason: ConnectFailure(reason))
    }

    @Test func itAnswers() throws {
        #expect(try remarks().of(ReadReport(battery: 76)) == [Remark(.fine, "ring", "it answers, battery 76 %, signal -60 dBm")])
        #expect(try remarks(isHeard: false).of(ReadReport()) == [Remark(.fine, "ring", "it answers")], "a bonded one calls us alone")
        #expect(try remarks(isConnected: true).of(ReadReport()).map(\.grade) == [.fine, .note])
        #expect(try remarks().of(ReadReport(battery: 14)).map(\.grade) == [.fine, .warning])
    }

    @Test func whatItNoticed() throws {
        func grades(_ notice: SyncNotice) throws -> [Grade] { try remarks().of(ReadReport(notices: [notice])).map(\.grade) }
        #expect(try grades(.clockWasOff(seconds: -7200)) == [.fine, .warning])
        #expect(try remarks().of(ReadReport(notices: [.clockWasOff(seconds: -7260)]))[1].message.contains("by -2 h 1 min"))
        #expect(try grades(.clockWasOff(seconds: nil)) == [.fine, .warning])
        #expect(try grades(.undecodable(frames: 2)) == [.fine, .warning])
        #expect(try grades(.implausible(samples: 2)) == [.fine])
    }

    @Test func itIsNotThere() throws {
        let remark = try #require(try remarks(isHeard: false).of(BluetoothError.peripheralNotFound(Self.address, seconds: 3)).first)
        #expect(remark.grade == .fault(.temporary) && remark.message.contains("not in range"))
    }

    @Test(arguments: ConnectFailure.Reason.allCases) func everyReasonHasACure(_ reason: ConnectFailure.Reason) throws {
        for isPaired in [false, true] {
            let remark = try #require(try remarks(isPaired: isPaired).of(failed(reason)).first)
            #expect(remark.grade.isFault && remark.cure?.isEmpty == false)
        }
    }

    @Test func aPairingThatIsLostOrMayBe() throws {
        #expect(try remarks().of(failed(.pairingBroken))[0].grade == .fault(.permission))
        #expect(try remarks().of(BluetoothError.notPaired(doing: "reading"))[0].message.contains("demands pairing"))
        #expect(try remarks(isPaired: true).of(BluetoothError.notPaired(doing: "reading"))[0].message.contains("lost on one side"))
        let paired = try remarks(isPaired: true).of(failed(.cancelled))[0]
        #expect(paired.cure?.contains("bluetoothctl remove \(Self.address)") == true)
        #expect(try remarks().of(failed(.cancelled))[0].cure?.contains("remove") == false)
        #expect(try remarks(isPaired: true).of(failed(.busy))[0].cure?.contains("remove") == false, "that is another program")
    }

    @Test func whateverElse() throws {
        #expect(try remarks().of(PedometerError.wrongDevice(model: "ring", missing: "fff0"))[0].grade == .fault(.unavailable))
        #expect(try remarks().of(PedometerError.noAnswer(to: "at all", seconds: 5))[0].grade == .fault(.temporary))
        #expect(try remarks().of(CancellationError())[0].grade == .fault(.temporary))
    }
}
