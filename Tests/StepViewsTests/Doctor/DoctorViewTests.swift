import Foundation
import StepDomain
import StepViews
import Testing

@Suite struct DoctorViewTests {
    private static let findings = [
        Finding(check: "kernel", area: .bluetooth, remark: Remark(.fine, "kernel", "it speaks Bluetooth")),
        Finding(
            check: "switch", area: .bluetooth,
            remark: Remark(.fault(.unavailable), "radio switch", "hci0 is blocked", cure: "rfkill unblock bluetooth")),
        Finding(check: "adapter", area: .bluetooth, remark: Remark(.skipped, "adapter", "not looked at: radio switch comes first")),
        Finding(check: "clock", area: .time, remark: Remark(.warning, "clock", "not set by any time server")),
        Finding(check: "clock", area: .time, remark: Remark(.note, "time zone", "UTC")),
    ]

    private let view = DoctorView(findings)

    @Test func oneLineForEachAndWhatItComesTo() {
        #expect(view.lines(TextStyle()).joined(separator: "\n") == """
            Bluetooth
            ✓ kernel: it speaks Bluetooth
            ✗ radio switch: hci0 is blocked
                > rfkill unblock bluetooth
            – adapter: not looked at: radio switch comes first

            Time
            ! clock: not set by any time server
            · time zone: UTC

            1 fault, 1 warning, 1 not looked at.
            """)
    }

    @Test func withoutUnicode() {
        let lines = view.lines(TextStyle(unicode: false))
        #expect(lines.allSatisfy { $0.utf8.allSatisfy { $0 < 128 } })
        #expect(lines[1].hasPrefix("+ kernel") && lines[2].hasPrefix("x radio switch") && !lines.joined().contains("?"))
    }

    @Test func terse() {
        #expect(DoctorView(Self.findings, isTerse: true).lines(TextStyle()).joined(separator: "\n") == """
            Bluetooth
            ✗ radio switch: hci0 is blocked
                > rfkill unblock bluetooth

            Time
            ! clock: not set by any time server

            1 fault, 1 warning, 1 not looked at.
            """)
    }

    @Test func allWell() {
        #expect(DoctorView([Self.findings[0]]).lines(TextStyle()).last == "All is well.")
        #expect(DoctorView([Self.findings[0], Self.findings[2]]).lines(TextStyle()).last == "All is well that was looked at; 1 not looked at.")
    }

    @Test func aLineAtATimeIsTheSameAsAllAtOnce() {
        var last: Finding?
        var lines: [String] = []
        for finding in Self.findings {
            lines += DoctorView.lines(of: finding, after: last, TextStyle())
            last = finding
        }
        #expect(lines + view.summary(TextStyle()) == view.lines(TextStyle()))
    }

    @Test func whatOthersSaidDoesNotSteerTheTerminal() {
        let remark = Remark(.fault(.data), "ring\u{1b}[2J", "said \u{7}\u{202e}evil", cure: "\u{9b}31m")
        let text = DoctorView([Finding(check: "pedometer", area: .pedometers, remark: remark)]).lines(TextStyle()).joined()
        #expect(!text.unicodeScalars.contains { [.control, .format].contains($0.properties.generalCategory) })
    }

    @Test func theDocument() throws {
        let document = try JSONDecoder().decode(DoctorView.Document.self, from: Data(view.json().utf8))
        #expect(document.version == 1)
        #expect(document.faults == 1 && document.warnings == 1)
        #expect(document.findings.map(\.grade) == ["fine", "fault", "skipped", "warning", "note"])
        #expect(document.findings[1].trouble == "unavailable")
        #expect(document.findings[1].cure == "rfkill unblock bluetooth")
        #expect(document.findings[0].area == "bluetooth" && document.findings[0].check == "kernel")
        #expect(try view.json().contains("\"cure\" : null"))
    }
}
