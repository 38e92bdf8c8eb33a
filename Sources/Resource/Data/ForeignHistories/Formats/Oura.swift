import StepDomain

/// Days of Oura's API (v2, `daily_activity`). A day runs from 4:00 to 4:00; its timestamp has the beginning and the UTC
/// offset. An answer of the API can have several pages, each in a file.
struct OuraReader: FormatReader {
    func relation(of files: [ForeignFile]) -> FileRelation { .parts }
    let format = ForeignFormat(key: "oura", title: "Oura", files: "daily_activity.json of its API")

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        tree.files.filter { file in
            // The minutes of `met` can stand between these and `day`.
            func has(_ key: String) -> Bool { file.headText.contains("\"\(key)\"") }
            return file.kind == .json && has("data") && has("equivalent_walking_distance")
                && (has("day") || has("active_calories"))
        }
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        let track = try collector.track(ForeignSource(identity: "oura", name: "Oura"))
        var minutes = FileMinutes()
        for file in files {
            let path = file.path
            var json = try JSONRecords(file)
            try json.read(under: "data") { record throws(ImportError) in
                guard let steps = record["steps"]?.integer else { return }
                guard let start = record["timestamp"]?.text.writtenTime, let offset = start.utcOffset else {
                    throw .malformed(path: path, reason: "a day has no timestamp")
                }
                collector.hasOffsets = true
                let moment = start.start(collector.localTime)
                if collector.isPossible(moment) { try minutes.note(moment, of: file, in: tree) }
                try collector.add(
                    StepSample(start: moment, length: 86_400, steps: steps, utcOffset: offset), to: track)
            }
        }
    }
}
