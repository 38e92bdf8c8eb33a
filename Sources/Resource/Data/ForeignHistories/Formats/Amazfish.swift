import StepDomain

/// The database of Amazfish (Kexi): minutes in UTC; one that was fetched twice is there twice.
struct AmazfishReader: FormatReader {
    let format = ForeignFormat(key: "amazfish", title: "Amazfish", files: "amazfish.kexi")

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        try tree.databases(with: ["mi_band_activity": ["timestamp", "device_id", "steps"]])
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        for file in files {
            let database = try file.database()
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
