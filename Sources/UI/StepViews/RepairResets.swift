import StepDomain

extension SalvageReport {
    /// Names each value that was replaced, and what that means.
    func showResets(in page: inout TextPage) {
        if !headerNumbers.isEmpty {
            page.paragraph(
                "Corrected in the header of the file: \(headerNumbers.map(\.words).joined(separator: ", "))", hanging: 2
            )
        }
        let (changed, replaced) = (resets.filter(\.isKept), resets.filter { !$0.isKept })
        show(
            replaced, "Values that could not be read or cannot be correct. Their rows were saved without them:",
            in: &page)
        show(changed, "Values that are not as they were stored (checksum). They are kept:", in: &page)
    }

    private func show(_ resets: [Reset], _ heading: String, in page: inout TextPage) {
        if resets.isEmpty { return }
        page.paragraph(heading)
        for reset in resets {
            var line = Printable(reset.table, limit: 32).description
            if let name = reset.pedometer {
                line =
                    reset.table == "pedometer"
                    ? "\(Printable(name, limit: 32))" : "\(line) of \(Printable(name, limit: 32))"
            } else {
                line += " (\(Words.count(reset.rows, "row")))"
            }
            page.paragraph("\(line): \(reset.words)", indent: 2, hanging: 4)
        }
    }
}

extension SalvageReport.HeaderNumber {
    fileprivate var words: String {
        switch self {
        case .version: "the version number (user_version)"
        case .applicationID: "the application ID (application_id)"
        }
    }
}

extension SalvageReport.Reset {
    /// A wrong checksum does not say which value was changed: nothing is replaced.
    fileprivate var isKept: Bool { column == "checksum" }

    /// What was replaced, and what follows from it.
    fileprivate var words: String {
        switch (table, column) {
        case ("pedometer", "cursor"):
            "how far it has been read is lost; the next sync asks for everything that it still holds"
        case ("pedometer", "clock"):
            "when its clock was set is lost; steps that it recorded before its clock is next set count in today's time zone"
        case ("pedometer", "options"): "its options are lost; if it needs any, forget it and add it again with them"
        case ("pedometer", "model"): "its model is lost; forget it and add it again"
        case ("pedometer", "name"), ("person", "name"): "the name is taken from its second copy, or made up"
        case ("sync", "pedometer"): "the pedometer is taken from the samples"
        case ("sample", "checksum"):
            "steps of \(Words.count(rows, "day")); compare the days below with a backup"
        case (_, "checksum"): "compare it with a backup"
        case (_, "sync"): "the sync is taken from the neighbouring rows"
        default: "\(Printable(column, limit: 32)) is reset"
        }
    }
}
