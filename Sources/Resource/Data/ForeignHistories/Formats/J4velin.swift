import StepDomain

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
            var saved = 0
            try database.rows("SELECT steps FROM steps WHERE date = -1") { row throws(ImportError) in
                saved = row.integer(0) ?? 0
            }
            try database.rows("SELECT date, steps FROM steps WHERE date > 0 ORDER BY date") { row throws(ImportError) in
                guard let time = row.integer(0), let steps = row.integer(1) else {
                    return collector.leaveOutWithoutNumber()
                }
                let moment = Timestamp(time / 1000)
                guard collector.isPossible(moment) else { return try collector.refuse("the time \(time)") }
                let count = steps < 0 ? steps + saved : steps
                if count < 0 { return collector.leaveOut("without a count") }
                try collector.add(total: count, of: collector.localTime.day(of: moment), to: track)
            }
        }
    }
}
