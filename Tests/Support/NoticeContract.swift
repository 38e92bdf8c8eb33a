public import StepDomain
public import Testing

/// The rules that every notice store must follow, each one separate.
public struct NoticeContract: Sendable, CustomTestStringConvertible {
    public let testDescription: String
    private let body: @Sendable (NoticeFixture) throws -> Void

    private init(_ rule: String, _ body: @escaping @Sendable (NoticeFixture) throws -> Void) {
        testDescription = rule
        self.body = body
    }

    /// - Parameter store: an empty history.
    public func check(_ store: any NoticeStore & StepHistory) throws { try body(try NoticeFixture(store)) }

    public static let all: [NoticeContract] = [
        NoticeContract("notices are stored as new and listed by their start") { fixture in
            try fixture.keep(fixture.goal(), fixture.battery(12))
            let standing = try fixture.standing()
            #expect(standing.map(\.notice) == [fixture.battery(12), fixture.goal()])
            #expect(standing.allSatisfy { $0.isNew && $0.isToBeNotified && $0.storedAt == NoticeFixture.now })
        },
        NoticeContract("storing the same notices again changes nothing") { fixture in
            try fixture.keep(fixture.battery(12), fixture.goal())
            let before = try fixture.standing()
            try fixture.keep(fixture.battery(12), fixture.goal(), at: NoticeFixture.now + 60)
            #expect(try fixture.standing() == before)
        },
        NoticeContract("a notice with changed content is updated and is not new again") { fixture in
            try fixture.keep(fixture.battery(12))
            try fixture.see()
            try fixture.keep(fixture.battery(9, since: NoticeFixture.now + 60), at: NoticeFixture.now + 60)
            let standing = try fixture.standing()
            #expect(standing.map(\.notice) == [fixture.battery(9)])
            #expect(standing.map(\.isNew) == [false])
        },
        NoticeContract("a notice of a state lasts until its cause ends, seen or not") { fixture in
            try fixture.keep(fixture.battery(12))
            try fixture.see()
            try fixture.notify()
            #expect(try fixture.standing().map(\.isToBeNotified) == [false])
            try fixture.keep(at: NoticeFixture.now + 60)
            #expect(try fixture.standing().isEmpty)
        },
        NoticeContract("a state that comes back is a new notice") { fixture in
            try fixture.keep(fixture.battery(12))
            try fixture.see()
            try fixture.keep(at: NoticeFixture.now + 60)
            try fixture.keep(fixture.battery(3, since: NoticeFixture.now + 90), at: NoticeFixture.now + 90)
            let standing = try fixture.standing()
            #expect(standing.map(\.isNew) == [true])
            #expect(standing.map(\.notice.since) == [NoticeFixture.now + 90])
        },
        NoticeContract("a seen event has ended and does not come back") { fixture in
            try fixture.keep(fixture.goal())
            try fixture.see()
            #expect(try fixture.standing().isEmpty)
            try fixture.keep(fixture.goal(steps: 9999), at: NoticeFixture.now + 60)
            #expect(try fixture.standing().isEmpty)
        },
        NoticeContract("an event that the desktop has shown stays new until it is seen") { fixture in
            try fixture.keep(fixture.goal())
            try fixture.notify()
            try fixture.keep(at: NoticeFixture.now + 60)
            let standing = try fixture.standing()
            #expect(standing.map(\.isNew) == [true])
            #expect(standing.map(\.isToBeNotified) == [false])
        },
        NoticeContract("an unseen event expires after three days") { fixture in
            try fixture.keep(fixture.goal())
            try fixture.keep(at: NoticeFixture.now + 3 * 86_400)
            #expect(try fixture.standing().count == 1)
            try fixture.keep(at: NoticeFixture.now + 3 * 86_400 + 1)
            #expect(try fixture.standing().isEmpty)
        },
        NoticeContract("a rejection ends when it is resolved") { fixture in
            try fixture.keep(fixture.rejection)
            #expect(try fixture.standing().map(\.notice) == [fixture.rejection])
            try fixture.keep(at: NoticeFixture.now + 60)
            #expect(try fixture.standing().isEmpty)
        },
        NoticeContract("a notice marked as seen twice keeps the first time, and unknown notices are ignored") {
            fixture in
            try fixture.keep(fixture.battery(12))
            try fixture.see()
            try fixture.store.markSeen(try fixture.standing().map(\.id) + [4711], at: NoticeFixture.now + 99)
            #expect(try fixture.standing().map(\.seenAt) == [NoticeFixture.now])
        },
        NoticeContract("ended notices are deleted after 90 days") { fixture in
            try fixture.keep(fixture.goal())
            try fixture.see()
            try fixture.keep(fixture.goal(), at: NoticeFixture.now + 90 * 86_400)
            #expect(try fixture.standing().isEmpty)
            try fixture.keep(at: NoticeFixture.now + 90 * 86_400 + 1)
            try fixture.keep(fixture.goal(), at: NoticeFixture.now + 90 * 86_400 + 2)
            #expect(try fixture.standing().count == 1)
        },
        NoticeContract("only the first call that stores a notice returns it as new") { fixture in
            let first = try fixture.store.update(active: [fixture.battery(12), fixture.goal()], at: NoticeFixture.now)
            #expect(first == Set(try fixture.standing().map(\.id)) && first.count == 2)
            let second = try fixture.store.update(
                active: [fixture.battery(9), fixture.goal(), fixture.rejection], at: NoticeFixture.now + 1)
            #expect(
                second == Set(try fixture.standing().filter { $0.notice == fixture.rejection }.map(\.id))
                    && second.count == 1)
            try fixture.see()
            #expect(
                try fixture.store.update(active: [fixture.battery(9), fixture.goal()], at: NoticeFixture.now + 2)
                    .isEmpty)
        },
        NoticeContract("a withdrawn goal has ended; reached again it is reported, unless it was seen") { fixture in
            let key = fixture.goal().key
            try fixture.keep(fixture.goal())
            try fixture.store.update(active: [], withdrawn: [key], at: NoticeFixture.now + 1)
            #expect(try fixture.standing().isEmpty)
            try fixture.keep(fixture.goal(), at: NoticeFixture.now + 2)
            #expect(try fixture.standing().map(\.isNew) == [true])
            try fixture.see()
            try fixture.store.update(active: [], withdrawn: [key], at: NoticeFixture.now + 3)
            try fixture.keep(fixture.goal(), at: NoticeFixture.now + 4)
            #expect(try fixture.standing().isEmpty)
        },
        NoticeContract(
            "a clock that is wrong again within a week is not reported again; of two pedometers each is reported"
        ) { fixture in
            let day = 86_400
            // 16,177 days since 1970 are whole weeks: the rule must hold on both sides of a week's boundary.
            let first = Timestamp(16_177 * day - 3600)
            #expect(try fixture.store.update(active: [fixture.clock(1, first)], at: first).count == 1)
            let both = [fixture.clock(1, first + day), fixture.clock(2, first + day)]
            #expect(try fixture.store.update(active: both, at: first + day).count == 1)
            #expect(try fixture.standing().map(\.notice.since) == [first, first + day])
            try fixture.store.markSeen(try fixture.standing().map(\.id), at: first + day)
            #expect(try fixture.store.update(active: [fixture.clock(1, first + 2 * day)], at: first + 2 * day).isEmpty)
            #expect(
                try fixture.store.update(active: [fixture.clock(1, first + 8 * day - 1)], at: first + 8 * day - 1)
                    .isEmpty)
            #expect(
                try fixture.store.update(active: [fixture.clock(1, first + 8 * day)], at: first + 8 * day).count == 1)
        },
        NoticeContract(
            "a goal that the desktop has shown, withdrawn and reached again, is new in a terminal but is not shown on the desktop again"
        ) { fixture in
            let key = fixture.goal().key
            try fixture.keep(fixture.goal())
            try fixture.notify()
            let before = try fixture.standing()
            for round in 1...2 {
                try fixture.store.update(active: [], withdrawn: [key], at: NoticeFixture.now + 10 * round)
                #expect(try fixture.standing().isEmpty)
                #expect(
                    try fixture.store.update(
                        active: [fixture.goal(steps: 9000 + round)], at: NoticeFixture.now + 10 * round + 1
                    ).isEmpty)
                let after = try fixture.standing()
                #expect(after.map(\.id) == before.map(\.id))
                #expect(after.map(\.notice) == [fixture.goal(steps: 9000 + round)])
                #expect(after.map(\.isNew) == [true] && after.map(\.isToBeNotified) == [false])
            }
            try fixture.see()
            try fixture.keep(fixture.goal(), at: NoticeFixture.now + 99)
            #expect(try fixture.standing().isEmpty)
        },
        NoticeContract("standing notices about a pedometer have its new name, and are not new again") { fixture in
            let ring = try fixture.store.addPedometer(
                Pedometer(
                    user: fixture.user.id, model: "colmi", address: "C0:DE:00:00:00:01", addressType: "public",
                    name: "ring"))
            try fixture.keep(
                fixture.clock(ring.id, NoticeFixture.now), fixture.clock(ring.id + 1, NoticeFixture.now), fixture.goal()
            )
            try fixture.notify()
            let before = try fixture.standing()
            try fixture.store.renamePedometer(ring.id, to: "bedroom")
            let after = try fixture.standing()
            #expect(after.map { $0.notice.subject == .pedometer(ring.id) } == after.map { $0.notice.name == "bedroom" })
            #expect(
                after.count == 3 && after.map(\.id) == before.map(\.id)
                    && after.map(\.notice.key) == before.map(\.notice.key))
            #expect(after.allSatisfy { $0.isNew && !$0.isToBeNotified })
        },
        NoticeContract("a claimed notice cannot be claimed by others until it is released") { fixture in
            try fixture.keep(fixture.battery(12), fixture.rejection)
            let ids = try fixture.standing().map(\.id)
            #expect(try fixture.store.claim([ids[0]], at: NoticeFixture.now) == [ids[0]])
            #expect(try fixture.store.claim(ids + [4711], at: NoticeFixture.now + 1) == [ids[1]])
            #expect(try fixture.standing().map(\.notifiedAt) == [NoticeFixture.now, NoticeFixture.now + 1])
            #expect(try fixture.store.claim(ids, at: NoticeFixture.now + 2).isEmpty)
            try fixture.store.release([ids[0]])
            #expect(try fixture.standing().map(\.isToBeNotified) == [true, false])
            #expect(try fixture.store.claim(ids, at: NoticeFixture.now + 3) == [ids[0]])
        },
        NoticeContract("seen and ended notices cannot be claimed") { fixture in
            try fixture.keep(fixture.battery(12), fixture.rejection)
            let ids = try fixture.standing().map(\.id)
            try fixture.store.markSeen([ids[0]], at: NoticeFixture.now)
            try fixture.keep(fixture.battery(12), at: NoticeFixture.now + 60)
            #expect(try fixture.store.claim(ids, at: NoticeFixture.now + 60).isEmpty)
        },
        NoticeContract("notices of every kind are read as they were stored") { fixture in
            try fixture.keep(fixture.everyKind)
            #expect(Set(try fixture.standing().map(\.notice)) == Set(fixture.everyKind))
        },
    ]
}

