import StepDomain

/// The history and its file.
extension Doctor {
    /// Whether the history exists, is istep's own, and is sound.
    func historyFile(_ known: EarlierResults) -> Check {
        // The whole file is read, even a large one, possibly from an SD card.
        Check("history", .history, .history, limit: .seconds(120)) {
            guard let file = history else { return [.history(.noPath)] }
            let condition = try await file.condition()
            if condition.hasNoPedometers { known.pedometers = [] }
            guard condition.isReadable else { return condition.diagnoses(path: file.path) }
            if let unknown = try await read(file, known) { return [unknown] }
            let wrong = try await file.wrongSums(inNewest: Self.daysOfSums)
            if let newest = wrong.first { return [.history(.wrongSums(days: wrong.count, newest: newest))] }
            return condition.diagnoses(path: file.path)
        }
    }

    /// Days of each person whose stored sums are compared with the samples: 0.2 s for a year of minute samples. The weekly check and
    /// `--repair` compare all.
    private static let daysOfSums = 366

    /// Opens the history for later checks.
    ///
    /// - Returns: a diagnosis if the requested user is not in it.
    private func read(_ file: any HistoryProbe, _ known: EarlierResults) async throws -> Diagnosis? {
        let history = try await file.open()
        var wanted: User.ID?
        if let name = request.user {
            let users = try await blocking { try history.users() }
            guard let user = users.first(where: { $0.name.lowercased() == name.lowercased() }) else {
                return .history(.unknownUser(name, known: users.map(\.name)))
            }
            wanted = user.id
        }
        known.pedometers = try await blocking { [wanted] in
            try history.pedometers().filter { wanted == nil || $0.user == wanted }
        }
        known.history = history
        return nil
    }

    /// Whether only the owner has access to the history.
    var permissions: Check {
        Check("permissions", .history, .permissions) { try await history?.storage()?.permissions ?? [] }
    }

    /// Whether the history can grow.
    var space: Check {
        Check("room", .history, .disk) { try await history?.storage()?.space ?? [] }
    }

    /// Which processes work on the history at this moment.
    var locks: Check {
        Check("lock", .history, .lock) {
            // A repair and a restore hold both locks.
            var holders: Set<HistoryHolder> = []
            for work in HistoryWork.allCases {
                if let holder = try await history?.holder(of: work) { holders.insert(holder) }
            }
            return holders.sorted { $0.process < $1.process }.map { .history(.inUse($0)) }
        }
    }
}
