/// Who may ask for what: a line for each route of the hub. A route without a line fails the test, which names the line to add.
///
///     METHOD  PATTERN  WHO  OWN  STRANGER  EXTRAS…
///
/// WHO may ask, joined by `+`:
/// - `everybody`, logged in or not
/// - `session`, everybody who is logged in, with any role, in full
/// - a role: `person`, `organisation`, `organiser`, `responder`, `operator`, `caregiver`, `member` (of no organisation: `UsersTests` has the others)
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
    GET  /livez                                everybody    200 -
    GET  /readyz                               everybody    200 -
    GET  /metrics                              everybody    401 -
    GET  /.well-known/trackme/ca.pem           everybody    200 -
    GET  /.well-known/trackme/ca-next.pem      everybody    404 -
    GET  /assets/{name}                        everybody    200 -    name=trackme.css
    GET  /vendor/leaflet/**                    everybody    404 -
    GET  /ground/{part}                        everybody    200 -    part=index
    GET  /map/places                           everybody    200 -
    GET  /tiles                                everybody    200 -
    GET  /tiles/{z}/{x}/{y}                    everybody    404 -    z=0 x=0 y=0.pbf
    GET  /api/v1/openapi.json                  everybody    200 -
    GET  /status                               everybody    200 -
    GET  /help/{topic}                         everybody    200 -    topic=data
    GET  /support                              everybody    200 -    begun=303
    POST /support                              everybody    422 -    begun=303
    GET  /tour                                 everybody    200 -
    GET  /tour/{reader}                        everybody    200 -    reader=person
    GET  /sw.js                                everybody    200 -
    GET  /sign-up                              everybody    200 -
    GET  /sign-up/{role}                       everybody    200 -    role=person
    GET  /confirm/{link}                       everybody    410 -    link=any
    GET  /join/{link}                          everybody    410 -    link=any begun=303
    GET  /address/confirm/{link}               everybody    410 -    link=any begun=303
    GET  /address/stop/{link}                  everybody    410 -    link=any begun=303
    GET  /log-in                               everybody    200 -
    GET  /forgotten                            everybody    200 -
    GET  /reset/{link}                         everybody    410 -    link=any
    GET  /claim                                everybody    200 -
    GET  /crew                                 everybody    200 - begun=303
    GET  /care/invitation/{link}               everybody    410 -    link=any begun=303
    GET  /hand-over/{link}                     everybody    410 -    link=any
    GET  /log-in/demo/{link}                   everybody    410 -    link=any
    GET  /api/v1/fhir/metadata                 everybody    200 -
    GET  /l/{secret}                           everybody    410 -    secret=any
    GET  /osmand                               everybody    400 -
    POST /osmand                               everybody    400 -
    POST /owntracks                            everybody    401 -
    POST /samples                              everybody    401 -
    POST /imports                              everybody    401 -
    GET  /imports/{import}                     everybody    401 -    import=any
    POST /sync/v1/enrolment                    everybody    400 -
    POST /sync/v1/pairing                      everybody    400 -
    POST /sync/v1/pairing/opening              everybody    400 -
    POST /sync/v1/pairing/claim                everybody    400 -
    POST /oauth2/token                         everybody    400 -
    POST /api/v1/token                         everybody    400 -
    POST /l/{secret}                           everybody    410 -    secret=any
    POST /language                             everybody    303 -
    POST /sign-up/{role}                       everybody    422 -    role=person
    POST /confirm/{link}                       everybody    410 -    link=any
    POST /join/{link}                          everybody    410 -    link=any begun=303
    POST /address/confirm/{link}               everybody    410 -    link=any begun=303
    POST /address/stop/{link}                  everybody    410 -    link=any begun=303
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
    POST /log-in/demo/{link}                   everybody    410 -    link=any
    GET  /no-letters/{token}                   everybody    410 -    token=any begun=303
    POST /no-letters/{token}                   everybody    410 -    token=any begun=303
    GET  /                                     everybody    303 -    guests=200
    GET  /runs/{code}/events                   everybody    404 -    code=any
    GET  /runs/{code}/course.json              everybody    404 -    code=any
    GET  /runs/{code}/replay.json              everybody    404 -    code=any

    # Everybody's own account. Its pages know one account only, and none of these takes another's name.
    GET  /home                                 session      200 -
    POST /home/steps                           session      303 -
    GET  /more                                 session      200 -
    GET  /profile                              session      200 -
    POST /profile                              session      422 -
    GET  /account                              session      200 -    person=303
    GET  /account/export                       session      200 -
    POST /account                              session      422 -    person=303
    GET  /profile/region                       person       200 -
    POST /profile/region                       person       303 -
    GET  /address                              session      200 -
    GET  /accept                               session      303 -
    POST /accept                               session      303 -
    POST /address/stop                         session      303 -
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
    POST /runs/workout/lap                     person       303 -
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
    GET  /runs/new                             person+organisation+organiser+caregiver 200 -
    POST /runs/new                             person+organisation+organiser+caregiver 422 -
    GET  /runs/{code}/edit                     organiser    200 404  code=ownRun person=404 organisation=404 caregiver=404
    POST /runs/{code}/edit                     organiser    422 404  code=ownRun person=404 organisation=404 caregiver=404
    GET  /runs/{code}/document                 organiser+operator 404 404 code=ownRun person=404 organisation=404 caregiver=404
    GET  /runs/{code}/people                   organiser    200 404  code=ownRun person=404 organisation=404 caregiver=404
    POST /runs/{code}/people/entry             organiser    422 404  code=ownRun person=404 organisation=404 caregiver=404
    POST /runs/{code}/message                  organiser    422 404  code=ownRun person=404 organisation=404 caregiver=404
    POST /runs/{code}/invitations              organiser    422 404  code=ownRun person=404 organisation=404 caregiver=404
    POST /runs/{code}/invitations/link         organiser    200 404  code=ownRun person=404 organisation=404 caregiver=404
    POST /runs/{code}/invitations/{number}/revoke organiser 303 404  code=ownRun number=1 person=404 organisation=404 caregiver=404
    POST /runs/{code}/state/{act}              organiser    409 404  code=ownRun act=publish person=404 organisation=404 caregiver=404

    # People and their data.
    GET  /followers                            person       200 -
    POST /followers/{id}/{answer}              person       303 403  id=asked answer=accept
    POST /followers/policy                     person       303 -
    POST /followers/unblock                    person       303 -
    POST /followers/groups                     person       303 -
    GET  /followers/groups                     person       200 -
    GET  /followers/policy                     person       200 -
    GET  /followers/grant                      person       200 -
    POST /followers/grant                      person       422 -
    POST /followers/links/{link}/{answer}      person       404 -    link=any answer=end
    POST /followers/offers/{id}/withdraw       person       303 403  id=offer
    GET  /followers/{id}/ledger                person       200 200  id=running
    GET  /followers/{id}/receipt               person       200 404  id=running
    GET  /ledger                               person       200 -
    GET  /health                               person       200 -
    GET  /workouts                             person       200 -
    GET  /workouts/trends                      person       200 -
    GET  /workouts/map                         person       200 -
    GET  /workouts/compare                     person       404 -
    GET  /workouts/{workout}                   person       200 404  workout=myRecord
    POST /workouts/{workout}                   person       303 404  workout=myRecord
    GET  /workouts/{workout}/file              person       404 404  workout=myRecord ?=format=gpx
    POST /workouts/{workout}/delete            person       303 404  workout=myRecord
    GET  /data                                 person       200 -
    GET  /data/entry                           person       200 -    ?=kind=weight
    POST /data/entry                           person       422 -    ?=kind=weight
    GET  /data/entry/typed                     person       200 -
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
    GET  /boxes/setup                          person       303 -
    POST /boxes/setup                          person       303 -
    GET  /boxes/setup/state                    person       200 -
    POST /boxes/setup/confirm                  person       303 -
    POST /boxes/setup/refuse                   person       303 -
    POST /boxes/{id}/revoke                    person       303 403  id=box
    POST /boxes/{id}/settings/forget           person       303 403  id=box
    POST /boxes/{id}/settings/keep             person       303 403  id=box
    POST /boxes/devices                        person       400 -
    POST /boxes/devices/{id}/revoke            person       303 403  id=device
    GET  /services                             person       200 -
    GET  /services/{id}                        person       200 -    id=service
    POST /services/{id}/add                    person       303 -    id=builtIn
    POST /services/{id}/remove                 person       303 -    id=service
    """
