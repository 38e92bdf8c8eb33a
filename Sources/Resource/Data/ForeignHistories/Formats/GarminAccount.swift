import StepDomain

/// Totals of days in the export of a Garmin account (`DI_CONNECT/DI-Connect-Aggregator/UDSFile_….json`), with their UTC
/// offsets.
struct GarminAccountReader: FormatReader {
    func relation(of files: [ForeignFile]) -> FileRelation { .parts }
    let format = ForeignFormat(
        key: "garmin-account", title: "Garmin account", files: "the export of the account: UDSFile_*.json")

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        tree.files.filter { file in
            file.kind == .json && file.headText.contains("\"calendarDate\"")
                && file.headText.contains("\"wellnessStartTimeGmt\"")
        }
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        // The last day of an export is not over: a later one has it again, with more steps in more time.
        var days: [Timestamp: StepSample] = [:]
        for file in files {
            let path = file.path
            var json = try JSONRecords(file)
            try json.read(under: nil) { record throws(ImportError) in
                // Missing on days on which it was not worn.
                guard let steps = record["totalSteps"]?.integer else { return }
                guard let start = record["wellnessStartTimeGmt"]?.text.writtenTime,
                    let local = record["wellnessStartTimeLocal"]?.text.writtenTime,
                    let duration = record["durationInMilliseconds"]?.integer
                else { throw .malformed(path: path, reason: "a day has no beginning") }
                let moment = Timestamp(start.day.daysSince1970 * 86_400 + (start.clock ?? 0))
                if let known = days[moment], known.steps >= steps { return }
                if days.count > 100_000 { throw .tooMuch("more than 100,000 days") }
                days[moment] = StepSample(
                    start: moment, length: max(1, min(duration / 1000, 90_000)), steps: steps,
                    distance: record["totalDistanceMeters"]?.integer.map(Double.init),
                    utcOffset: local.day.daysSince1970 * 86_400 + (local.clock ?? 0) - moment.seconds)
            }
        }
        collector.hasOffsets = !days.isEmpty
        let track = try collector.track(ForeignSource(identity: "garmin-account", name: "Garmin days"))
        for (_, day) in days.sorted(by: { $0.key < $1.key }) { try collector.add(day, to: track) }
    }
}
