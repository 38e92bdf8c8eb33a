import Foundation
public import StepDomain

/// A format that can be read: one file in `Formats` and a line in `ForeignFiles.readers`.
protocol FormatReader: Sendable {
    var format: ForeignFormat { get }
    /// Those of the files that it reads, recognised by their content. Empty if it is another format.
    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile]
    /// Reads its files.
    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError)
}

/// Reads files of other programs: recognises the format, and reads the steps of each source.
public struct ForeignFiles: ForeignHistoryReader {
    public init() {}

    /// In the order of `istep import --formats`. The generic one counts only where no other fits.
    static let readers: [any FormatReader] = [
        GadgetbridgeReader(), FitbitReader(), AppleHealthReader(), ZeppReader(), ColmiClientReader(), GarminDBReader(),
        HealthConnectReader(),
        SamsungHealthReader(), GoogleFitReader(), GarminAccountReader(), FITReader(), WithingsReader(), OuraReader(),
        ITDReader(),
        AmazfishReader(), J4velinReader(), IstepHistoryReader(),
    ]
    static let generic: any FormatReader = CSVReader()

    public var formats: [ForeignFormat] { (Self.readers + [Self.generic]).map(\.format) }

    public func read(
        _ path: String, _ options: ForeignOptions, progress: @Sendable (_ done: Double) throws -> Void
    ) throws -> ForeignHistory {
        let path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        let tree = try FileTree(path)
        let (reader, files) = try reader(of: tree, options)
        let collector = ForeignCollector(options)
        try reader.read(files, of: tree, into: collector)
        let (tracks, notes) = collector.finish()
        return ForeignHistory(
            format: reader.format, path: path, tracks: tracks, zone: collector.hasOffsets ? .records : options.zone,
            notes: notes)
    }

    private func reader(of tree: FileTree, _ options: ForeignOptions) throws(ImportError) -> (
        any FormatReader, [ForeignFile]
    ) {
        if let key = options.format {
            guard let reader = (Self.readers + [Self.generic]).first(where: { $0.format.key == key }) else {
                throw .noSuchFormat(key, known: formats.map(\.key))
            }
            let files = try reader.files(of: tree)
            if files.isEmpty { throw .notOfFormat(path: tree.path, format: key) }
            return (reader, files)
        }
        // Columns say that it is a table.
        var found: [(any FormatReader, [ForeignFile])] = []
        for reader in Self.readers where options.columns.isEmpty {
            let files = try reader.files(of: tree)
            if !files.isEmpty { found.append((reader, files)) }
        }
        if found.count > 1 { throw .ambiguousFormat(path: tree.path, candidates: found.map { $0.0.format.key }) }
        if let only = found.first { return only }
        let tables = try Self.generic.files(of: tree)
        if tables.count == 1 { return (Self.generic, tables) }
        let hint: String? =
            tables.count > 1
            ? "it has \(tables.count) tables; import one of them" : tree.files.isEmpty ? "it is empty" : nil
        throw .unknownFormat(path: tree.path, hint: hint)
    }
}
