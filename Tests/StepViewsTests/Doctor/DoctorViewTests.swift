import Foundation
import StepDomain
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct DoctorViewTests {
    private static let blocked = Problem.reported(
        .unavailable, message: "hci0 is blocked", advice: "Lift the block with `rfkill unblock bluetooth`")

    private static let findings = [
        Finding(check: .kernel, diagnosis: .bluetooth(.kernelSupported)),
        Finding(check: .radioSwitch, diagnosis: .failed(.radioSwitch, blocked)),
        Finding(check: .adapter, diagnosis: .skipped(.adapter, dependsOn: .radioSwitch)),
        Finding(check: .clock, diagnosis: .time(.clockNotSynchronised(Sample.now))),
        Finding(check: .timers, diagnosis: .schedule(lingering)),
    ]

    private static let lingering = ScheduleDiagnosis(
        .notLingering, timer: "istep-sync.timer", isSystemWide: false, hasWatch: false)

    private static func view(_ findings: [Finding], isTerse: Bool = false) -> DoctorView {
        DoctorView(findings, isTerse: isTerse, now: Sample.now, localTime: Sample.localTime)
    }

    private let view = view(findings)

    @Test func `the view has a line for each finding, and a summary`() {
        #expect(
            view.lines(TextStyle()).joined(separator: "\n") == """
                Bluetooth
                ✓ kernel: Bluetooth is supported
                ✗ radio switch: hci0 is blocked
                    > Lift the block with:
                        rfkill unblock bluetooth
                – adapter: skipped: depends on radio switch

                Time
                ! clock: 2014-04-21T10:30:00+02:00, not set by any time server; pedometers are
                    set by this clock
                    > sudo timedatectl set-ntp true

                Automatic sync
                · lingering: off: the timer runs only while you are logged in
                    > If it should always run:
                        loginctl enable-linger

                · a note, nothing is wrong; – not checked
                1 fault, 1 warning, 1 check skipped.
                """)
    }

    @Test func `without Unicode the view consists of ASCII with marks of its own`() {
        let lines = view.lines(TextStyle(unicode: false))
        #expect(lines.allSatisfy { $0.utf8.allSatisfy { $0 < 128 } })
        #expect(lines[1].hasPrefix("+ kernel") && lines[2].hasPrefix("x radio switch") && !lines.joined().contains("?"))
        #expect(
            lines.contains(". lingering: off: the timer runs only while you are logged in")
                && lines.contains(". a note, nothing is wrong; - not checked"))
    }

    @Test func `a terse view shows only problems`() {
        #expect(
            Self.view(Self.findings, isTerse: true).lines(TextStyle()).joined(separator: "\n") == """
                Bluetooth
                ✗ radio switch: hci0 is blocked
                    > Lift the block with:
                        rfkill unblock bluetooth

                Time
                ! clock: 2014-04-21T10:30:00+02:00, not set by any time server; pedometers are
                    set by this clock
                    > sudo timedatectl set-ntp true

                1 fault, 1 warning, 1 check skipped.
                """)
    }

    @Test func `the summary says that there are no problems, and counts skipped checks`() {
        #expect(Self.view([Self.findings[0]]).lines(TextStyle()).last == "No problems found.")
        #expect(
            Self.view([Self.findings[0], Self.findings[2]]).lines(TextStyle()).last
                == "No problems found (1 check skipped).")
    }

    @Test func `findings printed one by one are the same as all at once`() {
        var last: Finding?
        var lines: [String] = []
        for finding in Self.findings {
            lines += view.lines(of: finding, after: last, TextStyle())
            last = finding
        }
        #expect(lines + view.summary(TextStyle()) == view.lines(TextStyle()))
    }

    @Test func `text of devices does not control the terminal`() {
        let problem = Problem.reported(.data, message: "said \u{7}\u{202e}evil", advice: "\u{9b}31m")
        let diagnosis = Diagnosis.failed(.pedometer("ring\u{1b}[2J"), problem)
        let text = Self.view([Finding(check: .pedometer, diagnosis: diagnosis)]).lines(TextStyle())
            .joined()
        #expect(!text.unicodeScalars.contains { [.control, .format].contains($0.properties.generalCategory) })
    }

    @Test func `the document contains every finding with its severity and its commands`() throws {
        let document = try ReadDocument(view)
        #expect(document.version == 1)
        #expect(document.faults == 1 && document.warnings == 1)
        #expect(document.findings.list.map(\.grade) == ["fine", "fault", "skipped", "warning", "note"])
        #expect(document.findings[1].trouble == "unavailable")
        #expect(
            document.findings[1].cure == "Lift the block with rfkill unblock bluetooth"
                && document.findings[1].commands == ["rfkill unblock bluetooth"])
        #expect(document.findings[0].area == "bluetooth" && document.findings[0].check == "kernel")
        #expect(try view.json().contains("\"cure\" : null"))
    }

    /// Programs rely on the keys, whatever the code calls the values.
    @Test func `the keys of the document stay the same`() throws {
        let object = try JSONSerialization.jsonObject(with: Data(view.json().utf8)) as? [String: Any]
        let findings = try #require(object?["findings"] as? [[String: Any]])
        #expect(
            Set(findings[1].keys) == ["check", "area", "subject", "grade", "trouble", "message", "cure", "commands"])
    }
}
