import HubStore
import NIOCore
import Privacy
import Runs
import Vitals

/// Rows for the organiser, and for a runner about themselves: whole ones, with names of what is in them.
extension RunLive {
    /// Everybody, whole.
    func peopleEvent(now: Milliseconds) -> ByteBuffer {
        let rows = organiserRows(now: now)
        var buffer = ByteBufferAllocator().buffer(capacity: 76 + rows.count * 296)
        buffer.begin(event: "people")
        buffer.writeString("{\"t\":")
        buffer.write(now)
        buffer.writeString(",\"state\":")
        buffer.quoted("\(run.state(at: now))")
        // The number of runners still out there is not known before.
        buffer.writeString(",\"unread\":")
        buffer.write(rows.count { $0.runner.isUnread })
        buffer.writeString(",\"damaged\":")
        buffer.write(damaged)
        buffer.writeString(",\"rows\":")
        buffer.list(rows) { object(&$0, $1.row, $1.runner, now: now) }
        buffer.writeString("}")
        buffer.endEvent()
        return buffer
    }

    /// One runner's own row; nil for somebody who is not on the list.
    func ownEvent(_ enrolment: Int64, now: Milliseconds) -> ByteBuffer? {
        guard let own = runner(enrolment), let item = organiserRows(now: now).first(where: { $0.row.bib == own.bib }) else { return nil }
        return ownEvent(item, now: now)
    }

    func ownEvent(_ item: (row: RankingRow, runner: LiveRunner), now: Milliseconds) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: 400)
        buffer.begin(event: "mine")
        object(&buffer, item.row, item.runner, now: now, isOwn: true)
        buffer.endEvent()
        return buffer
    }

    private func object(_ buffer: inout ByteBuffer, _ row: RankingRow, _ runner: LiveRunner, now: Milliseconds, isOwn: Bool = false) {
        let isRead = runner.grants.own != nil, progress = isRead ? runner.progress : nil
        buffer.writeString("{\"bib\":")
        buffer.write(row.bib)
        buffer.writeString(",\"name\":")
        buffer.quoted(runner.name)
        buffer.writeString(",\"group\":")
        buffer.write(row.group.index)
        for (key, value) in [
            (",\"place\":", row.place ?? 0), (",\"metres\":", Int(row.metres.rounded())),
            (",\"pace\":", row.group == .running ? progress?.pace ?? 0 : 0),
            (",\"gap\":", row.gapToFirst.map { Int((max($0, 0) + 500) / 1000) } ?? -1),
            (",\"hr\":", runner.grants.own?.kinds.contains(.heartRate) == true ? runner.heartRate(at: now) ?? 0 : 0),
        ] as [(StaticString, Int)] {
            buffer.writeStaticString(key)
            buffer.write(value)
        }
        buffer.writeString(",\"seen\":")
        buffer.write(progress.map { max($0.time, isRead ? runner.matcher?.lastSeen ?? 0 : 0) } ?? 0)
        buffer.writeString(",\"lat\":")
        if let progress { buffer.degrees(progress.position.latitude) } else { buffer.null() }
        buffer.writeString(",\"lon\":")
        if let progress { buffer.degrees(progress.position.longitude) } else { buffer.null() }
        // The check-in is about position and heart rate: the battery is nothing that the runner let the organiser read.
        buffer.writeString(",\"battery\":null,\"alarm\":")
        if let alarm = runner.alarm(now: now) { buffer.quoted(alarm) } else { buffer.null() }
        buffer.writeString(",\"out\":\(contestant(runner).isStillOut),\"offCourse\":")
        if let away = progress?.offCourseDistance { buffer.write(Int(away.rounded())) } else { buffer.null() }
        buffer.writeString(",\"stopped\":")
        if let since = progress?.stoppedSince, progress?.finish == nil { buffer.write(since) } else { buffer.null() }
        buffer.writeString(",\"test\":\(runner.isTest),\"unread\":\(runner.isUnread)")
        if isOwn {
            buffer.writeString(",\"t\":")
            buffer.write(now)
            buffer.writeString(",\"length\":")
            buffer.write(Int(course.length.rounded()))
            buffer.writeString(",\"gun\":")
            buffer.write(runner.gun)
            let point = course.point(at: row.metres)
            buffer.writeString(",\"course\":[")
            buffer.degrees(point.latitude)
            buffer.comma()
            buffer.degrees(point.longitude)
            buffer.writeString("]")
        }
        buffer.writeString("}")
    }
}
