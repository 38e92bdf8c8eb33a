public import StepDomain

/// A destination as it is, compared with what this version expects of it.
public struct InspectionView: View {
    let destination: String
    let location: String
    let inspection: DestinationInspection

    public init(_ destination: any ShareDestination, _ inspection: DestinationInspection) {
        (self.destination, location, self.inspection) = (destination.name, destination.location, inspection)
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        page.path("\(Printable(destination, limit: 32)):", location)
        page.paragraph(Printable(inspection.description, limit: 200).description, indent: 2)
        if inspection.findings.isEmpty {
            page.paragraph(
                "It has what this istep needs, and takes the days that are sent.", emphasis: .good, indent: 2)
        }
        for finding in inspection.findings {
            let text = Printable(finding.text, limit: 300).description
            // The name of a table stays as it is.
            let sentence = text.hasPrefix("istep.") ? text : text.prefix(1).uppercased() + text.dropFirst()
            page.paragraph(sentence + ".", emphasis: .bad, indent: 2, hanging: 4)
            page.paragraph(Printable(finding.advice, limit: 700).description, indent: 4)
        }
        return page.lines
    }
}

/// `istep postgres check --json`.
extension InspectionView: Described {
    public static let keys: [JSONKey<InspectionView>] = [
        .version, .init(.configuredName) { $0.destination },
        .init("place", .text, "The server and its database.") { $0.location },
        .init("description", .text, "Version of the server and of the schema, and the name of this machine there.") {
            $0.inspection.description
        },
        .init("isReady", .boolean, "Whether nothing was found.") { $0.inspection.findings.isEmpty },
        .list("findings", "What differs from what is expected.") { $0.inspection.findings },
    ]
}

extension DestinationInspection.Finding: Described {
    public static let keys: [JSONKey<DestinationInspection.Finding>] = [
        .init("kind", .choice(Kind.self), "What it concerns: enrolment is that of a user whose days are sent.") {
            $0.kind.rawValue
        },
        .init("text", .text, "What was found.") { $0.text },
        .init("advice", .text, "What to do about it.") { $0.advice },
    ]
}

extension JSONDocument {
    public static let inspection = JSONDocument(
        "inspection", "What a shared database lacks, or has otherwise than this istep needs.", InspectionView.self)
}
