import StepDomain

/// Counts the bytes that are read of files, and reports how far that is.
final class ReadingMeter {
    private let files: [ForeignFile]
    private let collector: ForeignCollector
    private let report: (ReadingProgress) -> Void
    private let size: Int
    private var done = 0

    /// - Parameter passes: how often the files are read from end to end.
    init(
        _ files: [ForeignFile], passes: Int, _ collector: ForeignCollector,
        _ report: @escaping (ReadingProgress) -> Void
    ) {
        self.files = files
        self.collector = collector
        self.report = report
        size = passes * files.reduce(0) { $0 + $1.size }
        for file in files { file.meter = self }
        collector.reportSamples = { [unowned self] in step() }
    }

    /// Files keep their meter until then.
    func end() {
        for file in files { file.meter = nil }
        collector.reportSamples = {}
    }

    fileprivate func add(_ bytes: Int) {
        done += bytes
        step()
    }

    private func step() {
        // A file can grow meanwhile.
        let share = size > 0 && done > 0 ? min(1, Double(done) / Double(size)) : nil
        report(ReadingProgress(samples: collector.samples, share: share))
    }
}

/// The bytes of another stream, counted.
final class MeteredStream: ByteStream {
    private let stream: any ByteStream
    private let meter: ReadingMeter

    init(_ stream: any ByteStream, _ meter: ReadingMeter) {
        self.stream = stream
        self.meter = meter
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
        let count = try stream.read(into: buffer)
        meter.add(count)
        return count
    }
}
