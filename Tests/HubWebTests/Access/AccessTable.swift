/// Who may ask for what: a line for each route of the hub. A route without a line fails the test, which names the line to add.
///
///     METHOD  PATTERN  WHO  OWN  STRANGER  EXTRAS…
///
/// WHO may ask, joined by `+`:
/// - `everybody`, logged in or not
/// - `session`, everybody who is logged in, with any role, in full
/// - a role: `person`, `organisation`, `organiser`, `responder`, `operator`, `caregiver`
/// - `token`, an organisation's program; `agent`, a box; `link`, a spectator who redeemed a live link
///
/// OWN is the answer's status to them: for their own object where the pattern has parameters, and to an empty form or body.
/// STRANGER is what another of the same kind gets for that object. The same, word for word, has to come for an object that there is not.
/// `-` where there is no object, or nobody owns it.
/// EXTRAS: `parameter=object` (an object of AccessObjects.swift, or any word: the value itself), `?=query`, `body=name` (of `Cast.bodies`), and
/// `actor=status` for an exception (`guests` are nobody, token, agent and link). At 127.0.0.1, where the test's hub is, there are no passkeys.
///
/// All others get what follows from the pattern: a page sends who is not logged in to `/log-in` (303), who owes a second factor to
/// `/log-in/second` (303), and the wrong role to 403; under `/api/` and for boxes it is 401, for a live page 403. What the API answers with 405
/// has no line: nobody gets anything else there.
let accessTable = """
    # Open to all. What takes a password, a code or a secret refuses an empty one.
    GET  /healthz                              everybody    200 -
    GET  /readyz                               everybody    200 -
    GET  /.well-known/trackme/ca.pem           everybody    200 -
    GET  /.well-known/trackme/ca-next.pem      everybody    404 -
    GET  /assets/{name}                        everybody    200 -    name=trackme.css
    GET  /vendor/leaflet/**                    everybody    404 -
    GET  /ground/{part}                        everybody    200 -    part=head
    GET  /api/v1/openapi.json                  everybody    200 -
    GET  /help/{topic}                         everybody    200 -    topic=data
    GET  /sw.js                                everybody    200 -
    GET  /sign-up                              everybody    200 -
    GET  /sign-up/{role}                       everybody    200 -    role=person
    GET  /confirm/{link}                       everybody    410 -    link=any
    GET  /log-in                               everybody    200 -
    GET  /forgotten                            everybody    200 -
    GET  /reset/{link}                         everybody    410 -    link=any
    GET  /claim                                everybody    200 -
    GET  /crew                                 everybody    200 - begun=303
    GET  /care/invitation/{link}               everybody    410 -    link=any begun=303
    GET  /hand-over/{link}                     everybody    410 -    link=any
    GET  /api/v1/fhir/metadata                 everybody    200 -
    GET  /l/{secret}                           everybody    410 -    secret=any
    GET  /osmand                               everybody    400 -
    POST /osmand                               everybody    400 -
    POST /owntracks                            everybody    401 -
    POST /samples                              everybody    401 -
    POST /imports                              everybody    401 -
    GET  /imports/{import}                     everybody    401 -    import=any
    POST /sync/v1/enrolment                    everybody    400 -
    POST /oauth2/token                         everybody    400 -
    POST /api/v1/token                         everybody    400 -
    POST /l/{secret}                           everybody    410 -    secret=any
    POST /language                             everybody    303 -
    POST /sign-up/{role}                       everybody    422 -    role=person
    POST /confirm/{link}                       everybody    410 -    link=any
    POST /log-in                               everybody    422 -
    POST /log-in/passkey/options               everybody    422 -
    POST /log-in/passkey                       everybody    422 -
    POST /log-out                              everybody    303 -
    POST /forgotten                            everybody    200 -
    POST /reset/{link}                         everybody    410 -    link=any
    POST /claim                                everybody    422 -
    POST /crew                                 everybody    422 - begun=303
    POST /care/invitation/{link}/sign-up       everybody    410 -    link=any begun=303
    POST /hand-over/{link}                     everybody    410 -    link=any
    GET  /no-letters/{token}                   everybody    410 -    token=any begun=303
    POST /no-letters/{token}                   everybody    410 -    token=any begun=303
    GET  /                                     everybody    303 -    guests=200
    GET  /runs/{code}/events                   everybody    404 -    code=any
    GET  /runs/{code}/course.json              everybody    404 -    code=any
    GET  /runs/{code}/replay.json              everybody    404 -    code=any

    # Everybody's own account. Its pages know one account only, and none of these takes another's name.
    GET  /home                                 session      200 -
    GET  /profile                              session      200 -
    POST /profile                              session      422 -
    GET  /phone                                session      200 -
    POST /phone                                session      422 -
    POST /phone/code                           session      409 -
    GET  /notices                              session      200 -
    GET  /notices/{id}                         session      303 404  id=notice
    POST /notices/seen                         session      303 -
    POST /notices/ways                         session      303 -
    POST /notices/devices                      session      422 -
    POST /notices/devices/{id}/remove          session      303 403  id=browser
    GET  /log-in/second                        session      303 -    begun=200
    POST /log-in/second                        session      422 -    begun=422
    POST /log-in/second/options                session      422 -    begun=422 guests=422
    POST /log-in/second/passkey                session      422 -    begun=422 guests=422
    GET  /security                             session      200 -
    POST /security/sessions/end-others         session      303 -
    POST /security/sessions/{name}/end         session      303 303  name=session
    GET  /security/password                    session      200 -
    POST /security/password                    session      422 -
    GET  /security/prove                       session      200 -
    POST /security/prove                       session      422 -
    POST /security/prove/options               session      422 -    guests=422
    POST /security/prove/passkey               session      422 -    guests=422
    GET  /security/one-time                    session      200 -    begun=200
    POST /security/one-time                    session      422 -    begun=422
    POST /security/one-time/remove             session      404 -    begun=303
    GET  /security/recovery                    session      200 -
    POST /security/recovery                    session      303 -
    GET  /security/passkeys                    session      303 -    begun=303
    POST /security/passkeys/options            session      422 -    begun=422 guests=422
    POST /security/passkeys                    session      422 -    begun=422 guests=422
    POST /security/passkeys/{row}/remove       session      303 404  row=passkey begun=303
    POST /security/passkeys/{row}/name         session      303 303  row=passkey begun=303

    # Runs that go on. The own ones are in RunLiveWebTests.
    GET  /runs/{code}/people/events            organiser    403 -    code=any
    GET  /runs/{code}/mine/events              session      403 -    code=any
    # Runs. Public ones are everybody's; what is an organiser's or a runner's own is nobody else's, and looks as if it were not there.
    GET  /runs                                 everybody    200 -    begun=303
    GET  /runs/{code}                          everybody    200 -    code=publicRun begun=303
    GET  /runs/{code}/calendar.ics             everybody    200 -    code=publicRun begun=303
    GET  /runs/calendar/{token}                everybody    404 -    token=any begun=303
    GET  /runs/invitation/{token}              everybody    410 -    token=any begun=303
    POST /runs/invitation/{token}              session      410 -    token=any
    GET  /runs/friend/{token}                  everybody    410 -    token=any begun=303
    POST /runs/friend/{token}                  session      410 -    token=any
    GET  /runs/mine                            session      200 -
    GET  /runs/friends                         person       200 -
    POST /runs/friends/link                    person       200 -
    POST /runs/friends/{person}/end            person       303 303  person=friend
    POST /runs/feed                            person       200 -
    POST /runs/feed/end                        person       303 -
    GET  /runs/nearby                          person       200 -
    POST /runs/nearby                          person       422 -
    POST /runs/nearby/end                      person       303 -
    GET  /runs/workout                         person       200 -
    POST /runs/workout                         person       303 -
    POST /runs/workout/stop                    person       303 -
    POST /runs/workout/share                   person       303 -
    GET  /runs/workout/events                  person       404 -
    GET  /runs/workout/{id}                    person       200 404  id=myWorkout
    POST /runs/workout/{id}/delete             person       303 404  id=myWorkout
    GET  /runs/workout/friends/{person}        person       404 404  person=friend
    GET  /runs/workout/friends/{person}/events person       404 404  person=friend
    GET  /runs/{code}/enrol                    person       200 -    code=publicRun
    POST /runs/{code}/enrol                    person       303 -    code=publicRun
    GET  /runs/{code}/mine                     person       200 404  code=myRun
    GET  /runs/{code}/check-in                 person       200 404  code=myRun
    POST /runs/{code}/check-in                 person       422 404  code=myRun
    POST /runs/{code}/withdraw                 person       303 -    code=myRun
    GET  /runs/new                             organiser    200 -
    POST /runs/new                             organiser    422 -
    GET  /runs/{code}/edit                     organiser    200 404  code=ownRun
    POST /runs/{code}/edit                     organiser    422 404  code=ownRun
    GET  /runs/{code}/document                 organiser+operator 404 404 code=ownRun
    GET  /runs/{code}/people                   organiser    200 404  code=ownRun
    POST /runs/{code}/people/entry             organiser    422 404  code=ownRun
    POST /runs/{code}/message                  organiser    422 404  code=ownRun
    POST /runs/{code}/invitations              organiser    422 404  code=ownRun
    POST /runs/{code}/invitations/link         organiser    200 404  code=ownRun
    POST /runs/{code}/invitations/{number}/revoke organiser 303 404  code=ownRun number=1
    POST /runs/{code}/state/{act}              organiser    409 404  code=ownRun act=publish

    # People and their data.
    GET  /followers                            person       200 -
    POST /followers/{id}/{answer}              person       303 403  id=asked answer=accept
    POST /followers/policy                     person       303 -
    POST /followers/unblock                    person       303 -
    GET  /followers/policy                     person       200 -
    GET  /followers/grant                      person       200 -
    POST /followers/grant                      person       422 -
    POST /followers/offers/{id}/withdraw       person       303 403  id=offer
    GET  /followers/{id}/ledger                person       200 200  id=running
    GET  /ledger                               person       200 -
    GET  /health                               person       200 -
    GET  /workouts                             person       200 -
    GET  /workouts/trends                      person       200 -
    GET  /workouts/{workout}                   person       200 404  workout=myRecord
    POST /workouts/{workout}                   person       303 404  workout=myRecord
    GET  /workouts/{workout}/file              person       404 404  workout=myRecord ?=format=gpx
    POST /workouts/{workout}/delete            person       303 404  workout=myRecord
    GET  /data                                 person       200 -
    GET  /data/entry                           person       200 -    ?=kind=weight
    POST /data/entry                           person       422 -    ?=kind=weight
    GET  /data/ecg                             person       200 -
    POST /data/ecg                             person       422 -
    GET  /data/ecg/{strip}                     person       200 404  strip=strip
    GET  /data/ecg/{strip}/file                person       200 404  strip=strip ?=format=csv
    POST /data/ecg/{strip}/delete              person       303 404  strip=strip
    GET  /data/import                          person       200 -
    POST /data/import                          person       400 -
    GET  /data/import/{import}                 person       404 -    import=any
    POST /data/import/{import}/cancel          person       404 -    import=any
    POST /data/import/{import}/undo            person       404 -    import=any
    GET  /data/export                          person       200 -    ?=format=json&days=1
    GET  /data/export/{job}                    person       404 -    job=any
    GET  /data/export/{job}/file               person       404 -    job=any
    POST /data/delete                          person       422 -
    POST /data/account                         person       422 -
    GET  /boxes                                person       200 -
    POST /boxes/code                           person       200 -
    POST /boxes/{id}/revoke                    person       303 403  id=box
    POST /boxes/devices                        person       400 -
    POST /boxes/devices/{id}/revoke            person       303 403  id=device
    GET  /services                             person       200 -
    GET  /services/{id}                        person       200 -    id=service
    POST /services/{id}/add                    person       303 -    id=builtIn
    POST /services/{id}/remove                 person       303 -    id=service

    # Whoever is let read by somebody: but for those who run the hub or help, unless they are somebody beside that.
    GET  /following                            person+organisation+organiser+caregiver 200 -
    POST /following/offers/{id}/{answer}       person+organisation+organiser+caregiver 303 409 id=offered answer=take
    GET  /following/{id}                       person+organisation+organiser+caregiver 200 403 id=followed
    GET  /following/{id}/ecg                   person+organisation+organiser+caregiver 200 403 id=followed
    GET  /following/{id}/ecg/{strip}           person+organisation+organiser+caregiver 403 403 id=followed strip=any
    POST /following/{id}/end                   person+organisation+organiser+caregiver 303 403 id=followed
    GET  /following/{id}/live                  person+organisation+organiser+caregiver 200 403 id=followed
    GET  /following/{id}/live/recent           person+organisation+organiser+caregiver 200 403 id=followed guests=403
    GET  /following/{id}/live/live             person+organisation+organiser+caregiver 200 403 id=followed guests=403

    # Relatives, with any role: what they may, each person says, and a child's parent for the child.
    GET  /care                                 session      200 -
    GET  /care/open                            person+organiser+caregiver 200 -
    POST /care/open                            person+organiser+caregiver 422 -
    GET  /care/paper                           session      200 -
    POST /care/paper                           session      403 -
    GET  /care/invite                          person       200 -
    POST /care/invite                          person       422 -
    POST /care/invitations/{hash}/withdraw     person       403 -    hash=any
    GET  /care/ask                             session      200 -
    POST /care/ask                             session      422 -
    POST /care/invitation/{link}               session      410 -    link=any
    GET  /care/person/{id}                     session      200 403  id=cared
    POST /care/person/{id}/box                 session      200 403  id=cared
    POST /care/person/{id}/end                 session      303 403  id=cared
    GET  /care/person/{id}/ledger              session      200 403  id=ward
    GET  /care/person/{id}/health              session      200 403  id=ward
    GET  /care/person/{id}/workouts            session      200 403  id=ward
    GET  /care/person/{id}/workouts/trends     session      200 403  id=ward
    GET  /care/person/{id}/workouts/{workout}  session      404 403  id=ward workout=any
    POST /care/person/{id}/workouts/{workout}  session      404 403  id=ward workout=any
    GET  /care/person/{id}/workouts/{workout}/file session  404 403  id=ward workout=any ?=format=gpx
    POST /care/person/{id}/workouts/{workout}/delete session 404 403 id=ward workout=any
    GET  /care/person/{id}/data                session      200 403  id=ward
    GET  /care/person/{id}/data/entry          session      200 403  id=ward ?=kind=weight
    POST /care/person/{id}/data/entry          session      422 403  id=ward ?=kind=weight
    GET  /care/person/{id}/ecg                 session      200 403  id=ward
    GET  /care/person/{id}/ecg/{strip}         session      403 403  id=ward strip=any
    GET  /care/person/{id}/data/ecg            session      200 403  id=ward
    POST /care/person/{id}/data/ecg            session      422 403  id=ward
    GET  /care/person/{id}/data/ecg/{strip}    session      404 403  id=ward strip=any
    GET  /care/person/{id}/data/ecg/{strip}/file session    404 403  id=ward strip=any
    POST /care/person/{id}/data/ecg/{strip}/delete session  404 403  id=ward strip=any
    GET  /care/person/{id}/data/import         session      200 403  id=ward
    POST /care/person/{id}/data/import         session      400 403  id=ward
    GET  /care/person/{id}/data/import/{import} session     404 403  id=ward import=any
    POST /care/person/{id}/data/import/{import}/cancel session 404 403 id=ward import=any
    POST /care/person/{id}/data/import/{import}/undo session 404 403 id=ward import=any
    GET  /care/person/{id}/data/export         session      200 403  id=ward ?=format=json&days=1
    GET  /care/person/{id}/data/export/{job}   session      404 403  id=ward job=any
    GET  /care/person/{id}/data/export/{job}/file session   404 403  id=ward job=any
    POST /care/person/{id}/data/delete         session      422 403  id=ward
    POST /care/person/{id}/data/account        session      422 403  id=ward
    POST /care/person/{id}/answer/{consent}/{answer} session 303 403 id=ward consent=wards answer=accept

    GET  /care/person/{id}/protection          session      200 403  id=cared
    GET  /care/person/{id}/protection/events   session      200 403  id=cared
    POST /care/person/{id}/protection/limits   session      303 403  id=cared
    POST /care/person/{id}/protection/plan     session      400 403  id=cared
    POST /care/person/{id}/protection/inactivity session    303 403  id=cared
    POST /care/person/{id}/protection/contacts session      409 403  id=cared
    POST /care/person/{id}/protection/ask      session      303 403  id=cared caregiver=409
    POST /care/person/{id}/protection/prepared/{answer} session 303 403 id=cared answer=no
    GET  /care/person/{id}/protection/home     session      200 403  id=cared
    POST /care/person/{id}/protection/home     session      409 403  id=cared
    POST /care/person/{id}/protection/home/remove session   303 403  id=cared
    POST /care/person/{id}/protection/settings session      303 403  id=cared
    POST /care/person/{id}/protection/tested   session      303 403  id=cared
    POST /care/person/{id}/protection/{act}    session      303 403  id=cared act=seen

    # AutomatedSOS: the person's own page, and that of a contact behind the link in a message.
    GET  /protection                           person       200 -
    GET  /protection/events                    person       200 -
    POST /protection/on                        person       409 -
    POST /protection/off                       person       303 -
    POST /protection/limits                    person       303 -
    POST /protection/strict/{consent}          person       404 404  consent=running
    POST /protection/contacts                  person       409 -
    POST /protection/contacts/{index}/remove   person       303 -    index=0
    POST /protection/contacts/{index}/up       person       303 -    index=0
    POST /protection/caregivers/{account}/up   person       404 -    account=any
    POST /protection/prepared/{answer}         person       303 -    answer=no
    POST /protection/settings                  person       303 -
    POST /protection/place                     person       400 -
    GET  /protection/home                      person       200 -
    POST /protection/home                      person       409 -
    POST /protection/home/remove               person       303 -
    POST /protection/plan                      person       400 -
    POST /protection/press/{button}            person       303 -    button=ok
    POST /protection/drill                     person       303 -
    POST /protection/reminders                 person       400 -
    POST /protection/inactivity                person       303 -
    POST /protection/rhythm                    person       400 -
    GET  /emergencies                          session      200 -
    GET  /sos/{link}                           everybody    410 -    link=any
    GET  /sos/{link}/events                    everybody    410 -    link=any
    POST /sos/{link}/{act}                     everybody    410 -    link=any act=seen
    GET  /places                               person+responder 200 - ?=lat=45.6&lon=9.7

    # Runs as spectators see them, without an account; results as each runner allows; files for the organiser.
    GET  /runs/{code}/live                     everybody    404 - code=any begun=303
    GET  /runs/{code}/results                  everybody    404 - code=any begun=303
    GET  /runs/{code}/results/{bib}            everybody    404 - code=any bib=1 begun=303
    GET  /runs/{code}/results.csv              everybody    404 - code=any begun=303
    GET  /runs/{code}/results.xml              everybody    404 - code=any begun=303
    GET  /runs/{code}/start.csv                organiser    404 - code=any
    GET  /runs/{code}/start.xml                organiser    404 - code=any
    GET  /runs/{code}/tracks.gpx               organiser    404 - code=any

    # Who asks for data, and who looks at it before.
    GET  /requests                             organisation 200 -
    POST /requests                             organisation 422 -
    POST /requests/{id}/end                    organisation 303 403  id=asked
    GET  /requests/{id}/download               organisation 200 403  id=running ?=format=csv
    POST /requests/{id}/mail                   organisation 200 403  id=running
    GET  /requests/{id}/mailed/{token}         organisation 200 410  id=running token=mailed
    GET  /organisation/people                  organisation 200 -
    GET  /organisation/people/{consent}        organisation 200 403  consent=running
    GET  /organisation/people/{consent}/ecg    organisation 200 403  consent=running
    GET  /organisation/people/{consent}/ecg/{strip} organisation 403 403 consent=running strip=any
    POST /organisation/people/{consent}/strict organisation 403 403  consent=running
    GET  /organisation/people/{consent}/recent organisation 200 403  consent=running guests=403
    GET  /organisation/people/{consent}/live   organisation 200 403  consent=running guests=403
    GET  /organisation/keys                    organisation 200 -
    GET  /organisation/keys/new                organisation 200 -
    GET  /organisation/keys/help               organisation 200 -
    POST /organisation/keys                    organisation 422 -
    POST /organisation/keys/{key}/revoke       organisation 303 403  key=key
    GET  /organisation/webhooks                organisation 200 -
    GET  /organisation/webhooks/new            organisation 200 -
    POST /organisation/webhooks                organisation 422 -
    GET  /organisation/webhooks/{id}           organisation 200 403  id=webhook
    POST /organisation/webhooks/{id}/retry     organisation 303 403  id=webhook
    POST /organisation/webhooks/{id}/remove    organisation 303 403  id=webhook
    GET  /publish                              organisation 200 -
    GET  /publish/new                          organisation 200 -
    POST /publish/new                          organisation 422 -
    GET  /publish/{id}                         organisation 200 403  id=service
    POST /publish/{id}                         organisation 422 403  id=service
    POST /publish/{id}/withdraw                organisation 303 403  id=service
    GET  /operator/requests                    operator     200 -
    POST /operator/requests/{id}/{decision}    operator     303 -    id=waiting decision=approve
    GET  /operator/services                    operator     200 -
    POST /operator/services/{id}/{decision}    operator     303 -    id=unchecked decision=approve body=version

    # Hospitals, their ambulances and crews.
    GET  /operator/ways                        operator     200 -
    POST /operator/ways/test                   operator     303 -
    GET  /operator/maintenance                 operator     200 -
    POST /operator/maintenance                 operator     422 -
    POST /operator/maintenance/{id}/cancel     operator     403 -    id=1
    GET  /operator/hospitals                   operator     200 -
    POST /operator/hospitals/{id}/{decision}   operator     303 -    id=hospital decision=admit
    GET  /hospital                             organisation 200 -
    POST /hospital/ambulances                  organisation 422 -
    POST /hospital/ambulances/{id}/{act}       organisation 200 403  id=ambulance act=code
    POST /hospital/crews/{id}/remove           organisation 303 403  id=crew
    GET  /duty                                 responder    200 -
    POST /duty/on                              responder    303 -
    POST /duty/off                             responder    303 -
    POST /duty/place                           responder    400 -    guests=403
    POST /duty/tracker                         responder    200 -
    GET  /duty/alarms                          responder    200 -
    GET  /duty/alarms/events                   responder    200 -
    POST /duty/alarms/{id}/{act}               responder    404 -    id=any act=accept

    # Programs of organisations.
    GET    /api/v1/webhooks                      token      200 -
    POST   /api/v1/webhooks                      token      400 -
    GET    /api/v1/webhooks/{id}                 token      200 404  id=webhook
    DELETE /api/v1/webhooks/{id}                 token      204 404  id=webhook
    GET    /api/v1/webhooks/{id}/dead-deliveries token      200 404  id=webhook
    GET    /api/v1/consents                      token      200 -
    POST   /api/v1/consents                      token      400 -
    DELETE /api/v1/consents/{id}                 token      204 404  id=running
    GET    /api/v1/consents/{id}/samples         token      200 404  id=running
    GET    /api/v1/consents/{id}/ecg           token        200 404  id=running
    GET    /api/v1/consents/{id}/ecg/{strip}   token        404 404  id=running strip=any
    GET    /api/v1/consents/{id}/stream          token      200 404  id=running
    POST   /api/v1/consents/{id}/results         token      201 404  id=added body=result
    GET    /api/v1/services                      token      200 -
    # With the secret of a detector, which no session is.
    POST   /api/v1/flags                         token      403 -
    POST   /api/v1/services                      token      201 -    body=service
    PUT    /api/v1/services/{id}                 token      200 404  id=service body=service
    DELETE /api/v1/services/{id}                 token      204 404  id=service
    GET    /api/v1/fhir/Observation              token      400 -
    GET    /api/v1/fhir/Observation/$events      token      400 -
    GET    /api/v1/fhir/Observation/{id}         token      200 404  id=observation
    GET    /api/v1/fhir/Patient/{id}             token      200 404  id=patient
    GET    /api/v1/fhir/Consent                  token      200 -
    GET    /api/v1/fhir/Consent/{id}             token      200 404  id=running

    # Boxes, and spectators of one person: by a link, as that person, or as one who looks after them.
    POST /sync/v1/segments                     agent        200 -
    POST /sync/v1/check-ins                    agent        400 -
    POST /sos-rooms/answer                     everybody    401 -
    POST /sync/v1/sos                          agent        400 -
    GET  /sync/v1/sos/settings                 agent        200 -
    GET  /people/{id}                          link+session 200 403  id=watched
    GET  /people/{id}/recent                   link+session 200 403  id=watched
    GET  /people/{id}/live                     link+session 200 403  id=watched
    """
