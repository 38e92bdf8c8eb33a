import DBus
import Testing

@Suite(.timeLimit(.minutes(5))) struct CallTests {
    @Test func errorReply() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            async let error = failure { _ = try await client.callTest(server, "/a") }
            await inbox.next()?.fail("org.bluez.Error.NotReady", "Resource Not Ready")
            #expect(await error == .remote(name: "org.bluez.Error.NotReady", message: "Resource Not Ready"))
        }
    }

    @Test func unknownDestination() async throws {
        try await withBus { _, client, _ in
            let error = await failure { _ = try await client.call("org.bluez", "/", "a.B", "C") }
            #expect(error?.remoteName == "org.freedesktop.DBus.Error.ServiceUnknown")
        }
    }

    @Test func timeOut() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            let error = await failure {
                _ = try await client.callTest(server, "/a", timeout: .milliseconds(20))
            }
            #expect(error == .timedOut(call: "test.Interface.Method on /a", seconds: 0.02))
        }
    }

    /// The short ones end while the long one waits on, and none of them twice.
    @Test func timeOutsInAnyOrder() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            async let long = client.callTest(server, "/a", [.string("long")])
            let kept = await inbox.next()
            for milliseconds in [30, 10, 0, -5] {
                let error = await failure {
                    _ = try await client.callTest(server, "/a", timeout: .milliseconds(milliseconds))
                }
                #expect(error == .timedOut(call: "test.Interface.Method on /a", seconds: Double(milliseconds) / 1000))
            }
            await kept?.reply([.byte(1)])
            let answer = try await long
            #expect(answer == [.byte(1)])
        }
    }

    @Test func lateReplyIsDropped() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            let error = await failure {
                _ = try await client.callTest(server, "/a", timeout: .milliseconds(10))
            }
            #expect(error == .timedOut(call: "test.Interface.Method on /a", seconds: 0.01))
            let late = await inbox.next()
            async let second = client.callTest(server, "/a")
            let next = await inbox.next()
            await late?.reply([.string("late")])
            await next?.reply([.string("in time")])
            let answer = try await second
            #expect(answer == [.string("in time")])
        }
    }

    @Test func cancellationIsNoTimeOut() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            let task = Task { await failure { _ = try await client.callTest(server, "/a") } }
            let kept = await inbox.next()
            task.cancel()
            #expect(await task.value == .cancelled(call: "test.Interface.Method on /a"))
            await kept?.reply()
            let answer = try await client.callBus("GetId")
            #expect(answer.count == 1)
        }
    }

    @Test func cancelledBeforehandIsNotSent() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await failure { _ = try await client.callTest(server, "/a", [.string("never")]) }
            }
            #expect(await task.value == .cancelled(call: "test.Interface.Method on /a"))
            async let second = client.callTest(server, "/a", [.string("second")])
            let call = await inbox.next()
            #expect(call?.message.body == [.string("second")])
            await call?.reply()
            let answer = try await second
            #expect(answer == [])
        }
    }

    @Test func withoutReply() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            try await client.send(server.uniqueName, "/a", "test.Interface", "Method", [.byte(1)])
            let call = try #require(await inbox.next())
            #expect(call.message.noReplyExpected)
            #expect(call.message.body == [.byte(1)])
            // Answers are swallowed; were they sent, the next call's answer would not be the next message.
            await call.reply([.string("unwanted")])
            async let wanted = client.callTest(server, "/a")
            let next = await inbox.next()
            #expect(next?.message.noReplyExpected == false)
            await next?.reply([.string("wanted")])
            #expect(try await wanted == [.string("wanted")])
        }
    }

    @Test func manyAtOnceGetTheirOwnAnswers() async throws {
        try await withBus { _, client, server in
            await server.export(Echo(), at: Echo.path)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        try await client.callTest(server, Echo.path, [.int32(Int32(number))]) == [.int32(Int32(number))]
                    }
                }
                for try await isOwn in group { #expect(isOwn) }
            }
        }
    }

    /// More than a socket takes at once, so that writing has to wait for room, in both directions.
    @Test func largeMessagesWaitForRoom() async throws {
        let block = DBusValue.bytes([UInt8](repeating: 7, count: 4_000_000))
        try await withBus { _, client, server in
            await server.export(Echo(), at: Echo.path)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<4 {
                    group.addTask { try await client.callTest(server, Echo.path, [block]) == [block] }
                }
                for try await isOwn in group { #expect(isOwn) }
            }
        }
    }

    @Test func closing() async throws {
        try await withBus { _, client, server in
            let inbox = Inbox()
            await server.export(inbox, at: "/a")
            async let waiting = failure { _ = try await client.callTest(server, "/a") }
            let kept = await inbox.next()
            await client.close()
            #expect(await waiting == .disconnected)
            #expect(await client.isOpen == false)
            await client.close()
            #expect(await failure { _ = try await client.callBus("GetId") } == .disconnected)
            #expect(await failure { try await client.emit("/", "a.B", "C") } == .disconnected)
            #expect(await failure { _ = try await client.signals(MatchRule()) } == .disconnected)
            await kept?.reply()
        }
    }
}
