/// One setting of a hub, as its file and its page explain it.
public struct HubSetting: Sendable, Hashable {
    /// Without `hub.` before it.
    public let key: String
    /// As YAML.
    public let value: String
    /// Whether nothing is set unless somebody does: then ``value`` shows how it would be written. Otherwise it is what holds.
    public let isExample: Bool
    /// What it does.
    public let text: String
}

/// Every setting that there is: the package's file and docs/hub-settings.md are made of this table.
public enum HubSettings {
    /// A setting a pair of lines: `KEY = DEFAULT` or, where nothing is set, `KEY ~ EXAMPLE`; what it does.
    private static let source = #"""
        url ~ https://hub.example
            How boxes and browsers reach the hub, when that is not the address below.
        names ~ [10.8.0.1]
            Further names and addresses by which boxes reach it. What a box signed for another is refused.
        directory = /var/lib/trackme-hub
            Where databases, keys and certificates are kept.
        quota = 10000000
            Bytes of measurements that each person may keep; the oldest go first.

        listen.host = 127.0.0.1
            The address to listen on; 0.0.0.0 for all. Where systemd runs trackme-hub.socket, that unit says it, and the port.
        listen.port = 8443
            0 takes a free one.
        listen.threads = 0
            Threads of connections; 0 for one a core.
        listen.connections = 0
            Connections at once; 0 for as many as the process may have files.

        tls.enabled = true
            false only behind a proxy that does TLS.
        tls.certificate ~ /etc/trackme/tls/fullchain.pem
            A certificate of yours (PEM), read anew when it changes.
        tls.key ~ /etc/trackme/tls/privkey.pem
            Its key. Without both the hub makes an authority of its own.
        tls.names ~ [hub.lan]
            Further names for the certificate that the hub makes.
        proxy.trusted ~ [127.0.0.1, 10.8.0.0/16]
            Proxies before the hub, which are believed about whom they speak for.

        mail.server ~ smtps://mail.example
            The mail server: smtp://HOST[:PORT] with STARTTLS, or smtps://HOST[:PORT].
        mail.tls = true
            false only where that server is on this machine.
        mail.user ~ trackme@mail.example
            Who the hub is to the server.
        mail.passwordFile ~ /etc/trackme/hub-mail-password
            A file with the password alone; the credential trackme-mail-password goes first.
        mail.authority ~ /etc/trackme/mail-ca.pem
            Authorities (PEM) of the server's certificate; the system's without.
        mail.connections = 80
            Connections for alarms. Postfix grants 50 to an address outside its mynetworks.
        mail.sendmail = /usr/sbin/sendmail
            The program that takes mails where there is no server.
        mail.sender = trackme@localhost
            From whom mails come, and the contact that push services are told.
        sms.command ~ /usr/local/bin/send-text
            A program that sends a text: the number is its argument, the text its input.

        voice.account ~ sip:USER@trunk.example
            A SIP trunk for telephone calls; without one the hub calls nobody.
        voice.passwordFile ~ /etc/trackme/hub-voice-password
            A file with the password alone; without, the credential hub.voice.password.
        voice.user ~ USER
            The name that goes with the password, where it is not the account's.
        voice.registrar ~ sbc.trunk.example:5060
            Where registration and calls go, where that is not the account's host.
        voice.transport = udp
            udp or tcp.
        voice.register = true
            false for a trunk that knows this hub by its address.
        voice.lines = 2
            Calls at a time, 1 to 16: as many as the trunk allows.
        voice.caller ~ TrackMe
            The name that is sent beside the number.
        voice.prefixes ~ ["+39", "+41"]
            Beginnings of the numbers that contacts may have; all without.
        voice.baresip = /usr/bin/baresip
            The program that speaks SIP. Another one is named in trackme-hub-lines.service, too.
        voice.speaker = /usr/bin/espeak-ng
            The program that speaks. Another one is named in trackme-hub-lines.service, too.

        sos.rooms ~ ["118=mailto:118@control.example"]
            Control rooms that get alarms: NAME=ADDRESS, with an area or everywhere.
        sos.authority ~ /etc/trackme/rooms-ca.pem
            Authorities (PEM) of the rooms' certificates; the system's without.
        sos.secret ~ SECRET
            Signs what goes to rooms by HTTPS; 16 characters or more. Then let nobody but trackme-hub read this file.
        sos.secrets ~ ["118=SECRET"]
            A secret of its own for a room: NAME=SECRET.
        sos.watchdog ~ https://watch.example/ping/NAME
            A dead-man's switch, which hears from the hub each minute while alarms would be seen to.
        maintenance.hours ~ "02:00-05:00"
            The hours of the day, by this machine's clock, in which maintenance may be planned; any without.
        operator.mail ~ ops@hub.example
            An address of yours: a test each day, and word of a way out that failed.
        operator.phone ~ "+393330000000"
            The same by text message.

        map.tiles ~ https://HOST/{z}/{x}/{y}.png
            Map tiles elsewhere, which readers' browsers ask for; the hub's own maps without.
        map.attribution ~ Map data by NAME
            The credit that the tiles' provider asks for.
        map.obstacles ~ /etc/trackme/obstacles.geojson
            Motorways and water that no course may cross; that of map import without.
        map.leaflet = /usr/share/javascript/leaflet
            Where libjs-leaflet lies.

