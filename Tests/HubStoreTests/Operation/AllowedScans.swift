/// What may be read from end to end, with the reason.
enum AllowedScans {
    /// Tables that do not grow with people or with time.
    static let smallTables = [
        "mail": "Mails that wait: gone when they were sent.",
        "enrolment_code_person": "Forgotten after a day.",
        "address_change": "Lost addresses that an operator replaces: gone after days.",
        "agent_host": "Boxes from before that use another name of the hub; a command.",
        "ambulance": "Some for each hospital on duty.",
        "claim": "One row.",
        "crew_code": "Forgotten after ten minutes.",
        "deleted_part": "A row for each deletion that somebody asked for.",
        "enrolment_code": "Forgotten after a day.",
        "friend_link": "Expires after days; asked when one is made.",
        "import": "One row.",
        "invitation": "Expires after days; asked when one is made.",
        "journal": "What ten minutes bring; read by the start and by merging.",
        "kept": "A subquery, of one consent.",
        "lane": "A subquery, of one webhook.",
        "life": "A row for each restored backup.",
        "maintenance": "A row for each planned outage.",
        "open": "A subquery, of one asker.",
        "opening": "Forgotten after a day.",
        "place": "Imported, without people; the same for all.",
        "quarantine": "Only damaged segments.",
        "root": "One row.",
        "service": "Some for each organisation.",
        "telling": "Emptied as fast as people can be told.",
        "webhook": "Some for each organisation.",
    ]

