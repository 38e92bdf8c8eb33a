public import StepDomain

/// What a checkup found: one line for each thing, the cause and the cure below what is not well, and what it comes to.
public struct DoctorView: View {
    let findings: [Finding]
    let isTerse: Bool

    /// - Parameter isTerse: leaves out what is in order.
    public init(_ findings: [Finding], isTerse: Bool = false) {
        self.findings = findings
        self.isTerse = isTerse
    }

    public func lines(_ style: TextStyle) -> [String] {
        var last: Finding?
        var lines: [String] = []
        for finding in findings {
            let more = Self.lines(of: finding, after: last, isTerse: isTerse, style)
            if !more.isEmpty { last = finding }
            lines += more
        }
        return lines + summary(style)
    }

    /// The lines of one finding, so that each can be shown as soon as it is known.
    ///
    /// - Parameter last: the finding that was shown before it.
    public static func lines(of finding: Finding, after last: Finding?, isTerse: Bool = false, _ style: TextStyle) -> [String] {
        let remark = finding.remark
        if isTerse, remark.grade.isWell { return [] }
        var page = Page(style)
        if last?.area != finding.area {
            if last != nil { page.blank() }
            page.line(InkedText(finding.area.words, .strong))
        }
        let subject = Printable(remark.subject, limit: 32)
        let message = Printable(remark.message, limit: 600)
        page.paragraph("\(remark.grade.mark(style)) \(subject): \(message)", ink: remark.grade.ink, hanging: 4)
        if let cure = remark.cure { page.paragraph("> " + Printable(cure, limit: 600).description, indent: 4, hanging: 6) }
        return page.lines
    }

    /// The last line.
    public func summary(_ style: TextStyle) -> [String] {
        var page = Page(style)
        let (faults, warnings, skipped) = (count(.fault), count(.warning), count(.skipped))
        var parts: [String] = []
        if faults > 0 { parts.append(Words.count(faults, "fault")) }
        if warnings > 0 { parts.append(Words.count(warnings, "warning")) }
        if skipped > 0 { parts.append("\(Words.grouped(skipped)) not looked at") }
        page.blank()
        guard faults + warnings > 0 else {
            page.line(InkedText(skipped == 0 ? "All is well." : "All is well that was looked at; \(parts.joined()).", .good))
            return page.lines
        }
        page.paragraph(parts.joined(separator: ", ") + ".", ink: faults > 0 ? .bad : .doubtful)
        return page.lines
    }

    private func count(_ kind: GradeKind) -> Int { findings.count { $0.remark.grade.kind == kind } }
}

extension DoctorView {
    /// `istep doctor --json`.
    public struct Document: Codable, Sendable {
        public struct Entry: Codable, Sendable {
            /// Key of the check, such as `adapter`.
            public var check: String
            /// `bluetooth`, `time`, `configuration`, `history`, `pedometers`, `sharing`, `schedule`.
            public var area: String
            public var subject: String
            /// `fine`, `note`, `warning`, `fault` or `skipped`.
            public var grade: String
            /// Of a fault: `temporary`, `unavailable`, `data`, `usage`, `configuration`, `permission`, `unforeseen`.
            @Nullable public var trouble: String?
            public var message: String
            @Nullable public var cure: String?
        }

        public var version = 1
        public var faults: Int
        public var warnings: Int
        /// In the order in which one thing stands on another.
        public var findings: [Entry]
    }

    public var document: Document {
        Document(faults: count(.fault), warnings: count(.warning), findings: findings.map { finding in
            let remark = finding.remark
            return Document.Entry(
                check: finding.check, area: finding.area.rawValue, subject: remark.subject, grade: remark.grade.kind.rawValue,
                trouble: remark.grade.trouble?.rawValue, message: remark.message, cure: remark.cure)
        })
    }
}

/// A grade without its details.
private enum GradeKind: String { case fine, note, warning, fault, skipped }

extension Grade {
    fileprivate var kind: GradeKind {
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
        case .note: style.unicode ? "·" : "-"
        case .warning: "!"
        case .fault: style.unicode ? "✗" : "x"
        case .skipped: style.unicode ? "–" : "-"
        }
    }

    fileprivate var ink: InkedText.Ink? {
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
        case .schedule: "Every night"
        }
    }
}
