import StepDomain

/// The metrics of itd, the daemon for InfiniTime: readings of the watch's counter since midnight, in nanoseconds.
struct ITDReader: FormatReader {
    let format = ForeignFormat(key: "itd", title: "itd", files: "metrics.db")

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        try tree.databases(with: ["stepCount": ["time", "steps"]])
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        let track = try collector.track(ForeignSource(identity: "itd", name: "InfiniTime (itd)"))
        for file in files {
            let database = try file.database()
            try database.refuseForeignCode()
            var last: (moment: Timestamp, count: Int, day: Day)?
            try database.rows("SELECT time, steps FROM stepCount WHERE steps IS NOT NULL ORDER BY time") {
                row throws(ImportError) in
                guard let time = row.integer(0), let count = row.integer(1) else {
                    return collector.leaveOutWithoutNumber()
                }
                let moment = Timestamp(time / 1_000_000_000)
                guard collector.isPossible(moment) else { return try collector.refuse("the time \(time)") }
                guard (0...1_000_000).contains(count) else {
                    return try collector.refuse("a counter of \(count) steps")
                }
                let day = collector.localTime.day(of: moment)
                var (from, grown) = (collector.localTime.moment(day), count)
                if let last, last.day == day {
                    from = last.moment
                    // Below the reading before: the watch was restarted.
                    grown = count >= last.count ? count - last.count : count
                } else if let last, count >= last.count, moment - from < 3600, last.count > 0, count > 2000 {
                    // Just after midnight, and not reset yet: it still counts the day before.
                    grown = count - last.count
                }
                last = (moment, count, day)
                if grown > 0 {
                    try collector.add(grown, from: from, length: max(moment - from, grown / 5 + 1), to: track)
                }
            }
        }
    }
}

/// The database of j4velin's Pedometer: a row for each day; that of today has the reading of the sensor at its
/// beginning, negative, and the row −1 the reading when it was last saved.
struct J4velinReader: FormatReader {
    let format = ForeignFormat(key: "j4velin", title: "Pedometer (j4velin)", files: "its database")

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        try tree.databases(with: ["steps": ["date", "steps"]])
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        let track = try collector.track(ForeignSource(identity: "j4velin", name: "Pedometer"), accounting: .named)
        for file in files {
            let database = try file.database()
            try database.refuseForeignCode()
            var saved = 0
            try database.rows("SELECT steps FROM steps WHERE date = -1") { row throws(ImportError) in
                saved = row.integer(0) ?? 0
            }
            try database.rows("SELECT date, steps FROM steps WHERE date > 0 ORDER BY date") { row throws(ImportError) in
                guard let time = row.integer(0), abs(time) < 1 << 50, let steps = row.integer(1), abs(steps) < 1 << 40
                else { return collector.leaveOutWithoutNumber() }
                let moment = Timestamp(time / 1000)
                guard collector.isPossible(moment) else { return try collector.refuse("the time \(time)") }
                let count = steps < 0 ? steps + saved : steps
                if count < 0 { return collector.leaveOut("without a count") }
                try collector.add(total: count, of: collector.localTime.day(of: moment), to: track)
            }
        }
    }
}

/// The database of Amazfish (Kexi): minutes in UTC; one that was fetched twice is there twice.
struct AmazfishReader: FormatReader {
    let format = ForeignFormat(key: "amazfish", title: "Amazfish", files: "amazfish.kexi")

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        try tree.databases(with: ["mi_band_activity": ["timestamp", "device_id", "steps"]])
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        for file in files {
            let database = try file.database()
            try database.refuseForeignCode()
            try database.rows(
                "SELECT timestamp, device_id, steps FROM mi_band_activity WHERE steps > 0 ORDER BY timestamp"
            ) {
                row throws(ImportError) in
                guard let time = row.integer(0), let steps = row.integer(2) else {
                    return collector.leaveOutWithoutNumber()
                }
                let source = ForeignSource(identity: "amazfish:\(row.integer(1) ?? 0)", name: "Amazfish")
                try collector.add(steps, from: Timestamp(time), length: 60, to: collector.track(source))
            }
        }
    }
}
