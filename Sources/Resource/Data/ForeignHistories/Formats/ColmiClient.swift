import StepDomain

/// The database of colmi_r02_client (https://github.com/tahnok/colmi_r02_client, db.py): quarters of an hour, times in
/// UTC without an offset.
struct ColmiClientReader: FormatReader {
    let format = ForeignFormat(key: "colmi-r02-client", title: "colmi_r02_client", files: "its database")

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        try tree.databases(with: ["sport_details": ["steps", "timestamp", "ring_id"], "rings": ["address"]])
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        for file in files {
            let database = try file.database()
            let path = file.path
            try database.rows(
                """
                SELECT timestamp, steps, distance, address FROM sport_details JOIN rings ON rings.ring_id = sport_details.ring_id
                ORDER BY timestamp
                """
            ) { row throws(ImportError) in
                guard let time = row.text(0).writtenTime, let clock = time.clock, let steps = row.integer(1) else {
                    throw .malformed(path: path, reason: "a row of sport_details has no time or steps")
                }
                let address = row.text(3).uppercased()
                let source = ForeignSource(identity: "colmi_r02_client:\(address)", name: "Colmi \(address)")
                try collector.add(
                    steps, from: Timestamp(time.day.daysSince1970 * 86_400 + clock), length: 900,
                    distance: row.number(2),
                    to: collector.track(source))
            }
        }
    }
}