        age.own ~ 14
            From which age on people own their account; 14 in Italy and 16 elsewhere unless set.
        passwords.breached ~ /var/lib/trackme-hub/breached.bloom
            A file that trackme-hub passwords made of a list of breached passwords.
        documents.folder ~ /etc/trackme/documents
            Your terms and privacy statement, which people accept; the hub's own without.
        support.contact ~ help@hub.example
            How people reach you; stands on every help page, beside a form.
        consent.answerWithin = 72
            Hours after which an unanswered request counts as denied.
        consent.denialsMax = 3
            So many denials block an asker.
        runs.organisers = all
            organisations: those alone make runs.
        runs.check = none
            first, or each: an operator looks at such a run before it is published.
        imports.max = 1000000000
            Bytes of all files of one import.
        log.format = text
            text for people, or json: one object a line, for programs that collect logs.
        webhooks.allow ~ [10.8.0.0/16]
            Networks of yours to which webhooks and push messages may go; the public Internet alone without.

        groups.enabled = false
            Whether figures about groups are released.
        groups.window = week
            week, day or hour.
        groups.closing ~ 72
            Hours after its end when a window closes; 72, of hours 2 unless set.
        groups.epsilon = 4.5
            What a person may lose in a year; it can only be lower.
        groups.minimum = 1000
            The least size of a cell; it can only be higher.
        groups.minimumOfSecondDoor = 5000
            The least size of a group at the second door; it can only be higher.
        groups.kinds = [heart_rate=3, steps=1, sleep=1, weight=1]
            The shares of kinds.
        groups.levels = [region=3, province=2, municipality=1]
            The shares of levels.
        groups.cube = 9
            The share of windows.
        groups.secondDoor = 1
            The share of questions with ranges of health values.
        groups.questions = 24
            Such questions in a year, of all.
        groups.questionsOfOrganisation = 6
            Such questions in a year, of one organisation.

        backup.to ~ /mnt/backup
            Where backups go: /FOLDER, rclone:REMOTE:PATH or command:/PROGRAM; without, none are made.
        backup.recipients ~ [age1EXAMPLE]
            Who can read them: public keys of age-keygen. The private ones are on another machine.
        backup.keep = 35
            Days that a backup is kept; 0 for ever.
        backup.full = 7
            Days between two full backups; those between have what changed.

        payments.enabled = false
            Whether anything is for sale. What was bought before holds to its end all the same.
        payments.offers ~ ["space-year=space 365 19.90 EUR"]
            What is for sale: CODE=FEATURE DAYS PRICE CURRENCY. The feature is space.
        payments.client ~ CLIENT-ID
            The client ID of PayPal's developer dashboard.
        payments.secretFile ~ /etc/trackme/hub-payments-secret
            A file with the client's secret alone; without, the credential hub.payments.secret.
        payments.webhook ~ WEBHOOK-ID
            The identifier that PayPal gave to the webhook at /payments/webhook.
        payments.api = https://api-m.paypal.com
            PayPal's REST API; https://api-m.sandbox.paypal.com to try it.
        payments.grace = 14
            Days for which a paid feature stays on after its end.
        payments.space = 100000000
            Bytes of measurements that somebody keeps who has paid for space.

        helpers.lines ~ /run/trackme-hub/lines.socket
            The helper that starts programs for calls. The unit sets it.
        helpers.messages ~ /run/trackme-hub/messages.socket
            The helper that starts programs for mails and texts. The unit sets it.
        """#

    public static let all: [HubSetting] = {
        let lines = source.split(separator: "\n").map(String.init)
        return stride(from: 0, to: lines.count - 1, by: 2).map { number in
            let words = lines[number].split(separator: " ", maxSplits: 2).map(String.init)
            return HubSetting(
                key: words[0], value: words[2], isExample: words[1] == "~", text: String(lines[number + 1].trimmingPrefix("    ")))
        }
    }()

    private static let head = """
        # The settings of the hub. To set one, delete the # at the very beginning of its line, and of the line of its section. Then, as root:
        # systemctl restart trackme-hub
        # What is commented out is the default, or how it is written. An upgrade of the package keeps this file as you made it.
        # sudo trackme-hub setup asks for the most important ones and tries them. docs/hub-settings.md lists them all.
        hub:
        """

    /// The file that the package installs: each setting with its explanation, commented out but for the address.
    public static var file: String {
        var lines = [head], section = ""
        for setting in all {
            let parts = setting.key.split(separator: ".", maxSplits: 1).map(String.init)
            let margin = String(repeating: "  ", count: parts.count), mark = parts[0] == "listen" ? "" : "#"
            if parts.count == 2, parts[0] != section {
                section = parts[0]
                lines += ["", "\(mark)  \(section):"]
            }
            lines += ["\(margin)# \(setting.text)", "\(mark)\(margin)\(parts[parts.count - 1]): \(setting.value)"]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The table of docs/hub-settings.md.
    public static var table: String {
        let rows = all.map { "| `hub.\($0.key)` | \($0.isExample ? "none; like " : "")`\($0.value)` | \($0.text) |" }
        return (["| key | as installed | what it does |", "| --- | --- | --- |"] + rows).joined(separator: "\n") + "\n"
    }
}