struct NoticeFixture {
    let store: any NoticeStore & StepHistory
    let user: User
    static let now = Timestamp(1_398_000_000)

    init(_ store: any NoticeStore & StepHistory) throws {
        self.store = store
        user = try store.addUser(named: "Ada")
    }

    func keep(_ notices: Notice..., at now: Timestamp = now) throws { try store.update(active: notices, at: now) }
    func keep(_ notices: [Notice]) throws { try store.update(active: notices, at: Self.now) }
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
            .noticed(.dayNotClosed(day)), .shareInDoubt(user: "Ada", day: day, reason: "?"),
            .shareWithheld(user: "Ada", day: day),
            .destinationStopped(reason: "token"),
            .shareWaiting(days: 2, reason: nil),
        ]
        return contents.map { Notice(.destination("x"), name: "x", since: Self.now, $0) } + [rejection, goal()]
            + [Notice(.machine, since: Self.now, .nightsFailed(nights: 2, reason: "off"))]
            + [Notice(.pedometer(2), name: "watch", since: Self.now, .notSeen(lastRead: nil))]
    }
}

extension NoticeStore {
    @discardableResult
    public func update(active: [Notice], at now: Timestamp) throws -> Set<StoredNotice.ID> {
        try update(active: active, withdrawn: [], at: now)
    }
}