    /// Statements, on one line.
    static let statements = [
        "SELECT * FROM account WHERE confirmed IS NOT NULL ORDER BY id":
            "A command asks, while the hub is stopped.",
        "DELETE FROM consent WHERE person = ?":
            "A few rows for each person with SOS; only when somebody is deleted.",
        "DELETE FROM invited WHERE time <= ?":
            "Not asked of runs; among the accounts an index finds them.",
        "DELETE FROM delivery WHERE person = ?":
            "What waits for webhooks, of which each has a bound; only when somebody is deleted.",
        """
        SELECT run.id, run.run, code, organiser, run.state, starts, ends, closes, began, ended, most, enrolled, revision, schedule,
        south, west, north, east, run.created, run.envelope FROM run WHERE is_public = 1 AND state BETWEEN 1 AND 4 AND is_public = 1
        AND state BETWEEN 1 AND 4 ORDER BY ends <= ?, CASE WHEN ends > ? THEN starts ELSE -starts END, id LIMIT ?
        """.onOneLine: "A search for words, of public runs.",
        "SELECT person, incident, envelope FROM incident WHERE is_open = 0 AND opened >= ? ORDER BY id DESC LIMIT 2000":
            "Cases of a month, for the operator and for what followed.",
        "SELECT person, incident, envelope FROM incident WHERE is_open = 0 AND opened >= ? ORDER BY id DESC LIMIT 20000":
            "Cases of a month, for the operator and for what followed.",
        "SELECT id, time, actor, action, subject, previous, hash FROM audit ORDER BY id":
            "Checking the chain reads all of it; a command.",
        "SELECT * FROM push_device ORDER BY id DESC LIMIT ?":
            "Ends with its limit.",
        "SELECT time, entry, payment, remote, capture, offer, amount, currency FROM payment_book ORDER BY id DESC LIMIT ?":
            "Ends with its limit.",
        "SELECT NOT EXISTS(SELECT 1 FROM person_key)":
            "Ends with the first row.",
        "SELECT id, hash FROM audit ORDER BY id DESC LIMIT 1":
            "Ends with the first row.",
        "SELECT person, key, wrapped FROM person_key LIMIT 1":
            "Ends with the first row.",
        "SELECT time FROM audit ORDER BY id DESC LIMIT 1":
            "Ends with the first row.",
        "SELECT DISTINCT person FROM person_key":
            "Keys and rows are compared when the hub starts.",
        "SELECT person FROM person WHERE length(name) = 0":
            "Keys and rows are compared when the hub starts.",
        "SELECT person FROM person WHERE length(name) > 0":
            "Keys and rows are compared when the hub starts.",
        "SELECT count(*) FROM deleted":
            "A command asks every few minutes whether backups need other keys.",
        "SELECT person, deleted FROM deleted":
            "Keys and rows are compared when the hub starts.",
        """
        SELECT enrolment.id, run.run, person, bib, enrolment.state, check_in, public_heart_rate, enrolment.created,
        enrolment.envelope, entry, asked FROM enrolment JOIN run ON run.id = enrolment.run
        """.onOneLine: "No statement by itself: each use adds a condition.",
        "SELECT id, workout, person, began, ended, is_shared, envelope FROM workout":
            "No statement by itself: each use adds a condition.",
        "SELECT id FROM consent WHERE created >= ? ORDER BY id LIMIT 1":
            "Once a day; ends with the first row that is young enough.",
        "SELECT id FROM ledger WHERE time >= ? ORDER BY id LIMIT 1":
            "Once a day; ends with the first row that is young enough.",
        "SELECT person, bytes, rolled FROM space":
            "Once a minute: a number for each person.",
        "SELECT DISTINCT other FROM friend":
            "People whose keys are gone are looked for when the hub starts.",
        "SELECT DISTINCT person FROM alias":
            "People whose keys are gone are looked for when the hub starts.",
        "SELECT DISTINCT person FROM change":
            "People whose keys are gone are looked for when the hub starts.",
        "SELECT DISTINCT person FROM choice":
            "People whose keys are gone are looked for when the hub starts.",
        "SELECT DISTINCT person FROM consent":
            "People whose keys are gone are looked for when the hub starts.",
        "SELECT DISTINCT person FROM drill":
            "People whose keys are gone are looked for when the hub starts.",
        "SELECT DISTINCT person FROM enrolment WHERE person IS NOT NULL":
            "People whose keys are gone are looked for when the hub starts.",
        "SELECT DISTINCT person FROM feed WHERE person IS NOT NULL":
            "People whose keys are gone are looked for when the hub starts.",
        "SELECT DISTINCT person FROM friend":
            "People whose keys are gone are looked for when the hub starts.",
        "SELECT DISTINCT person FROM incident":
            "People whose keys are gone are looked for when the hub starts.",
        "SELECT DISTINCT person FROM invited WHERE person IS NOT NULL":
            "People whose keys are gone are looked for when the hub starts.",
        "SELECT DISTINCT person FROM nearby":
            "People whose keys are gone are looked for when the hub starts.",
        "SELECT DISTINCT person FROM workout":
            "People whose keys are gone are looked for when the hub starts.",
        "SELECT DISTINCT person FROM workout_record":
            "People whose keys are gone are looked for when the hub starts.",
        "SELECT DISTINCT person FROM day_record":
            "People whose keys are gone are looked for when the hub starts.",
        "SELECT person FROM workout_scan":
            "People whose keys are gone are looked for when the hub starts.",
        "SELECT person, journal FROM merged":
            "Read once when the hub starts.",
        "UPDATE timer SET lease = 0 WHERE lease <> 0":
            "Read once when the hub starts.",
        "SELECT DISTINCT person FROM watch":
            "Read when the hub starts; the detector then keeps it in memory.",
        "SELECT count(*) FROM incident":
            "Read when the hub starts; the detector then keeps it in memory.",
        "SELECT person FROM choice WHERE is_on = 1":
            "Read when the hub starts; the detector then keeps it in memory.",
        "SELECT person, envelope FROM watch":
            "Read when the hub starts; the detector then keeps it in memory.",
        "SELECT person, incident, envelope FROM incident WHERE is_open = 1 OR due IS NOT NULL ORDER BY id":
            "Read when the hub starts; the detector then keeps it in memory.",
        "SELECT id, name, created, copies_seen FROM agent ORDER BY id":
            "The list that a command prints.",
        "SELECT person, name, created FROM person ORDER BY id":
            "The list that a command prints.",
        """
        SELECT account.*, hospital.admitted, hospital.withdrawn FROM account LEFT JOIN hospital ON hospital.account = account.id
        WHERE roles & ? <> 0 AND confirmed IS NOT NULL ORDER BY account.id DESC LIMIT 1000
        """.onOneLine: "The operator's page of hospitals; read by nobody else.",
        """
        SELECT DISTINCT person FROM block WHERE clock IN (SELECT id FROM clock WHERE stream IN
        (SELECT id FROM stream WHERE provenance = ? OR provenance = ?)) AND utc_last >= ? AND utc_first < ?
        """.onOneLine: "Once for each window of statistics about groups that closes.",
        "SELECT sender, sum(samples), max(last) FROM thinned GROUP BY sender":
            "The operator's page; a row for each sender that sent too much.",
    ]

    /// Columns that refer to a row and have no index.
    static let references = [
        "telling.run": "Emptied as fast as people can be told.",
        "enrolment_code_person.person": "No row of a person is ever deleted.",
        "mail.account": "Mails that wait: gone when they were sent.",
        "crew_code.ambulance": "Codes are forgotten after ten minutes.",
    ]
}
