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
            var last: (moment: Timestamp, count: Int, day: Day)?
            try database.rows("SELECT time, steps FROM stepCount WHERE steps IS NOT NULL ORDER BY time") {
                row throws(ImportError) in
                guard let time = row.integer(0, below: 1 << 62), let count = row.integer(1) else {
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
                } else if let last, !CounterReadings.isReset(count, seconds: moment - from, after: last.count) {
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
