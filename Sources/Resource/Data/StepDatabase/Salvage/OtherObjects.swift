/// What the file of a history has besides the objects of istep: SQLite's statistics, and tables and indexes that a user
/// has added. A repair does not save them.
///
/// Their rows can resemble rows of istep, so their pages must not count as pages that istep's tables have lost.
struct OtherObjects {
    /// First pages of their trees.
    private(set) var roots: [Int] = []
    /// Names of the tables that a user has added, in the order of the file.
    private(set) var tables: [String] = []
    /// False if there may be more: a row of the schema cannot be read, or an object has a definition that does not fit
    /// its name. It may be one of istep's with a damaged name.
    private(set) var areCertain = true

    /// Names of istep's objects, in all versions.
    private let own: Set<String>

    init(besides own: Set<String>) { self.own = own }

    /// A row of the schema that cannot be read.
    mutating func addUnknown() { areCertain = false }

    /// - Parameter root: the first page; nil if it has none.
    mutating func add(_ object: SchemaObject, root: Int?) {
        // The row of a table has its name twice: either says that it is istep's.
        if own.contains(object.name) || object.type == "table" && own.contains(object.table) { return }
        guard let root else {
            let isWithoutPages = ["view", "trigger"].contains(object.type) || object.isVirtual
            if !isWithoutPages { areCertain = false }
            return
        }
        guard object.isConsistent else {
            areCertain = false
            return
        }
        roots.append(root)
        if object.type == "table", !object.name.hasPrefix("sqlite_") { tables.append(object.name) }
    }
}

extension SchemaObject {
    fileprivate var isVirtual: Bool { type == "table" && sql?.uppercased().hasPrefix("CREATE VIRTUAL ") == true }

    /// Whether the definition of a table or an index is of this name.
    fileprivate var isConsistent: Bool {
        // Names are at the start of a statement, in whatever case and quoted in any of SQLite's ways
        // (https://www.sqlite.org/lang_keywords.html).
        guard name.utf8.count + table.utf8.count <= Self.maximumBytes else { return false }
        let start = sql.map { String(decoding: $0.utf8.prefix(64 + 2 * Self.maximumBytes), as: UTF8.self).lowercased() }
        func defines(_ name: String) -> Bool {
            guard let start else { return false }
            let name = name.lowercased()
            return start.utf8.contains(name.utf8)
                || ["\"", "'", "`"].contains { start.utf8.contains(name.replacing($0, with: $0 + $0).utf8) }
        }
        switch type {
        case "table": return name == table && defines(name)
        // Without a statement, it is the index of a constraint.
        case "index": return sql == nil ? name.hasPrefix("sqlite_autoindex_\(table)_") : defines(name) && defines(table)
        default: return false
        }
    }

    /// Of both names; longer ones are damaged.
    private static let maximumBytes = 1000
}
