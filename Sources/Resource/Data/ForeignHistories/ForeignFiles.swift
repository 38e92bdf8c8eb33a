import Foundation
public import StepDomain
import Support

/// A format that can be read: one file in `Formats` and a line in `ForeignFiles.readers`.
protocol FormatReader: Sendable {
    var format: ForeignFormat { get }
    /// Whether its files name the users whose steps they have.
    var namesUsers: Bool { get }
    /// How often it reads its files from end to end.
    var passes: Int { get }
    /// What several files of a folder are to each other.
    func relation(of files: [ForeignFile]) -> FileRelation
    /// Those of the files that it reads, recognised by their content. Empty if it is another format.
    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile]
    /// The same where the user has named the format: also a file that does not say by itself what it counts.
    func namedFiles(of tree: FileTree) throws(ImportError) -> [ForeignFile]
    /// Reads its files.
    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError)
}

extension FormatReader {
    var namesUsers: Bool { false }
    var passes: Int { 1 }
    func relation(of files: [ForeignFile]) -> FileRelation { .exports(files.map(\.name)) }
    func namedFiles(of tree: FileTree) throws(ImportError) -> [ForeignFile] { try files(of: tree) }
}

/// What several files of a folder are to each other.
enum FileRelation: Equatable {
    /// Several whole exports, such as databases, by their names: copies, or the same in an older state. One of them has
    /// to be named, because both together would count some steps twice. Imported one after the other, the later one
    /// corrects.
    case exports([String])
    /// Each has a part, and says something alone; the reader takes what two of them say of the same time once.
    case parts
    /// They are one export, and say nothing alone. For the same time, as `parts`.
    case one
}

/// Reads files of other programs: recognises the format, and reads the steps of each source.
public struct ForeignFiles: ForeignHistoryReader {
    private let inUse: [String]

    /// - Parameter inUse: paths of a history that this process has open, and of the files that SQLite has beside it.
    ///   None of them is opened here: a process that closes any descriptor of a file loses all locks that SQLite has on
    ///   it (https://www.sqlite.org/howtocorrupt.html, 2.2).
    public init(inUse: [String] = []) { self.inUse = inUse }

    private func tree(_ path: String) throws(ImportError) -> FileTree { try FileTree(path, except: inUse) }

    /// A relative path refers to the working directory.
    ///
    /// - Throws: an error if that was deleted. It has no path then, and the file would be looked for in `/`.
    private static func absolute(_ path: String) throws(ImportError) -> String {
        guard let absolute = absolutePath(path) else {
            throw .unreadable(path: path, reason: "the working directory does not exist")
        }
        return absolute
    }

    /// In the order of `istep import --formats`. The generic one counts only where no other fits.
    static let readers: [any FormatReader] = [
        GadgetbridgeReader(), FitbitReader(), AppleHealthReader(), ZeppReader(), ColmiClientReader(), GarminDBReader(),
        HealthConnectReader(),
        SamsungHealthReader(), GoogleFitReader(), GarminAccountReader(), FITReader(), WithingsReader(), OuraReader(),
        ITDReader(),
        AmazfishReader(), J4velinReader(), IstepHistoryReader(), IstepExportReader(),
    ]
    static let generic: any FormatReader = CSVReader()

    public var formats: [ForeignFormat] { (Self.readers + [Self.generic]).map(\.format) }

    public func read(
        _ path: String, _ options: ForeignOptions, progress: @escaping (ReadingProgress) -> Void
    ) throws -> ForeignHistory {
        let path = try Self.absolute(path)
        let tree = try tree(path)
        let (reader, files) = try reader(of: tree, options)
        if options.fromUser != nil, !reader.namesUsers { throw ImportError.noUsers(path: path) }
        let collector = ForeignCollector(options)
        let meter = ReadingMeter(files, passes: reader.passes, collector, progress)
        defer { meter.end() }
        try reader.read(files, of: tree, into: collector)
        let (tracks, notes) = collector.finish()
        return ForeignHistory(
            format: reader.format, path: path, tracks: tracks, decisions: collector.decisions,
            zone: collector.hasOffsets ? .records : options.zone, notes: notes)
    }

    /// Newer files of a folder that are looked into; a phone writes one a night.
    private static let maximumTried = 32
    /// Seconds after its last change in which a file can be incomplete.
    private static let writing = 600

