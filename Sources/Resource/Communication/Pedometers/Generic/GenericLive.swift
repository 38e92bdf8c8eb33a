internal import StepDomain

/// A counter that notifies: as it is where it counts today, else what it has gained since it was last read.
struct GenericLive: LiveSession {
    private let options: GenericOptions
    /// Today's steps by the last reading, and the counter then.
    private let known: Int
    private let counter: Int?

    init(_ options: GenericOptions, _ pedometer: Pedometer, known: Int) {
        self.options = options
        self.known = known
        counter = pedometer.cursor.counter?.value
    }

    var address: GATTAddress { options.address }

    mutating func steps(after value: [UInt8]) -> Int? {
        guard let value = options.format.decode(value) else { return nil }
        let steps: Int
        switch options.counting {
        case .today: steps = value
        case .total:
            // One that started anew or ran over is for the next reading to make out.
            guard let counter, value >= counter else { return nil }
            steps = known + value - counter
        }
        return steps <= mostStepsOfADay ? steps : nil
    }
}
