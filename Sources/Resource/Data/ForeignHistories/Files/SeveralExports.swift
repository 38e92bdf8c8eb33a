import StepDomain

// Files of two exports in one folder would count some steps twice, and a day that the newer export has corrected
// downwards would keep its steps.

extension FileRelation {
    /// That of files of which one export has only one of each kind, where it has no more.
    static func oneOfEach(_ kinds: [[ForeignFile]], or relation: FileRelation) -> FileRelation {
        kinds.first { $0.count > 1 }.map { FileRelation.exports($0.exportNames) } ?? relation
    }
}

extension [ForeignFile] {
    /// The names of files that stand for an export each: their folders, if each has one of its own.
    var exportNames: [String] {
        let paths = map { $0.name.split(separator: "/") }
        guard let first = paths.first else { return [] }
        let common = first.indices.first { index in paths.contains { $0.dropFirst(index).first != first[index] } } ?? 0
        let folders = paths.map { $0.prefix(common + 1).joined(separator: "/") }
        return Set(folders).count == count ? folders : map(\.name)
    }
}

/// The minutes that files of one kind have. Parts of one export have none in common.
struct FileMinutes {
    private struct Known {
        let file: ForeignFile
        /// A bit for each minute of a day.
        var bits = [UInt64](repeating: 0, count: (1440 + 63) / 64)
    }

    /// Files of one export that have minutes of the same day: more would take memory and time.
    private static let maximumFiles = 16

    /// By the day of UTC: what each file has of it.
    private var days: [Int: [Known]] = [:]

    /// Notes the minute of a record.
    ///
    /// - Precondition: a time that the collector takes (`isPossible`).
    /// - Throws: `ImportError.severalExports` if another file has it; `.tooMuch`.
    mutating func note(_ moment: Timestamp, of file: ForeignFile, in tree: FileTree) throws(ImportError) {
        let day = moment.seconds / 86_400, minute = moment.seconds % 86_400 / 60
        let (word, bit) = (minute / 64, UInt64(1) << UInt64(minute % 64))
        var own: Int?
        for (index, known) in (days[day] ?? []).enumerated() {
            if known.file === file {
                own = index
            } else if known.bits[word] & bit != 0 {
                throw .severalExports(path: tree.path, files: [known.file, file].exportNames)
            }
        }
        let index = own ?? days[day]?.count ?? 0
        if index == Self.maximumFiles { throw .tooMuch("more than \(Self.maximumFiles) files with steps of one day") }
        if own == nil { days[day, default: []].append(Known(file: file)) }
        days[day]?[index].bits[word] |= bit
    }
}
