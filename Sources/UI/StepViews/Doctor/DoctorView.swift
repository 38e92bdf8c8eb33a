public import StepDomain

/// What a checkup found: a line for each check, below what is wrong its cause and fix, and a summary.
public struct DoctorView: View {
    let findings: [Finding]
    let isTerse: Bool
    let now: Timestamp
    let localTime: LocalTime

    /// - Parameters:
    ///   - isTerse: leaves out what is in order.
    ///   - now: for text such as `3 hours ago`.
    public init(_ findings: [Finding], isTerse: Bool = false, now: Timestamp, localTime: LocalTime) {
        self.findings = findings
        self.isTerse = isTerse
        self.now = now
        self.localTime = localTime
    }

    public func lines(_ style: TextStyle) -> [String] {
        var last: Finding?
        var lines: [String] = []
        for finding in findings {
            let more = self.lines(of: finding, after: last, style)
            if !more.isEmpty { last = finding }
            lines += more
        }
        return lines + summary(style)
    }

    /// The lines of one finding, so that each can be shown as soon as it is known.
    ///
    /// - Parameter last: the finding that was shown before it.
    public func lines(of finding: Finding, after last: Finding?, _ style: TextStyle) -> [String] {
        let severity = finding.diagnosis.severity
        if isTerse, severity.isWell { return [] }
        var page = TextPage(style)
        if last?.area != finding.area {
            if last != nil { page.blank() }
            page.row(StyledText(finding.area.words, .strong))
        }
        let words = DiagnosisWords(finding.diagnosis, now: now, localTime: localTime)
        let subject = Printable(words.subject, limit: 32)
        let message = Printable(words.message, limit: 600)
        page.paragraph("\(severity.mark(style)) \(subject): \(message)", emphasis: severity.emphasis, hanging: 4)
        if let fix = words.fix { page.advice(fix, mark: "> ", indent: 4) }
        return page.lines
    }

    /// The last line.
    public func summary(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        let (faults, warnings, skipped) = (count(.fault), count(.warning), count(.skipped))
        var parts: [String] = []
        if faults > 0 { parts.append(Words.count(faults, "fault")) }
        if warnings > 0 { parts.append(Words.count(warnings, "warning")) }
        if skipped > 0 { parts.append("\(Words.count(skipped, "check")) skipped") }
        page.blank()
        if let legend = legend(style) { page.paragraph(legend, emphasis: .faint) }
        guard faults + warnings > 0 else {
            page.wrap(StyledText(skipped == 0 ? "No problems found." : "No problems found (\(parts.joined())).", .good))
            return page.lines
        }
        page.paragraph(parts.joined(separator: ", ") + ".", emphasis: faults > 0 ? .bad : .doubtful)
        return page.lines
    }

    /// Explains the two marks that are not self-explanatory, if they are shown.
    private func legend(_ style: TextStyle) -> String? {
        guard !isTerse else { return nil }
        let marks: [(Severity, String)] = [(.note, "a note, nothing is wrong"), (.skipped, "not checked")]
        let shown = marks.filter { mark in findings.contains { $0.diagnosis.severity == mark.0 } }
        return shown.isEmpty ? nil : shown.map { "\($0.0.mark(style)) \($0.1)" }.joined(separator: "; ")
    }

    private func count(_ kind: SeverityKind) -> Int { findings.count { $0.diagnosis.severity.kind == kind } }
}

/// `istep doctor --json`.
extension DoctorView: Described {
    public static let keys: [JSONKey<DoctorView>] = [
        .version,
        .init("faults", .integer, "Number of faults.") { $0.count(.fault) },
        .init("warnings", .integer, "Number of warnings.") { $0.count(.warning) },
        .list("findings", "In the order of the checks: what others depend on comes first.") { view in
            view.findings.map {
                Entry(
                    finding: $0, words: DiagnosisWords($0.diagnosis, now: view.now, localTime: view.localTime))
            }
        },
    ]
}

private struct Entry: Described {
    let finding: Finding, words: DiagnosisWords

    // Some names are those of version 1, which programs read.
    static let keys: [JSONKey<Entry>] = [
        .init("check", .text, "Key of the check, such as adapter.") { $0.finding.check.rawValue },
        .init("area", .choice(Finding.Area.self), "What is checked.") { $0.finding.area.rawValue },
        .init("subject", .text, "What it is about, for people.") { $0.words.subject },
        .init("grade", .choice(SeverityKind.self), "Its severity.") { $0.finding.diagnosis.severity.kind.rawValue },
        .init("trouble", .nullable(.choice(FailureCategory.self)), "Of a fault: its category, as that of an error.") {
            $0.finding.diagnosis.severity.category?.rawValue
        },
        .init("message", .text, "What was found.") { $0.words.message },
        .init("cure", .nullable(.text), "What to do.") { $0.words.fix?.description },
        .init("commands", .list(.text), "The commands of cure, each to be pasted into a shell.") {
            $0.words.fix?.commands.map { $0.text() } ?? []
        },
    ]
}

/// A severity without its details.
private enum SeverityKind: String, CaseIterable { case fine, note, warning, fault, skipped }

extension Severity {
    fileprivate var kind: SeverityKind {
        switch self {
        case .fine: .fine
        case .note: .note
        case .warning: .warning
        case .fault: .fault
        case .skipped: .skipped
        }
    }

    fileprivate var isWell: Bool { self == .fine || self == .note || self == .skipped }

    fileprivate func mark(_ style: TextStyle) -> String {
        switch self {
        case .fine: style.unicode ? "✓" : "+"
        case .note: style.unicode ? "·" : "."
        case .warning: "!"
        case .fault: style.unicode ? "✗" : "x"
        case .skipped: style.unicode ? "–" : "-"
        }
    }

    fileprivate var emphasis: StyledText.Emphasis? {
        switch self {
        case .fine, .note: nil
        case .warning: .doubtful
        case .fault: .bad
        case .skipped: .faint
        }
    }
}

extension Finding.Area {
    fileprivate var words: String {
        switch self {
        case .bluetooth: "Bluetooth"
        case .time: "Time"
        case .configuration: "Configuration"
        case .history: "History"
        case .pedometers: "Pedometers"
        case .sharing: "Sharing"
        case .schedule: "Automatic sync"
        }
    }
}

extension JSONDocument {
    public static let doctor = JSONDocument(
        "doctor", "What each check has found.",
        DoctorView.self)
}
