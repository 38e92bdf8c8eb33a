public import StepDomain
public import Testing

/// The rules that every notice store must follow, each one separate.
public struct NoticeContract: Sendable, CustomTestStringConvertible {
    public let testDescription: String
    private let body: @Sendable (NoticeStage) throws -> Void

    private init(_ rule: String, _ body: @escaping @Sendable (NoticeStage) throws -> Void) {
        testDescription = rule
        self.body = body
    }

    /// - Parameter store: an empty history.
    public func check(_ store: any NoticeStore & StepHistory) throws { try body(try NoticeStage(store)) }

    public static let all: [NoticeContract] = [
        NoticeContract("what holds is kept, new, by when it began") { stage in
            try stage.keep(stage.goal(), stage.battery(12))
            let standing = try stage.standing()
            #expect(standing.map(\.notice) == [stage.battery(12), stage.goal()])
            #expect(standing.allSatisfy { $0.isNew && $0.isToBeNotified && $0.storedAt == NoticeStage.now })
        },
        NoticeContract("the same again changes nothing") { stage in
            try stage.keep(stage.battery(12), stage.goal())
            let before = try stage.standing()
            try stage.keep(stage.battery(12), stage.goal(), at: NoticeStage.now + 60)
            #expect(try stage.standing() == before)
        },
        NoticeContract("a notice with changed words is stored again, and is not new again") { stage in
            try stage.keep(stage.battery(12))
            try stage.see()
            try stage.keep(stage.battery(9, since: NoticeStage.now + 60), at: NoticeStage.now + 60)
            let standing = try stage.standing()
            #expect(standing.map(\.notice) == [stage.battery(9)])
            #expect(standing.map(\.isNew) == [false])
        },
        NoticeContract("a state lasts until its cause ends, seen or not") { stage in
            try stage.keep(stage.battery(12))
            try stage.see()
            try stage.notify()
            #expect(try stage.standing().map(\.isToBeNotified) == [false])
            try stage.keep(at: NoticeStage.now + 60)
            #expect(try stage.standing().isEmpty)
        },
        NoticeContract("a state that comes back is another one") { stage in
            try stage.keep(stage.battery(12))
            try stage.see()
            try stage.keep(at: NoticeStage.now + 60)
            try stage.keep(stage.battery(3, since: NoticeStage.now + 90), at: NoticeStage.now + 90)
            let standing = try stage.standing()
            #expect(standing.map(\.isNew) == [true])
            #expect(standing.map(\.notice.since) == [NoticeStage.now + 90])
        },
        NoticeContract("an event that was seen is over, and does not come back") { stage in
            try stage.keep(stage.goal())
            try stage.see()
            #expect(try stage.standing().isEmpty)
            try stage.keep(stage.goal(steps: 9999), at: NoticeStage.now + 60)
            #expect(try stage.standing().isEmpty)
        },
        NoticeContract("an event that the desktop showed is new until somebody has looked") { stage in
            try stage.keep(stage.goal())
            try stage.notify()
            try stage.keep(at: NoticeStage.now + 60)
            let standing = try stage.standing()
            #expect(standing.map(\.isNew) == [true])
            #expect(standing.map(\.isToBeNotified) == [false])
        },
        NoticeContract("an event that nobody saw is no news after a while") { stage in
            try stage.keep(stage.goal())
            try stage.keep(at: NoticeStage.now + 3 * 86_400)
            #expect(try stage.standing().count == 1)
            try stage.keep(at: NoticeStage.now + 3 * 86_400 + 1)
            #expect(try stage.standing().isEmpty)
        },
        NoticeContract("a rejection that was dealt with is no news") { stage in
            try stage.keep(stage.rejection)
            #expect(try stage.standing().map(\.notice) == [stage.rejection])
            try stage.keep(at: NoticeStage.now + 60)
            #expect(try stage.standing().isEmpty)
        },
        NoticeContract("what is marked twice keeps its first time, and what is not there is left alone") { stage in
            try stage.keep(stage.battery(12))
            try stage.see()
            try stage.store.markSeen(try stage.standing().map(\.id) + [4711], at: NoticeStage.now + 99)
            #expect(try stage.standing().map(\.seenAt) == [NoticeStage.now])
        },
        NoticeContract("what ended long ago is forgotten, and what ended lately is not") { stage in
            try stage.keep(stage.goal())
            try stage.see()
            try stage.keep(stage.goal(), at: NoticeStage.now + 90 * 86_400)
            #expect(try stage.standing().isEmpty)
            try stage.keep(at: NoticeStage.now + 90 * 86_400 + 1)
            try stage.keep(stage.goal(), at: NoticeStage.now + 90 * 86_400 + 2)
            #expect(try stage.standing().count == 1)
        },
        NoticeContract("only the first who stores a notice gets it as new") { stage in
            let first = try stage.store.keep([stage.battery(12), stage.goal()], at: NoticeStage.now)
            #expect(first == Set(try stage.standing().map(\.id)) && first.count == 2)
            let second = try stage.store.keep([stage.battery(9), stage.goal(), stage.rejection], at: NoticeStage.now + 1)
            #expect(second == Set(try stage.standing().filter { $0.notice == stage.rejection }.map(\.id)) && second.count == 1)
            try stage.see()
            #expect(try stage.store.keep([stage.battery(9), stage.goal()], at: NoticeStage.now + 2).isEmpty)
        },
        NoticeContract("a withdrawn goal is over; reached again it is reported, unless it was seen") { stage in
            let key = stage.goal().key
            try stage.keep(stage.goal())
            try stage.store.keep([], withdrawn: [key], at: NoticeStage.now + 1)
            #expect(try stage.standing().isEmpty)
            try stage.keep(stage.goal(), at: NoticeStage.now + 2)
            #expect(try stage.standing().map(\.isNew) == [true])
            try stage.see()
            try stage.store.keep([], withdrawn: [key], at: NoticeStage.now + 3)
            try stage.keep(stage.goal(), at: NoticeStage.now + 4)
            #expect(try stage.standing().isEmpty)
        },
        NoticeContract("a clock that is wrong again within a week is not reported again; of two pedometers each is reported") { stage in
            let day = 86_400
            // 16,177 days since 1970 are whole weeks: the rule must hold on both sides of a week's boundary.
            let first = Timestamp(16_177 * day - 3600)
            #expect(try stage.store.keep([stage.clock(1, first)], at: first).count == 1)
            #expect(try stage.store.keep([stage.clock(1, first + day), stage.clock(2, first + day)], at: first + day).count == 1)
            #expect(try stage.standing().map(\.notice.since) == [first, first + day])
            try stage.store.markSeen(try stage.standing().map(\.id), at: first + day)
            #expect(try stage.store.keep([stage.clock(1, first + 2 * day)], at: first + 2 * day).isEmpty)
            #expect(try stage.store.keep([stage.clock(1, first + 8 * day - 1)], at: first + 8 * day - 1).isEmpty)
            #expect(try stage.store.keep([stage.clock(1, first + 8 * day)], at: first + 8 * day).count == 1)
        },
        NoticeContract("a goal that the desktop showed, withdrawn and reached again, is the same: new in a terminal, and no bubble") { stage in
            let key = stage.goal().key
            try stage.keep(stage.goal())
            try stage.notify()
            let before = try stage.standing()
            for round in 1...2 {
                try stage.store.keep([], withdrawn: [key], at: NoticeStage.now + 10 * round)
                #expect(try stage.standing().isEmpty)
                #expect(try stage.store.keep([stage.goal(steps: 9000 + round)], at: NoticeStage.now + 10 * round + 1).isEmpty)
                let after = try stage.standing()
                #expect(after.map(\.id) == before.map(\.id))
                #expect(after.map(\.notice) == [stage.goal(steps: 9000 + round)])
                #expect(after.map(\.isNew) == [true] && after.map(\.isToBeNotified) == [false])
            }
            try stage.see()
            try stage.keep(stage.goal(), at: NoticeStage.now + 99)
            #expect(try stage.standing().isEmpty)
        },
        NoticeContract("what is claimed is its claimant's alone, and anybody's when it is given back") { stage in
            try stage.keep(stage.battery(12), stage.rejection)
            let ids = try stage.standing().map(\.id)
            #expect(try stage.store.claim([ids[0]], at: NoticeStage.now) == [ids[0]])
            #expect(try stage.store.claim(ids + [4711], at: NoticeStage.now + 1) == [ids[1]])
            #expect(try stage.standing().map(\.notifiedAt) == [NoticeStage.now, NoticeStage.now + 1])
            #expect(try stage.store.claim(ids, at: NoticeStage.now + 2).isEmpty)
            try stage.store.release([ids[0]])
            #expect(try stage.standing().map(\.isToBeNotified) == [true, false])
            #expect(try stage.store.claim(ids, at: NoticeStage.now + 3) == [ids[0]])
        },
        NoticeContract("what was seen or has ended is nobody's to show") { stage in
            try stage.keep(stage.battery(12), stage.rejection)
            let ids = try stage.standing().map(\.id)
            try stage.store.markSeen([ids[0]], at: NoticeStage.now)
            try stage.keep(stage.battery(12), at: NoticeStage.now + 60)
            #expect(try stage.store.claim(ids, at: NoticeStage.now + 60).isEmpty)
        },
        NoticeContract("every kind is kept as it is") { stage in
            try stage.keep(stage.everyKind)
            #expect(Set(try stage.standing().map(\.notice)) == Set(stage.everyKind))
        },
    ]
}

