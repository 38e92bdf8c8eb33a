extension Fixture {
    static let mqtt = Fixture(
        kind: "mqtt", keeps: [.user, .day, .metres, .kilocalories, .goal, .percentage],
        open: {
            try await BrokerVenue.start("") { retained in
                try retained.sorted { $0.key < $1.key }.map { topic, text in
                    let day = try BrokerVenue.object(text)
                    // A day under another topic would not be replaced.
                    guard let date = day["day"] as? String,
                        topic.wholeMatch(of: /istep\/[a-z0-9_]+\/[0-9-]{10}/) != nil,
                        topic.hasSuffix("/" + date)
                    else { return HeldDay(steps: -2) }
                    return HeldDay(
                        user: day["user"] as? String, day: date, steps: day["steps"] as? Int ?? -1,
                        metres: day["distanceMetres"] as? Int, kilocalories: day["energyKilocalories"] as? Int,
                        goal: day["goal"] as? Int, percentage: day["percentage"] as? Double)
                }
            }
        })
}
