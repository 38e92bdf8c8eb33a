import GRDB
import Support

/// A row of `sqlite_schema`: a table, an index, a view or a trigger, with its definition
/// (https://www.sqlite.org/schematab.html).
struct SchemaObject: Hashable {
    let type: String
    let name: String
    /// The table that an index or a trigger belongs to; for a table its own name.
    let table: String
    /// The CREATE statement. Nil for the indexes that SQLite creates for constraints.
    let sql: String?

    /// With white space collapsed: only such objects are compared, because a later SQLite may format the statement
    /// differently when it adds a column. A fingerprint does not need it.
    var collapsed: SchemaObject {
        SchemaObject(type: type, name: name, table: table, sql: sql.map(Self.collapsed))
    }

    /// Works on bytes: white space of SQL is ASCII (https://www.sqlite.org/lang.html).
    private static func collapsed(_ sql: String) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(sql.utf8.count)
        for byte in sql.utf8 {
            let isSpace = byte == 0x20 || (0x09...0x0d).contains(byte)
            if !isSpace { text.append(byte) } else if let last = text.last, last != 0x20 { text.append(0x20) }
        }
        if text.last == 0x20 { text.removeLast() }
        return String(decoding: text, as: UTF8.self)
    }

    /// All objects of a database except the statistics of `ANALYZE`, which belong to SQLite and do not change the
    /// result of any query.
    static func all(in database: Database) throws -> [SchemaObject] {
        try Row.fetchAll(database, sql: "SELECT type, name, tbl_name, sql FROM sqlite_schema").compactMap { row in
            // A damaged row can have any value in any column.
            let values = Array(row.databaseValues).map { String.fromDatabaseValue($0) }
            let object = SchemaObject(
                type: values[0] ?? "", name: values[1] ?? "", table: values[2] ?? "", sql: values[3])
            return object.type == "table" && ["sqlite_stat1", "sqlite_stat4"].contains(object.name) ? nil : object
        }
    }

    /// The name comes from a file that may belong to another program: it can be long and can contain any characters.
    fileprivate var title: String {
        "\(["table", "index", "view", "trigger"].contains(type) ? type : "object") \(quoted(String(name.prefix(64))))"
    }
}

extension Schema {
    /// The objects of histories of the versions 1 to `version`, in this order. A migrated history has the same objects
    /// as a new one of its version, because both were made by the same statements in the same order.
    func objectsOfVersions() throws -> [[SchemaObject]] {
        try DatabaseQueue().write { database in
            try migrations.map { migration in
                try database.execute(sql: migration.sql)
                return try SchemaObject.all(in: database).map(\.collapsed)
            }
        }
    }

    /// The fingerprint of the objects of each version, from 1 on. Creating and reading an example of a version instead
    /// would take as long as the rest of a short sync.
    static let fingerprints: [UInt64] = [
        0xa6d7_9e1a_04b9_c460, 0xa4fc_136b_fd94_7f84, 0xf7de_ab2c_c752_db3f, 0x440d_ca0f_5b54_c90b,
        0x5477_1dc5_0a11_fa04,
        0xcfff_e636_4949_b949, 0x314e_f248_43ac_d092, 0xde6d_f0f9_2f2b_0bd9, 0x9ca6_4222_222e_6248,
        0xe0ff_ec77_c08b_dc54, 0xb026_cb9a_1fda_9c1e, 0xc45d_0ca2_f0da_1417,
        0x52ee_ddab_26f9_cd06, 0x02b6_b9ad_1e74_8b61, 0xaf32_f80f_fd3c_7d86,
        0x7d3b_9968_cb46_2545, 0x0c56_3058_aff2_a654, 0xaa07_aa64_ef08_a1fa,
    ]

    /// The hash of all objects in their order, without white space (`FNV1a`).
    /// It detects damage; it does not protect against a schema that was forged to have the same value.
    static func fingerprint(of objects: [SchemaObject]) -> UInt64 {
        var hash = FNV1a()
        func add(_ text: String) {
            hash.add(text.utf8.lazy.filter { $0 > 0x20 })
            hash.add(0)
        }
        for object in objects {
            add(object.type)
            add(object.name)
            add(object.table)
            add(object.sql ?? "")
        }
        return hash.value
    }

    /// The differences between the schema of a history and the one that istep creates in that version: missing, changed
    /// or added objects, except those that users may add to their own history. Empty for a sound history, and for a
    /// version that this istep does not know.
    ///
    /// A damaged definition makes queries fail, a missing table makes commands fail, and a trigger of another program
    /// could delete samples. `PRAGMA integrity_check` finds none of these. The caller reads in a transaction: another
    /// process may be migrating.
    func differences(in database: Database) throws -> [String] {
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard (1...migrations.count).contains(version) else { return [] }
        let all = try SchemaObject.all(in: database)
        if version <= Self.fingerprints.count, Self.fingerprint(of: all) == Self.fingerprints[version - 1] { return [] }
        let expected = try example(ofVersion: version).read(SchemaObject.all).map(\.collapsed)
        let found = Self.withoutUserObjects(all.map(\.collapsed), expected)
        if Set(found) == Set(expected), found.count == expected.count { return [] }
        return Self.differences(of: found, from: expected)
    }

    /// Omits added tables and views with their objects, and added indexes that refuse no row: none of these changes
    /// what istep reads or writes. A trigger on istep's tables does, and so does a table or view that has the name of
    /// one of istep's.
    private static func withoutUserObjects(_ found: [SchemaObject], _ expected: [SchemaObject]) -> [SchemaObject] {
        let names = Set(expected.map(\.name))
        let added = Set(found.filter { ["table", "view"].contains($0.type) && !names.contains($0.name) }.map(\.name))
        return found.filter { object in
            switch object.type {
            case "table", "view", "trigger": !added.contains(object.table)
            case "index":
                names.contains(object.name)
                    || !added.contains(object.table) && object.sql?.uppercased().hasPrefix("CREATE INDEX ") != true
            default: true
            }
        }
    }

    /// The most serious differences come first. For a missing table, its dependent objects are not reported.
    private static func differences(of found: [SchemaObject], from expected: [SchemaObject]) -> [String] {
        func key(_ object: SchemaObject) -> [String] { [object.type, object.name] }
        let wanted = Dictionary(expected.map { (key($0), $0) }) { first, _ in first }
        let present = Dictionary(found.map { (key($0), $0) }) { first, _ in first }
        let foreign = found.filter { wanted[key($0)] == nil }
        let absent = expected.filter { present[key($0)] == nil }
        let lostTables = Set(absent.filter { $0.type == "table" }.map(\.name))
        let changed = expected.filter { object in present[key(object)].map { $0 != object } ?? false }
        // Triggers run automatically; a view can replace a table.
        let (mostSerious, others) = (
            foreign.filter { $0.type == "trigger" || lostTables.contains($0.name) },
            foreign.filter { $0.type != "trigger" && !lostTables.contains($0.name) && !lostTables.contains($0.table) }
        )
        var lines = mostSerious.map(additional)
        lines += absent.filter { $0.type == "table" || !lostTables.contains($0.table) }.map {
            "the \($0.title) is missing"
        }
        lines += changed.map { "the definition of the \($0.title) is not the one that istep wrote" }
        lines += others.map(additional)
        return lines.isEmpty ? ["its schema lists an object twice"] : lines
    }

    private static func additional(_ object: SchemaObject) -> String {
        "it contains the \(object.title), which istep did not make"
    }
}
