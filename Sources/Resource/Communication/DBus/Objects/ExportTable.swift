/// Which object answers for which path.
struct ExportTable {
    private var exports: [ObjectPath: Export] = [:]

    /// - Returns: what was exported there before.
    mutating func add(_ export: Export, at path: ObjectPath) -> Export? {
        exports.updateValue(export, forKey: path)
    }

    mutating func remove(_ path: ObjectPath) -> Export? {
        exports.removeValue(forKey: path)
    }

    mutating func removeAll() -> [Export] {
        defer { exports = [:] }
        return Array(exports.values)
    }

    /// The object at `path`, else the nearest above it that answers for its subtree.
    func export(for path: ObjectPath) -> Export? {
        if let export = exports[path] { return export }
        var above = path.parent
        while let ancestor = above {
            if let export = exports[ancestor], export.includesSubtree { return export }
            above = ancestor.parent
        }
        return nil
    }
}