struct NoticeStage {
    let store: any NoticeStore & StepHistory
    let user: User
    static let now = Timestamp(1_398_000_000)

    init(_ store: any NoticeStore & StepHistory) throws {
        self.store = store
        user = try store.addUser(named: "Ada")
    }

    func keep(_ notices: Notice..., at now: Timestamp = now) throws { try store.keep(notices, at: now) }
    func keep(_ notices: [Notice]) throws { try store.keep(notices, at: Self.now) }
    func standing() throws -> [StoredNotice] { try store.standingNotices() }
    func see() throws { try store.markSeen(try standing().map(\.id), at: Self.now) }
    func notify() throws { _ = try store.claim(try standing().map(\.id), at: Self.now) }

    func battery(_ percent: Int, since: Timestamp = now - 99) -> Notice {
        Notice(.pedometer(1), name: "ring", user: user.id, since: since, .batteryLow(percent: percent))
    }

    func clock(_ pedometer: Pedometer.ID, _ since: Timestamp) -> Notice {
        Notice(.pedometer(pedometer), name: "ring", user: user.id, since: since, .noticed(.clockWasOff(seconds: 7200)))
    }

    func goal(steps: Int = 8001) -> Notice {
        Notice(
            .user(user.id), name: "Ada", user: user.id, since: Self.now,
            .goalReached(day: Day(daysSince1970: 16_180), steps: steps, goal: 8000))
    }

    var rejection: Notice {
        Notice(
            .destination("garden"), name: "garden", user: user.id, since: Self.now - 9,
            .shareRejected(user: "Ada", day: Day(daysSince1970: 16_180), reason: "no \"such\" goal\n"))
    }

    var everyKind: [Notice] {
        let day = Day(daysSince1970: 16_180)
        let contents: [Notice.Content] = [
            .nightsFailed(nights: 3, reason: "no answer"), .notSeen(lastRead: Self.now), .batteryLow(percent: 1),
            .noticed(.clockWasOff(seconds: nil)), .noticed(.counterRestarted), .noticed(.lost(from: day, through: day)),
            .noticed(.dayNotClosed(day)), .shareInDoubt(user: "Ada", day: day, reason: "?"), .destinationStopped(reason: "token"),
            .shareWaiting(days: 2, reason: nil),
        ]
        return contents.map { Notice(.destination("x"), name: "x", since: Self.now, $0) } + [rejection, goal()]
            + [Notice(.machine, since: Self.now, .nightsFailed(nights: 2, reason: "off"))]
            + [Notice(.pedometer(2), name: "watch", since: Self.now, .notSeen(lastRead: nil))]
    }
}
