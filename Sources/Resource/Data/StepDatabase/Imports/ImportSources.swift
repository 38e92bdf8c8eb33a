import GRDB
import StepDomain
import Support

/// The rows of `pedometer` that stand for the sources of imports.
extension ImportMerge {
    /// In place of a Bluetooth address: the same for each export of a source of the user, and no address of a device.
    ///
    /// It contains the number of the user. A history that is made of an export of istep numbers users anew, so the
    /// address of a source can have any number: that of the user comes first.
    private func addresses(_ source: ForeignSource) -> some Sequence<String> {
        ([user.id] + Array(1...Self.maximumUsers)).lazy.map { number in
            // 40 bits are enough: a user has a few dozen sources.
            let hash = FNV1a.hash("\(number):\(source.identity)".utf8)
            return "IMPORT-" + ((hash ^ hash >> 40) & 0xff_ffff_ffff).digits(radix: 16, uppercase: true, width: 10)
        }
    }

    /// More than a history has had.
    private static let maximumUsers: User.ID = 200

    /// The pedometer of a source; nil if no import had it before.
    func knownSource(_ source: ForeignSource) throws -> Pedometer.ID? {
        let rows = try Row.fetchAll(
            database, sql: "SELECT address, id FROM pedometer WHERE person = ? AND address LIKE 'IMPORT-%'",
            arguments: [user.id])
        if rows.isEmpty { return nil }
        let known = try Dictionary(
            rows.map { (try $0.get(0) as String, try $0.get(1) as Pedometer.ID) }, uniquingKeysWith: { a, _ in a })
        return addresses(source).lazy.compactMap { known[$0] }.first
    }

    /// An address of a new source, which no other user's has.
    private func freeAddress(_ source: ForeignSource) throws -> String {
        for address in addresses(source) {
            let isTaken = try Bool.fetchOne(
                database, sql: "SELECT EXISTS (SELECT 1 FROM pedometer WHERE address = ?)", arguments: [address])
            if isTaken != true { return address }
        }
        throw notWritten("a source of \(Self.maximumUsers) users")
    }

    /// The same, added if there is none.
    func source(of track: ForeignTrack, _ format: ForeignFormat) throws -> Pedometer.ID {
        if let known = try knownSource(track.source) {
            try bringBack(known, track.source.name, format)
            return known
        }
        let name = try unusedName(track.source.name, format)
        try database.execute(
            sql: """
                INSERT INTO pedometer (person, address, model, address_type, name, name_key, options, clock, cursor)
                VALUES (?, ?, ?, 'public', ?, ?, '{}', '{"settings":[]}', '{}')
                """,
            arguments: [
                user.id, try freeAddress(track.source), Pedometer.importPrefix + format.key, name.text, name.key,
            ])
        return database.lastInsertedRowID
    }

    /// A source that was forgotten is in use again with its next import, under a name that is free.
    private func bringBack(_ pedometer: Pedometer.ID, _ source: String, _ format: ForeignFormat) throws {
        let isForgotten = try Bool.fetchOne(
            database, sql: "SELECT forgotten FROM pedometer WHERE id = ?", arguments: [pedometer])
        guard isForgotten == true else { return }
        let name = try unusedName(source, format)
        try database.execute(
            sql: "UPDATE pedometer SET forgotten = 0, name = ?, name_key = ? WHERE id = ?",
            arguments: [name.text, name.key, pedometer])
    }

    func name(_ pedometer: Pedometer.ID) throws -> String {
        try String.fetchOne(
            database.cachedStatement(sql: "SELECT name FROM pedometer WHERE id = ?"), arguments: [pedometer]) ?? ""
    }

    /// The name of the source as far as `NameRule` accepts it, with the format or a number if another pedometer has it.
    private func unusedName(_ name: String, _ format: ForeignFormat) throws -> CheckedName {
        let cleaned = String(
            String.UnicodeScalarView(name.unicodeScalars.filter { NameRule.problem(of: "a\($0)") == nil }.prefix(40))
        ).split(separator: " ").joined(separator: " ")
        let plain = NameRule.problem(of: cleaned) == nil ? cleaned : format.title
        let numbered = (2...).lazy.map { "\(plain) (\(format.title) \($0))" }
        for candidate in [plain, "\(plain) (\(format.title))"] + Array(numbered.prefix(1000)) {
            let checked = try CheckedName(candidate)
            let isTaken = try Bool.fetchOne(
                database, sql: "SELECT EXISTS (SELECT 1 FROM pedometer WHERE name_key = ? AND NOT forgotten)",
                arguments: [checked.key])
            if isTaken != true { return checked }
        }
        throw notWritten("a thousand sources with one name")
    }
}
