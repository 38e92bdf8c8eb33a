/// Serves one connection, on a thread of its own.
struct Connection {
    let socket: Socket
    let number: Int
    let server: ServerThreads

    func serve(_ arrival: Arrival, _ answer: (ReceivedRequest) -> Answer) {
        socket.sendAtOnce()
        switch arrival {
        case .close: socket.interrupt()
        case .closeAfter(let bytes):
            var count = 0
            while count < bytes {
                let received = socket.receive(atMost: bytes - count)
                if received.isEmpty { break }
                count += received.count
            }
            socket.interrupt()
        case .ignore:
            // Does not read, because that would let the client send more.
            while !server.isStopped, socket.pause(.seconds(60)) {}
        case .serve:
            var reader = RequestReader(socket)
            while let request = receive(&reader), give(answer(request), to: request) {}
        }
    }

    private func receive(_ reader: inout RequestReader) -> ReceivedRequest? {
        do throws(RequestReader.Failure) {
            guard var request = try reader.next() else { return nil }
            request.connection = number
            return server.note { log in
                request.number = log.requests.count + 1
                log.requests.append(request)
                return request
            }
        } catch {
            switch error {
            case .cutOff: server.note { $0.cutOffs += 1 }
            case .violation(let what):
                server.note { $0.violations.append(what) }
                socket.send(Answer.reply(status: 400, headers: [("Connection", "close")], body: what).bytes(to: "GET"))
            }
            return nil
        }
    }

    /// - Returns: whether the connection can be used for another request.
    private func give(_ answer: Answer, to request: ReceivedRequest) -> Bool {
        switch answer {
        case .reply: return send(answer.bytes(to: request.method))
        case .raw(let bytes, let thenCloses): if send(bytes), !thenCloses { return true }
        case .unannouncedClose(let answer): _ = send(answer.bytes(to: request.method))
        case .closeWithoutAnswer: break
        case .reset:
            socket.resetWhenClosed()
            return false
        case .closeInTheMiddle(let answer): _ = sendHalf(of: answer, to: request)
        case .stall: stall()
        case .stallInTheMiddle(let answer): if sendHalf(of: answer, to: request) { stall() }
        case .drip(let answer, let pause):
            if answer.bytes(to: request.method).allSatisfy({ send([$0]) && orHangup(socket.pause(pause)) }) {
                return true
            }
        case .endlessBody(let status):
            let head = "HTTP/1.1 \(status) Whatever\r\nTransfer-Encoding: chunked\r\n\r\n"
            repeatForever(after: head, "4000\r\n" + String(repeating: "x", count: 0x4000) + "\r\n")
        case .endlessHeaders:
            repeatForever(after: "HTTP/1.1 200 OK\r\n", "X-Filler: " + String(repeating: "x", count: 1000) + "\r\n")
        case .conversation(var conversation):
            guard send(conversation.begin()) else { break }
            while case let bytes = socket.receive(), !bytes.isEmpty {
                guard let answer = conversation.answer(bytes), answer.isEmpty || send(answer) else { break }
            }
        case .endlessInterim: repeatForever(after: "", "HTTP/1.1 100 Continue\r\n\r\n")
        case .endless(let start, let bytes): repeatForever(after: start, bytes)
        }
        socket.interrupt()
        return false
    }

    private func sendHalf(of answer: Answer, to request: ReceivedRequest) -> Bool {
        let bytes = answer.bytes(to: request.method)
        return send(bytes.prefix(bytes.count / 2))
    }

    private func repeatForever(after start: String, _ text: String) {
        repeatForever(after: Array(start.utf8), Array(text.utf8))
    }

    private func repeatForever(after start: [UInt8], _ bytes: [UInt8]) {
        guard send(start) else { return }
        while send(bytes) {}
    }

    private func stall() {
        socket.waitForHangup()
        _ = orHangup(false)
    }

    private func send(_ bytes: some Collection<UInt8>) -> Bool { orHangup(socket.send(bytes)) }

    /// If the server was stopped, this does not count as a hangup by the client.
    private func orHangup(_ isThere: Bool) -> Bool {
        if !isThere, !server.isStopped { server.note { $0.hangups += 1 } }
        return isThere
    }
}
