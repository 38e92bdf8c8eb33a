import StepDomain

/// The database of Gadgetbridge, as it exports it, alone or in its zip
/// (https://codeberg.org/Freeyourgadget/Gadgetbridge, GBDaoGenerator).
///
/// Each kind of device has a table of activities with `TIMESTAMP` in seconds of UTC, `DEVICE_ID` and `STEPS`, −1 where
/// nothing was measured. Tables are recognised by these columns, because their names differ between versions.
struct GadgetbridgeReader: FormatReader {
    let format = ForeignFormat(
        key: "gadgetbridge", title: "Gadgetbridge", files: "the exported database, or the zip with it")

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        try tree.databases(with: ["DEVICE": ["_id", "NAME", "IDENTIFIER"], "USER": ["_id"]])
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        for file in files {
            let database = try file.database()
            let devices = try devices(of: database)
            for (name, columns) in database.tables.sorted(by: { $0.key < $1.key }) {
                guard let table = ActivityTable(name, columns) else {
                    try noteLeftOut(name, database, collector)
                    continue
                }
                for device in devices { try read(table, of: device, database, collector) }
            }
        }
    }

    private func noteLeftOut(
        _ name: String, _ database: ForeignDatabase, _ collector: ForeignCollector
    ) throws(ImportError) {
        guard name.uppercased() == "HPLUS_HEALTH_ACTIVITY_SAMPLE" else { return }
        try database.rows("SELECT 1 FROM \(ForeignDatabase.quoted(name)) LIMIT 1") { _ throws(ImportError) in
            collector.notes.append(
                .decision("the table of HPlus is not read: it has live counters, slots and totals of days side by side")
            )
        }
    }

    private struct Device {
        var id: Int
        var source: ForeignSource
    }

    private func devices(of database: ForeignDatabase) throws(ImportError) -> [Device] {
        let hasAlias = database.hasTable("DEVICE", columns: ["ALIAS"])
        var devices: [Device] = []
        try database.rows("SELECT _id, NAME, IDENTIFIER\(hasAlias ? ", ALIAS" : "") FROM DEVICE ORDER BY _id LIMIT 200")
        {
            row throws(ImportError) in
            guard let id = row.integer(0) else { return }
            let name = row.text(1), address = row.text(2).uppercased(), alias = hasAlias ? row.text(3) : ""
            devices.append(
                Device(
                    id: id,
                    source: ForeignSource(
                        identity: "gadgetbridge:\(address.isEmpty ? name : address)", name: alias.isEmpty ? name : alias
                    )))
        }
        return devices
    }

    private func read(
        _ table: ActivityTable, of device: Device, _ database: ForeignDatabase, _ collector: ForeignCollector
    ) throws(ImportError) {
        var slots = SlotSequence(table.rhythm)
        var track: TrackBuilder?
        let body = { (slot: Slot) throws(ImportError) in
            if track == nil { track = try collector.track(device.source, accounting: .records) }
            guard let track else { return }
            let start = Timestamp(slot.start)
            try collector.cover(TimeSpan(start, start + slot.length), track)
            if slot.steps == 0 { return track.noteRecordWithoutSteps() }
            try collector.add(slot.steps, from: start, length: slot.length, distance: slot.distance, to: track)
        }
        try database.rows(table.query, [.integer(device.id)]) { row throws(ImportError) in
            guard let time = row.integer(0), let steps = row.integer(1) else {
                return collector.leaveOutWithoutNumber()
            }
            // They are added up.
            guard steps.magnitude < 1 << 30 else { return try collector.refuse("\(steps) steps") }
            let moment = table.isInMilliseconds(time) ? time / 1000 : time
            if table.isLive(moment, intensity: row.integer(2), steps: steps) { return }
            let end = row.integer(4).map { table.isInMilliseconds($0) ? $0 / 1000 : $0 }
            if let end, end < moment { return collector.leaveOut("that end before they begin") }
            try slots.add(
                Slot(
                    start: moment, length: end.map { max(60, min($0 - moment, 86_400)) } ?? 0, steps: steps,
                    distance: row.number(3).map { $0 * table.metres }),
                collector, body)
        }
        try slots.finish(collector, body)
    }
}

/// A table of activities, and what its steps mean.
struct ActivityTable {
    let query: String
    let rhythm: SlotSequence.Rhythm
    /// Metres of a unit of its distance.
    let metres: Double
    private let hasIntensity: Bool

    /// Nil for another table, and for one with totals of days, which would count its minutes again.
    init?(_ name: String, _ columns: [String]) {
        let known = Dictionary(columns.map { ($0.uppercased(), $0) }) { first, _ in first }
        guard let time = known["TIMESTAMP"], let device = known["DEVICE_ID"], let steps = known["STEPS"] else {
            return nil
        }
        let upper = name.uppercased()
        // The table of HPlus has live counters, slots and totals of days side by side.
        if ["SUMMARY", "DAILY", "HPLUS"].contains(where: { upper.contains($0) }) { return nil }
        let distance: (column: String, metres: Double)? =
            known["DISTANCE_METERS"].map { ($0, 1) } ?? known["DISTANCE_CM"].map { ($0, 0.01) }
            ?? (upper.contains("COLMI") ? known["DISTANCE"].map { ($0, 1) } : nil)
        metres = distance?.metres ?? 1
        hasIntensity = known["RAW_INTENSITY"] != nil && ["MI_BAND", "HUAMI"].contains { upper.contains($0) }
        let values = [
            time, steps, known["RAW_INTENSITY"], distance?.column,
            upper.contains("HUAWEI") ? known["OTHER_TIMESTAMP"] : nil,
        ].map { $0.map(ForeignDatabase.quoted) ?? "NULL" }
        query =
            "SELECT \(values.joined(separator: ", ")) FROM \(ForeignDatabase.quoted(name)) "
            + "WHERE \(ForeignDatabase.quoted(device)) = ? AND \(ForeignDatabase.quoted(steps)) >= 0 ORDER BY \(ForeignDatabase.quoted(time))"
        if upper.contains("COLMI") {
            rhythm = .hoursOrQuarters
        } else if upper.contains("BANGLE") {
            rhythm = .ending(600)
        } else if ["PINE_TIME", "PINETIME", "MOYOUNG", "MAKIBES", "XPLUS"].contains(where: { upper.contains($0) }) {
            rhythm = .growth
        } else if ["GARMIN", "CMF", "FITBIT"].contains(where: { upper.contains($0) }) {
            rhythm = .counter
        } else if upper.contains("HUAWEI") {
            rhythm = .named
        } else {
            rhythm = .minutes
        }
    }

    /// Tables of newer kinds have milliseconds: as seconds they would be thousands of years ahead.
    func isInMilliseconds(_ time: Int) -> Bool { time > 100_000_000_000 }

    /// Rows of live values between the minutes can have the counter of the day (Gadgetbridge #1154).
    func isLive(_ time: Int, intensity: Int?, steps: Int) -> Bool {
        hasIntensity && intensity == -1 && (time % 60 != 0 || steps > 60 * StepSample.maximumStepsPerSecond)
    }
}
