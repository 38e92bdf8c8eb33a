import Testing

@testable import SimulatedBlueZ

@Suite(.timeLimit(.minutes(5))) struct FaultTests {
    /// Which of the first six operations a fault strikes.
    private func strikes(_ fault: Fault, _ operation: Fault.Operation) -> [Int] {
        var book = InjectedFaults()
        book.add(fault)
        return (1...6).filter { _ in book.next(operation).drops }
    }

    @Test func `a fault occurs at the configured operations`() {
        #expect(strikes(.drop(during: .read, .always), .read) == [1, 2, 3, 4, 5, 6])
        #expect(strikes(.drop(during: .read, .at(2)), .read) == [2])
        #expect(strikes(.drop(during: .read, .first(2)), .read) == [1, 2])
        #expect(strikes(.drop(during: .read, .from(5)), .read) == [5, 6])
        #expect(strikes(.drop(during: .read, .every(3)), .read) == [3, 6])
        #expect(strikes(.drop(afterPackets: 3), .notification) == [4])
    }

    @Test func `operations of another kind do not count`() {
        var book = InjectedFaults()
        book.add(.drop(during: .read, .at(1)))
        #expect(!book.next(.write).drops)
        #expect(!book.next(.notification).drops)
        #expect(book.next(.read).drops)
    }

    @Test func `the effects of several faults are combined`() {
        var book = InjectedFaults()
        book.add(.slow(.seconds(1)))
        book.add(.slow(.seconds(2), .at(2)))
        book.add(.attError(ATTError(0x80), on: .read))
        #expect(book.next(.read).delay == .seconds(1))
        let second = book.next(.read)
        #expect(second.delay == .seconds(3))
        #expect(second.error == ATTError(0x80))
        book.remove(.slow(.seconds(1)))
        #expect(book.next(.read).delay == .zero)
    }

    @Test func `each kind of corruption changes the packet as specified`() {
        let packet: [UInt8] = [1, 2, 3, 6]
        #expect(Corruption.wrongChecksum.applied(to: packet) == [[1, 2, 3, 0xf9]])
        #expect(Corruption.truncated(to: 2).applied(to: packet) == [[1, 2]])
        #expect(Corruption.extended(by: 1).applied(to: packet) == [[1, 2, 3, 6, 0xa5]])
        #expect(Corruption.dropped.applied(to: packet).isEmpty)
        #expect(Corruption.doubled.applied(to: packet) == [packet, packet])
        #expect(Corruption.replaced([9]).applied(to: packet) == [[9]])
        let noise = Corruption.random(seed: 4).applied(to: packet)
        #expect(noise == Corruption.random(seed: 4).applied(to: packet))
        #expect(noise != [packet] && noise.map(\.count) == [4])
    }
}