    public func newest(
        in path: String, _ options: ForeignOptions, unreadable: Set<String>
    ) throws -> NewestForeignFile {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { throw ImportError.missing(path: path) }
            throw ImportError.unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        if status.st_mode & S_IFMT != S_IFDIR { return NewestForeignFile(file: ForeignFileMark(path, status)) }
        let inUse = Inode.of(inUse)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw ImportError.unreadable(path: path, reason: "the folder cannot be listed")
        }
        let files = names.filter { !$0.hasPrefix(".") }.compactMap { name -> ForeignFileMark? in
            let file = (path as NSString).appendingPathComponent(name)
            guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, !inUse.contains(Inode(status)) else {
                return nil
            }
            return ForeignFileMark(file, status)
        }.sorted { ($0.modified, $0.path) > ($1.modified, $1.path) }
        if let whole = wholeFolder(path, options) { return NewestForeignFile(file: whole) }
        var (damaged, damage): ([String], ImportError?) = ([], nil)
        // What another format or path in the configuration would settle.
        var choice: ImportError?
        for file in files.prefix(Self.maximumTried) {
            do throws(ImportError) {
                if unreadable.contains(file.path) {
                    throw .malformed(path: file.path, reason: "it could not be read")
                }
                _ = try reader(of: tree(file.path), options)
                return NewestForeignFile(file: file, damaged: damaged)
            } catch {
                switch error {
                case .ambiguousFormat, .severalExports, .unnamedCount, .notOfFormat: choice = choice ?? error
                default: break
                }
                // Files that are still being written, and files of other programs, are passed over. A damaged file can
                // be of another program too.
                guard error.isDamage, file.modified / 1_000_000_000 <= options.now.seconds - Self.writing else {
                    continue
                }
                damaged.append(file.path)
                damage = damage ?? error
            }
        }
        // Where exports are folders, an error that names them says more.
        do throws(ImportError) { _ = try reader(of: tree(path), options) } catch {
            if case .severalExports = error { throw error }
        }
        throw damage ?? choice
            ?? ImportError.unknownFormat(
                path: path, hint: files.isEmpty ? "no file stands in it directly, and as a whole it is no export" : nil)
    }

    /// A folder that is one export: as old as the newest of its files. Nil if it is not one.
    private func wholeFolder(_ path: String, _ options: ForeignOptions) -> ForeignFileMark? {
        // Named columns say that it is a table.
        guard options.columns.isEmpty, let tree = try? tree(path),
            Self.readers.contains(where: { reader in
                guard (options.format ?? reader.format.key) == reader.format.key,
                    let files = try? reader.files(of: tree)
                else { return false }
                return files.count > 1 && reader.relation(of: files) == .one
            })
        else { return nil }
        var modified = 0
        for file in tree.files {
            var status = stat()
            guard stat((path as NSString).appendingPathComponent(file.name), &status) == 0 else { continue }
            modified = max(modified, ForeignFileMark(file.name, status).modified)
        }
        return ForeignFileMark(path: path, size: tree.files.reduce(0) { $0 + $1.size }, modified: modified)
    }

    public func export(_ path: String) throws -> (any ExportedHistory)? {
        let path = try Self.absolute(path)
        if try IstepExportReader().files(of: tree(path)).isEmpty { return nil }
        return try IstepExport(path: path).examined()
    }

    private func reader(of tree: FileTree, _ options: ForeignOptions) throws(ImportError) -> (
        any FormatReader, [ForeignFile]
    ) {
        if let key = options.format {
            guard let reader = (Self.readers + [Self.generic]).first(where: { $0.format.key == key }) else {
                throw .noSuchFormat(key, known: formats.map(\.key))
            }
            let files = try reader.namedFiles(of: tree)
            if files.isEmpty {
                try tree.checkBeginnings()
                throw .notOfFormat(path: tree.path, format: key)
            }
            return (reader, try Self.checked(files, of: reader, in: tree))
        }
        // Columns say that it is a table.
        var found: [(any FormatReader, [ForeignFile])] = []
        for reader in Self.readers where options.columns.isEmpty {
            let files = try reader.files(of: tree)
            if !files.isEmpty { found.append((reader, files)) }
        }
        if found.count > 1 { throw .ambiguousFormat(path: tree.path, candidates: found.map { $0.0.format.key }) }
        if let (reader, files) = found.first { return (reader, try Self.checked(files, of: reader, in: tree)) }
        try tree.checkBeginnings()
        let tables = try Self.generic.files(of: tree)
        if tables.count == 1 { return (Self.generic, try Self.checked(tables, of: Self.generic, in: tree)) }
        if tables.count > 1 {
            throw .unknownFormat(path: tree.path, hint: "it has \(tables.count) tables; import one of them")
        }
        for reader in Self.readers where options.columns.isEmpty {
            let files = try reader.namedFiles(of: tree)
            if !files.isEmpty { throw .unnamedCount(path: tree.path, format: reader.format.key) }
        }
        let archive = tree.files.first { $0.kind == .zip }.map { "it has archives, such as \($0.name): extract them" }
        throw .unknownFormat(path: tree.path, hint: tree.files.isEmpty ? "it is empty" : archive)
    }

    private static func checked(
        _ files: [ForeignFile], of reader: any FormatReader, in tree: FileTree
    ) throws(ImportError) -> [ForeignFile] {
        if files.count > 1, case .exports(let names) = reader.relation(of: files) {
            throw .severalExports(path: tree.path, files: names)
        }
        // One that cannot be read may have a part of the steps.
        try tree.checkBeginnings()
        for file in files { try file.checkHead() }
        return files
    }
}

extension ForeignFileMark {
    fileprivate init(_ path: String, _ status: stat) {
        self.init(
            path: path, size: Int(status.st_size),
            modified: Int(status.st_mtim.tv_sec) * 1_000_000_000 + Int(status.st_mtim.tv_nsec))
    }
}
