import StepDomain

/// The export of Health Connect: a zip with a database (packages/modules/HealthFitness of Android). Each record has its
/// app and its UTC offset.
///
/// Apps repeat each other's steps: each is a source.
struct HealthConnectReader: FormatReader {
    let format = ForeignFormat(
        key: "health-connect", title: "Health Connect", files: "the exported zip, or the database in it")

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        try tree.databases(with: ["steps_record_table": ["app_info_id", "start_time", "end_time", "count"]])
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        for file in files {
            let database = try file.database()
            var apps: [Int: ForeignSource] = [:]
            if database.hasTable("application_info_table", columns: ["row_id", "package_name", "app_name"]) {
                try database.rows("SELECT row_id, package_name, app_name FROM application_info_table LIMIT 5000") {
                    row throws(ImportError) in
                    guard let id = row.integer(0) else { return }
                    let package = row.text(1), name = row.text(2)
                    apps[id] = ForeignSource(identity: "health-connect:\(package)", name: name.isEmpty ? package : name)
                }
            }
            let hasOffset = database.hasTable("steps_record_table", columns: ["start_zone_offset"])
            try database.rows(
                "SELECT start_time, end_time, count, app_info_id, \(hasOffset ? "start_zone_offset" : "NULL") FROM steps_record_table ORDER BY start_time"
            ) { row throws(ImportError) in
                guard let start = row.integer(0), let end = row.integer(1), let steps = row.integer(2)
                else { return collector.leaveOut("without a time or count, such as one of the first") }
                let source =
                    row.integer(3).flatMap { apps[$0] }
                    ?? ForeignSource(identity: "health-connect:", name: "Health Connect")
                let moment = Timestamp(start / 1000)
                guard end >= start else { return try collector.refuse("a record that ends before it begins") }
                if row.integer(4) != nil { collector.hasOffsets = true }
                let offset =
                    row.integer(4) ?? (collector.isPossible(moment) ? collector.localTime.utcOffset(moment) : 0)
                try collector.add(
                    StepSample(
                        start: moment, length: max(0, end / 1000 - start / 1000), steps: steps, utcOffset: offset),
                    to: collector.track(source, repetition: .added))
            }
        }
    }
}
