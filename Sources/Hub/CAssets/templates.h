// Made by packaging/assets, from the names in Sources/Hub/HubWeb/Assets.
static const uint8_t t0[] = {
#embed "../HubWeb/Assets/Documents/accept.mustache"
}, t1[] = {
#embed "../HubWeb/Assets/Accounts/address.mustache"
}, t2[] = {
#embed "../HubWeb/Assets/Accounts/addresses.mustache"
}, t3[] = {
#embed "../HubWeb/Assets/SOS/alarms.mustache"
}, t4[] = {
#embed "../HubWeb/Assets/Pages/article.mustache"
}, t5[] = {
#embed "../HubWeb/Assets/OwnData/boxSetUp.mustache"
}, t6[] = {
#embed "../HubWeb/Assets/OwnData/boxes.mustache"
}, t7[] = {
#embed "../HubWeb/Assets/Pages/button.mustache"
}, t8[] = {
#embed "../HubWeb/Assets/Care/care.mustache"
}, t9[] = {
#embed "../HubWeb/Assets/Care/carePerson.mustache"
}, t10[] = {
#embed "../HubWeb/Assets/Accounts/codes.mustache"
}, t11[] = {
#embed "../HubWeb/Assets/Consent/consentPart.mustache"
}, t12[] = {
#embed "../HubWeb/Assets/Console/console.mustache"
}, t13[] = {
#embed "../HubWeb/Assets/Console/consoleAlarm.mustache"
}, t14[] = {
#embed "../HubWeb/Assets/Console/consoleAlarms.mustache"
}, t15[] = {
#embed "../HubWeb/Assets/Console/consoleAudit.mustache"
}, t16[] = {
#embed "../HubWeb/Assets/Console/consoleBox.mustache"
}, t17[] = {
#embed "../HubWeb/Assets/Console/consoleBoxes.mustache"
}, t18[] = {
#embed "../HubWeb/Assets/Console/consoleMessages.mustache"
}, t19[] = {
#embed "../HubWeb/Assets/Console/consolePeople.mustache"
}, t20[] = {
#embed "../HubWeb/Assets/Console/consolePerson.mustache"
}, t21[] = {
#embed "../HubWeb/Assets/Console/consoleRuns.mustache"
}, t22[] = {
#embed "../HubWeb/Assets/Console/consoleState.mustache"
}, t23[] = {
#embed "../HubWeb/Assets/Organisations/download.mustache"
}, t24[] = {
#embed "../HubWeb/Assets/Organisations/downloads.mustache"
}, t25[] = {
#embed "../HubWeb/Assets/Care/duty.mustache"
}, t26[] = {
#embed "../HubWeb/Assets/Care/dutyTexts.mustache"
}, t27[] = {
#embed "../HubWeb/Assets/ECG/ecg.mustache"
}, t28[] = {
#embed "../HubWeb/Assets/ECG/ecgStrip.mustache"
}, t29[] = {
#embed "../HubWeb/Assets/SOS/emergencies.mustache"
}, t30[] = {
#embed "../HubWeb/Assets/OwnData/export.mustache"
}, t31[] = {
#embed "../HubWeb/Assets/Pages/field.mustache"
}, t32[] = {
#embed "../HubWeb/Assets/Consent/followed.mustache"
}, t33[] = {
#embed "../HubWeb/Assets/Consent/followers.mustache"
}, t34[] = {
#embed "../HubWeb/Assets/Consent/following.mustache"
}, t35[] = {
#embed "../HubWeb/Assets/Pages/form.mustache"
}, t36[] = {
#embed "../HubWeb/Assets/Groups/groupAsk.mustache"
}, t37[] = {
#embed "../HubWeb/Assets/Groups/groupCheck.mustache"
}, t38[] = {
#embed "../HubWeb/Assets/Groups/groupChoice.mustache"
}, t39[] = {
#embed "../HubWeb/Assets/Groups/groupDownloads.mustache"
}, t40[] = {
#embed "../HubWeb/Assets/Consent/groupFootprint.mustache"
}, t41[] = {
#embed "../HubWeb/Assets/Groups/groupResult.mustache"
}, t42[] = {
#embed "../HubWeb/Assets/Groups/groups.mustache"
}, t43[] = {
#embed "../HubWeb/Assets/History/health.mustache"
}, t44[] = {
#embed "../HubWeb/Assets/Home/home.mustache"
}, t45[] = {
#embed "../HubWeb/Assets/Home/homeCard.mustache"
}, t46[] = {
#embed "../HubWeb/Assets/SOS/homePin.mustache"
}, t47[] = {
#embed "../HubWeb/Assets/Organisations/hook.mustache"
}, t48[] = {
#embed "../HubWeb/Assets/Organisations/hooks.mustache"
}, t49[] = {
#embed "../HubWeb/Assets/Care/hospital.mustache"
}, t50[] = {
#embed "../HubWeb/Assets/Care/hospitals.mustache"
}, t51[] = {
#embed "../HubWeb/Assets/OwnData/import.mustache"
}, t52[] = {
#embed "../HubWeb/Assets/OwnData/importResult.mustache"
}, t53[] = {
#embed "../HubWeb/Assets/Organisations/keyhelp.mustache"
}, t54[] = {
#embed "../HubWeb/Assets/Organisations/keys.mustache"
}, t55[] = {
#embed "../HubWeb/Assets/Pages/layout.mustache"
}, t56[] = {
#embed "../HubWeb/Assets/OwnData/leave.mustache"
}, t57[] = {
#embed "../HubWeb/Assets/Consent/ledger.mustache"
}, t58[] = {
#embed "../HubWeb/Assets/Live/link.mustache"
}, t59[] = {
#embed "../HubWeb/Assets/Live/live.mustache"
}, t60[] = {
#embed "../HubWeb/Assets/Pages/menu.mustache"
}, t61[] = {
#embed "../HubWeb/Assets/OwnData/mydata.mustache"
}, t62[] = {
#embed "../HubWeb/Assets/Pages/notice.mustache"
}, t63[] = {
#embed "../HubWeb/Assets/Notices/notices.mustache"
}, t64[] = {
#embed "../HubWeb/Assets/Accounts/oneTime.mustache"
}, t65[] = {
#embed "../HubWeb/Assets/Organisations/oversight.mustache"
}, t66[] = {
#embed "../HubWeb/Assets/Accounts/passkeyButton.mustache"
}, t67[] = {
#embed "../HubWeb/Assets/Accounts/passkeys.mustache"
}, t68[] = {
#embed "../HubWeb/Assets/Payments/payment.mustache"
}, t69[] = {
#embed "../HubWeb/Assets/Payments/payments.mustache"
}, t70[] = {
#embed "../HubWeb/Assets/Organisations/people.mustache"
}, t71[] = {
#embed "../HubWeb/Assets/Organisations/person.mustache"
}, t72[] = {
#embed "../HubWeb/Assets/Accounts/phone.mustache"
}, t73[] = {
#embed "../HubWeb/Assets/OwnData/phoneCode.mustache"
}, t74[] = {
#embed "../HubWeb/Assets/Places/places.mustache"
}, t75[] = {
#embed "../HubWeb/Assets/Places/placesHead.mustache"
}, t76[] = {
#embed "../HubWeb/Assets/Places/placesMap.mustache"
}, t77[] = {
#embed "../HubWeb/Assets/Live/plot.mustache"
}, t78[] = {
#embed "../HubWeb/Assets/Consent/policy.mustache"
}, t79[] = {
#embed "../HubWeb/Assets/Pages/problem.mustache"
}, t80[] = {
#embed "../HubWeb/Assets/SOS/protection.mustache"
}, t81[] = {
#embed "../HubWeb/Assets/Services/publish.mustache"
}, t82[] = {
#embed "../HubWeb/Assets/Accounts/region.mustache"
}, t83[] = {
#embed "../HubWeb/Assets/Consent/requests.mustache"
}, t84[] = {
#embed "../HubWeb/Assets/Runs/result.mustache"
}, t85[] = {
#embed "../HubWeb/Assets/Runs/results.mustache"
}, t86[] = {
#embed "../HubWeb/Assets/Runs/run.mustache"
}, t87[] = {
#embed "../HubWeb/Assets/Runs/runCard.mustache"
}, t88[] = {
#embed "../HubWeb/Assets/Runs/runCheckIn.mustache"
}, t89[] = {
#embed "../HubWeb/Assets/Runs/runCourse.mustache"
}, t90[] = {
#embed "../HubWeb/Assets/Runs/runEnrol.mustache"
}, t91[] = {
#embed "../HubWeb/Assets/Runs/runForm.mustache"
}, t92[] = {
#embed "../HubWeb/Assets/Runs/runFriends.mustache"
}, t93[] = {
#embed "../HubWeb/Assets/Runs/runHead.mustache"
}, t94[] = {
#embed "../HubWeb/Assets/Runs/runMine.mustache"
}, t95[] = {
#embed "../HubWeb/Assets/Runs/runNearby.mustache"
}, t96[] = {
#embed "../HubWeb/Assets/Runs/runPeople.mustache"
}, t97[] = {
#embed "../HubWeb/Assets/Runs/runs.mustache"
}, t98[] = {
#embed "../HubWeb/Assets/Runs/runsMine.mustache"
}, t99[] = {
#embed "../HubWeb/Assets/Accounts/second.mustache"
}, t100[] = {
#embed "../HubWeb/Assets/Accounts/security.mustache"
}, t101[] = {
#embed "../HubWeb/Assets/Services/service.mustache"
}, t102[] = {
#embed "../HubWeb/Assets/Services/services.mustache"
}, t103[] = {
#embed "../HubWeb/Assets/Services/servicesToCheck.mustache"
}, t104[] = {
#embed "../HubWeb/Assets/Pages/sheet.mustache"
}, t105[] = {
#embed "../HubWeb/Assets/SOS/sosContact.mustache"
}, t106[] = {
#embed "../HubWeb/Assets/SOS/sosLost.mustache"
}, t107[] = {
#embed "../HubWeb/Assets/Operation/status.mustache"
}, t108[] = {
#embed "../HubWeb/Assets/SOS/strictWays.mustache"
}, t109[] = {
#embed "../HubWeb/Assets/Support/support.mustache"
}, t110[] = {
#embed "../HubWeb/Assets/Support/supportItem.mustache"
}, t111[] = {
#embed "../HubWeb/Assets/Support/supportQuestions.mustache"
}, t112[] = {
#embed "../HubWeb/Assets/Pages/tools.mustache"
}, t113[] = {
#embed "../HubWeb/Assets/Accounts/tour.mustache"
}, t114[] = {
#embed "../HubWeb/Assets/Workouts/tracks.mustache"
}, t115[] = {
#embed "../HubWeb/Assets/SOS/turnOn.mustache"
}, t116[] = {
#embed "../HubWeb/Assets/OwnData/typed.mustache"
}, t117[] = {
#embed "../HubWeb/Assets/Organisations/users.mustache"
}, t118[] = {
#embed "../HubWeb/Assets/Consent/waiting.mustache"
}, t119[] = {
#embed "../HubWeb/Assets/Runs/watch.mustache"
}, t120[] = {
#embed "../HubWeb/Assets/Ways/ways.mustache"
}, t121[] = {
#embed "../HubWeb/Assets/Accounts/welcome.mustache"
}, t122[] = {
#embed "../HubWeb/Assets/Operation/windows.mustache"
}, t123[] = {
#embed "../HubWeb/Assets/Runs/workout.mustache"
}, t124[] = {
#embed "../HubWeb/Assets/Workouts/workoutCompare.mustache"
}, t125[] = {
#embed "../HubWeb/Assets/Runs/workoutDone.mustache"
}, t126[] = {
#embed "../HubWeb/Assets/Runs/workoutFriend.mustache"
}, t127[] = {
#embed "../HubWeb/Assets/Runs/workoutLive.mustache"
}, t128[] = {
#embed "../HubWeb/Assets/Workouts/workoutRecord.mustache"
}, t129[] = {
#embed "../HubWeb/Assets/Workouts/workouts.mustache"
}, t130[] = {
#embed "../HubWeb/Assets/Workouts/workoutsTrends.mustache"
};
