/// The rest of ``accessTable``: what concerns others' data, runs, organisations, programs and boxes.
let accessTableOfOthers = """
    # Whoever is let read by somebody: but for those who run the hub or help, unless they are somebody beside that.
    GET  /people                               person+organiser+caregiver 200 -
    GET  /following                            person+organisation+organiser+caregiver 200 -
    POST /following/offers/{id}/{answer}       person+organisation+organiser+caregiver 303 409 id=offered answer=take
    GET  /following/{id}                       person+organisation+organiser+caregiver 200 403 id=followed
    GET  /following/{id}/tracks                person+organisation+organiser+caregiver 403 403 id=followed
    GET  /following/{id}/ecg                   person+organisation+organiser+caregiver 200 403 id=followed
    GET  /following/{id}/ecg/{strip}           person+organisation+organiser+caregiver 403 403 id=followed strip=any
    POST /following/{id}/end                   person+organisation+organiser+caregiver 303 403 id=followed
    GET  /following/{id}/live                  person+organisation+organiser+caregiver 200 403 id=followed
    GET  /following/{id}/live/recent           person+organisation+organiser+caregiver 200 403 id=followed guests=403
    GET  /following/{id}/live/live             person+organisation+organiser+caregiver 200 403 id=followed guests=403
    GET  /following/{id}/health                person+organisation+organiser+caregiver 200 403 id=followed
    GET  /following/{id}/health/download       person+organisation+organiser+caregiver 200 403 id=followed ?=format=csv

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
    POST /care/person/{id}/groups              session      303 403  id=ward
    GET  /care/person/{id}/groups              session      200 403  id=ward
    POST /care/person/{id}/end                 session      303 403  id=cared
    GET  /care/person/{id}/ledger              session      200 403  id=ward
    GET  /care/person/{id}/health              session      200 403  id=cared
    GET  /care/person/{id}/health/download     session      200 403  id=cared ?=format=csv
    GET  /care/person/{id}/tracks              session      403 403  id=cared
    GET  /care/person/{id}/workouts            session      200 403  id=ward
    GET  /care/person/{id}/workouts/trends     session      200 403  id=ward
    GET  /care/person/{id}/workouts/map        session      200 403  id=ward
    GET  /care/person/{id}/workouts/compare    session      404 403  id=ward
    GET  /care/person/{id}/workouts/{workout}  session      404 403  id=ward workout=any
    POST /care/person/{id}/workouts/{workout}  session      404 403  id=ward workout=any
    GET  /care/person/{id}/workouts/{workout}/file session  404 403  id=ward workout=any ?=format=gpx
    POST /care/person/{id}/workouts/{workout}/delete session 404 403 id=ward workout=any
    GET  /care/person/{id}/parent              session      200 403  id=ward
    POST /care/person/{id}/parent              session      422 403  id=ward
    GET  /care/person/{id}/parent/leave        session      200 403  id=ward
    POST /care/person/{id}/parent/leave        session      409 403  id=ward
    GET  /care/person/{id}/data                session      200 403  id=ward
    GET  /care/person/{id}/data/entry          session      200 403  id=ward ?=kind=weight
    POST /care/person/{id}/data/entry          session      422 403  id=ward ?=kind=weight
    GET  /care/person/{id}/data/entry/typed    session      200 403  id=ward
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
    POST /protection/values                    person       400 -
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
    # By now all of the cast look after somebody, and may organise.
    GET  /runs/{code}/start.csv                person+organisation+organiser+caregiver 404 - code=any responder=404 operator=404 member=404
    GET  /runs/{code}/start.xml                person+organisation+organiser+caregiver 404 - code=any responder=404 operator=404 member=404
    GET  /runs/{code}/tracks.gpx               person+organisation+organiser+caregiver 404 - code=any responder=404 operator=404 member=404

    # Who asks for data, and who looks at it before.
    GET  /groups                               organisation 200 -
    GET  /groups/ask                           organisation 200 -
    POST /groups/ask                           organisation 422 -
    POST /groups                               organisation 422 -
    GET  /groups/{id}                          organisation 200 403  id=group
    GET  /groups/{id}/download                 organisation 200 403  id=group ?=format=csv
    POST /groups/{id}/mail                     organisation 200 403  id=group
    GET  /groups/{id}/mailed/{token}           organisation 410 410  id=group token=any
    POST /groups/{id}/end                      organisation 303 403  id=group
    GET  /requests                             organisation 200 -
    POST /requests                             organisation 422 -
    POST /requests/{id}/end                    organisation 303 403  id=asked
    GET  /requests/{id}/download               organisation 200 403  id=running ?=format=csv
    POST /requests/{id}/mail                   organisation 200 403  id=running
    POST /requests/{id}/deleted                organisation 403 403  id=running
    GET  /requests/{id}/mailed/{token}         organisation 200 410  id=running token=mailed
    GET  /organisation/people                  organisation 200 -
    GET  /organisation/people/{consent}        organisation 200 403  consent=running
    GET  /organisation/people/{consent}/health organisation 200 403  consent=running
    GET  /organisation/people/{consent}/health/download organisation 200 403 consent=running ?=format=csv
    GET  /organisation/people/{consent}/tracks organisation 200 403  consent=running
    GET  /organisation/people/{consent}/ecg    organisation 200 403  consent=running
    GET  /organisation/people/{consent}/ecg/{strip} organisation 403 403 consent=running strip=any
    POST /organisation/people/{consent}/strict organisation 403 403  consent=running
    GET  /organisation/people/{consent}/recent organisation 200 403  consent=running guests=403
    GET  /organisation/people/{consent}/live   organisation 200 403  consent=running guests=403
    GET  /organisation/users                   organisation 200 -
    POST /organisation/users                   organisation 422 -
    POST /organisation/users/{id}/rights       organisation 403 -    id=any
    POST /organisation/users/{id}/remove       organisation 403 -    id=any
    POST /organisation/users/invitations/{id}/withdraw organisation 403 - id=any
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
    GET  /payments                             session      200 -
    POST /payments/buy                         session      422 -
    GET  /payments/{id}                        session      404 404  id=any
    POST /payments/{id}/look                   session      404 404  id=any
    POST /payments/webhook                     everybody    404 -
    GET  /publish                              organisation 200 -
    GET  /publish/new                          organisation 200 -
    POST /publish/new                          organisation 422 -
    GET  /publish/{id}                         organisation 200 403  id=service
    POST /publish/{id}                         organisation 422 403  id=service
    POST /publish/{id}/withdraw                organisation 303 403  id=service
    GET  /operator/groups                      operator     200 -
    POST /operator/groups/{id}/{decision}      operator     303 -    id=group decision=approve
    GET  /operator/requests                    operator     200 -
    POST /operator/requests/{id}/{decision}    operator     303 -    id=waiting decision=approve
    GET  /operator/services                    operator     200 -
    POST /operator/services/{id}/{decision}    operator     303 -    id=unchecked decision=approve body=version

    # Hospitals, their ambulances and crews.
    GET  /operator/ways                        operator     200 -
    POST /operator/ways/test                   operator     303 -
    GET  /operator/addresses                   operator     200 -
    POST /operator/addresses                   operator     422 -
    POST /operator/addresses/{id}/stop         operator     404 -    id=hospital
    GET  /operator/support                     operator     200 -
    POST /operator/support/{id}/answer         operator     422 -    id=1
    POST /operator/support/{id}/drop           operator     404 -    id=1
    GET  /operator/maintenance                 operator     200 -
    POST /operator/maintenance                 operator     422 -
    POST /operator/maintenance/{id}/cancel     operator     403 -    id=1
    GET  /operator/organisations               operator     200 -
    POST /operator/organisations/{id}/{act}    operator     303 -    id=hospital act=restore
    GET  /operator                             operator     200 -
    GET  /operator/events                      operator     200 -
    GET  /operator/alarms                      operator     200 -
    GET  /operator/alarms/events               operator     200 -
    GET  /operator/alarms/{id}                 operator     404 -    id=any
    POST /operator/alarms/{id}/open            operator     404 -    id=any
    GET  /operator/people                      operator     200 -
    GET  /operator/people/{id}                 operator     200 -    id=hospital
    POST /operator/people/{id}/{act}           operator     422 -    id=hospital act=unlock
    GET  /operator/boxes                       operator     200 -
    GET  /operator/messages                    operator     200 -
    POST /operator/messages/{id}/{act}         operator     404 -    id=1 act=send
    GET  /operator/state                       operator     200 -
    GET  /operator/audit                       operator     200 -
    GET  /operator/runs                        operator     200 -
    POST /operator/runs/{id}/{decision}        operator     404 -    id=any decision=accept
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
    # By the person in a browser, or with the secret of a phone.
    POST   /api/v1/entries person 400 - organisation=403 organiser=403 responder=403 operator=403 caregiver=403 member=403 token=403
    DELETE /api/v1/entries/{id} person 404 - id=any organisation=403 organiser=403 responder=403 operator=403 caregiver=403 member=403 token=403
    POST   /api/v1/services                      token      201 -    body=service
    PUT    /api/v1/services/{id}                 token      200 404  id=service body=service
    DELETE /api/v1/services/{id}                 token      204 404  id=service
    GET    /api/v1/groups/offer                  token      200 -
    POST   /api/v1/groups/questions              token      400 -
    GET    /api/v1/groups/requests               token      200 -
    POST   /api/v1/groups/requests               token      400 -
    GET    /api/v1/groups/requests/{id}          token      200 404  id=group
    DELETE /api/v1/groups/requests/{id}          token      204 404  id=group
    GET    /api/v1/fhir/MeasureReport            token      400 -
    GET    /api/v1/fhir/MeasureReport/{id}       token      404 404  id=any
    GET    /api/v1/fhir/Observation              token      400 -
    GET    /api/v1/fhir/Observation/$events      token      400 -
    GET    /api/v1/fhir/Observation/{id}         token      200 404  id=observation
    GET    /api/v1/fhir/Patient/{id}             token      200 404  id=patient
    GET    /api/v1/fhir/Consent                  token      200 -
    GET    /api/v1/fhir/Consent/{id}             token      200 404  id=running

    # Boxes, and spectators of one person: by a link, as that person, or as one who looks after them.
    POST /sync/v1/segments                     agent        200 -
    POST /sync/v1/check-ins                    agent        400 -
    POST /sync/v1/box                          agent        400 -
    POST /sos-rooms/answer                     everybody    401 -
    POST /sync/v1/sos                          agent        400 -
    GET  /sync/v1/sos/settings                 agent        200 -
    GET  /people/{id}                          link+session 200 403  id=watched
    GET  /people/{id}/recent                   link+session 200 403  id=watched
    GET  /people/{id}/live                     link+session 200 403  id=watched
    """
