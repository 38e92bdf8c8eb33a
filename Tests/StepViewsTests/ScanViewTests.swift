import Foundation
import StepDomain
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct ScanViewTests {
    private let ring = ScannedDevice(
        address: "C0:DE:00:00:00:01", addressType: "public", name: "R02_A1B2", rssi: -60,
        kind: PedometerKind(key: "colmi", title: "a smart ring"))
    private let other = ScannedDevice(
        address: "C0:DE:00:00:00:02", addressType: "random", services: ["180d"], isConnected: true, isPaired: true)

    @Test func `devices are shown as a table`() {
        #expect(
            ScanView(rows: [ring, other], hidden: 1).text() == """
                C0:DE:00:00:00:01   -60 dBm  R02_A1B2   a smart ring
                C0:DE:00:00:00:02         -  (no name)  connected, paired
                1 other device in range is not recognised as a pedometer. To see it:
                  istep scan --all
                1 of these devices is of no known model. To recognise a model by its services:
                  istep scan --all --probe
                If one is your pedometer, find the value with its steps, and register it:
                  istep gatt list ADDRESS
                  istep add ADDRESS --model generic --service UUID --characteristic UUID
                """)
    }

    @Test func `what to do about devices of no known model is shown once, and not for registered ones`() {
        let next = "of these devices are of no known model."
        let text = ScanView(rows: [other, ring, other]).text()
        #expect(text.components(separatedBy: next).count == 2 && text.hasSuffix("--characteristic UUID"), "\(text)")
        // Their services are known by now.
        let probed = ScanView(rows: [other, other], probing: .init(limit: 10)).text()
        #expect(
            probed.contains("2 \(next)") && !probed.contains("scan --all --probe")
                && probed.contains("\n  istep gatt list ADDRESS"))
        #expect(!ScanView(rows: [ring, other], registered: [other.address: "mine"]).text().contains("known model"))
    }

    @Test func `the evidence for a model is shown, and its uncertainty`() {
        var row = ring
        row.kind?.caveat = "Its midnight is not proven."
        let words: [KindEvidence: String] = [
            .name: "by its name", .advertisedData: "by its data",
            .advertisedService: "by its service",
            .services: "by its services",
        ]
        for (evidence, text) in words {
            row.evidence = evidence
            #expect(
                ScanView(rows: [row, row]).text().hasSuffix(
                    "\(text): a smart ring (experimental)\na smart ring is experimental: Its midnight is not proven."),
                "once")
        }
        let text = ScanView(rows: [ring], probing: .init(limit: 10, failures: [ring.address: "it refused"])).text()
        #expect(text.contains("Its services are not known: it refused"))
    }

    @Test func `if a model does not fit beside the name, the models are shown below the devices`() {
        var row = ring
        row.kind?.title = "SmartHealth ring (R10M, R99, TK5)"
        row.evidence = .advertisedService
        #expect(
            ScanView(rows: [row, other], registered: [other.address: "mine"]).text() == """
                C0:DE:00:00:00:01   -60 dBm  R02_A1B2
                    by its service: SmartHealth ring (R10M, R99, TK5)
                C0:DE:00:00:00:02         -  (no name)
                    registered as 'mine', connected, paired
                """)
    }

    @Test func `if a name does not fit beside its address, it is shown below`() {
        var row = ring
        row.name = "A ring with a long name"
        #expect(
            ScanView(rows: [row]).lines(TextStyle(width: 40)) == [
                "C0:DE:00:00:00:01   -60 dBm", "    A ring with a long name", "    a smart ring",
            ])
    }

    @Test func `a device whose services contradict its name is shown, and so is the limit of connections`() {
        var row = ring
        (row.kind, row.evidence) = (nil, nil)
        let text = ScanView(rows: [row], probing: .init(unlisted: 1, limit: 10, refuted: [row.address: "smart ring"]))
            .text()
        #expect(text.contains("Its services are not those of this model: smart ring."))
        #expect(
            text.contains(
                "1 other device in range was not connected to: at most 10 are. To see it:\n  istep scan --all"))
        #expect(!text.contains("recognised"))
    }

    @Test func `listed devices beyond the limit of connections are counted`() {
        let text = ScanView(rows: [ring, other], probing: .init(skipped: 2, limit: 10)).text()
        #expect(text.contains("2 of these devices were not connected to: at most 10 are."))
        #expect(text.contains("\n  istep gatt list ADDRESS"))
    }

    @Test func `devices that an interrupted scan has not connected to are counted with that reason`() {
        let text = ScanView(
            rows: [ring, other], probing: .init(skipped: 2, unlisted: 1, limit: 10, isInterrupted: true)
        ).text()
        #expect(text.contains("2 of these devices were not connected to: the command was interrupted."))
        #expect(text.contains("1 other device in range was not connected to: the command was interrupted"))
    }

    @Test func `a scan that heard no device reports this, unless it was filtered`() {
        let text = ScanView(rows: []).text()
        #expect(
            text.contains("No pedometer found, and no other Bluetooth device was heard.")
                && text.contains("\n  istep doctor"))
        let others = [
            ScanView(rows: [], isFiltered: true), ScanView(rows: [], hidden: 1),
            ScanView(rows: [], probing: .init(unlisted: 1, limit: 10)),
        ]
        for view in others {
            #expect(view.text().contains("No pedometer found. Bring it close") && !view.text().contains("doctor"))
        }
    }

    @Test func `a scan for a name that finds none says what it searched for, and what is in range`() {
        let text = ScanView(rows: [], isFiltered: true, namePrefix: "r03", otherNames: ["R02_A1B2", "x\u{7}"]).text()
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let finding = "No device was found whose name begins with 'r03' (in upper or lower case)."
        #expect(words.hasPrefix("\(finding) Names in range: R02_A1B2, x\u{fffd}."))
    }

    @Test func `an empty scan result mentions the other devices`() {
        let text = ScanView(rows: [], hidden: 3).text()
        #expect(text.contains("No pedometer found."))
        #expect(text.contains("3 other devices"))
    }

    @Test func `control characters in device names are replaced`() {
        var row = ring
        row.name = "R02_\u{1b}[2J\u{7}\n\u{202e}evil" + String(repeating: "x", count: 5000)
        let lines = ScanView(rows: [row]).lines(Sample.plain)
        #expect(lines.count == 1)
        #expect(lines[0].contains("R02_\u{fffd}[2J"))
        #expect(lines[0].contains("a smart ring"))
        #expect(!lines[0].unicodeScalars.contains { Printable.isHarmful($0) })
    }

    @Test func `a registered pedometer has its name`() {
        let text = ScanView(rows: [ring, other], registered: [ring.address: "mine\u{7}"]).text()
        #expect(text.contains("R02_A1B2   registered as 'mine\u{fffd}', a smart ring\n"))
    }

    @Test func `the document contains each device and the number of hidden ones`() throws {
        let document = try ReadDocument(
            ScanView(rows: [ring, other], hidden: 4, registered: [ring.address: "mine"]))
        let peripherals = document.peripherals.list
        #expect(document.version == 1 && document.hidden == 4)
        #expect(peripherals.map(\.address) == ["C0:DE:00:00:00:01", "C0:DE:00:00:00:02"])
        #expect(peripherals.map(\.model) == ["colmi", .null])
        #expect(peripherals.map(\.rssi) == [-60, .null])
        #expect(peripherals.last?.services == ["180d"])
        #expect(peripherals.map(\.paired) == [false, true])
        #expect(peripherals.map(\.registeredAs) == ["mine", .null])
    }
}
