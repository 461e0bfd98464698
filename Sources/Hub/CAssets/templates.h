// Made by packaging/assets, from the names in Sources/Hub/HubWeb/Assets.
static const uint8_t t0[] = {
#embed "../HubWeb/Assets/Accounts/address.mustache"
}, t1[] = {
#embed "../HubWeb/Assets/Accounts/addresses.mustache"
}, t2[] = {
#embed "../HubWeb/Assets/SOS/alarms.mustache"
}, t3[] = {
#embed "../HubWeb/Assets/Pages/article.mustache"
}, t4[] = {
#embed "../HubWeb/Assets/OwnData/boxSetUp.mustache"
}, t5[] = {
#embed "../HubWeb/Assets/OwnData/boxes.mustache"
}, t6[] = {
#embed "../HubWeb/Assets/Pages/button.mustache"
}, t7[] = {
#embed "../HubWeb/Assets/Care/care.mustache"
}, t8[] = {
#embed "../HubWeb/Assets/Care/carePerson.mustache"
}, t9[] = {
#embed "../HubWeb/Assets/Accounts/codes.mustache"
}, t10[] = {
#embed "../HubWeb/Assets/Consent/consentPart.mustache"
}, t11[] = {
#embed "../HubWeb/Assets/Organisations/download.mustache"
}, t12[] = {
#embed "../HubWeb/Assets/Organisations/downloads.mustache"
}, t13[] = {
#embed "../HubWeb/Assets/Care/duty.mustache"
}, t14[] = {
#embed "../HubWeb/Assets/Care/dutyTexts.mustache"
}, t15[] = {
#embed "../HubWeb/Assets/ECG/ecg.mustache"
}, t16[] = {
#embed "../HubWeb/Assets/ECG/ecgStrip.mustache"
}, t17[] = {
#embed "../HubWeb/Assets/SOS/emergencies.mustache"
}, t18[] = {
#embed "../HubWeb/Assets/OwnData/export.mustache"
}, t19[] = {
#embed "../HubWeb/Assets/Pages/field.mustache"
}, t20[] = {
#embed "../HubWeb/Assets/Consent/followed.mustache"
}, t21[] = {
#embed "../HubWeb/Assets/Consent/followers.mustache"
}, t22[] = {
#embed "../HubWeb/Assets/Consent/following.mustache"
}, t23[] = {
#embed "../HubWeb/Assets/Pages/form.mustache"
}, t24[] = {
#embed "../HubWeb/Assets/Groups/groupAsk.mustache"
}, t25[] = {
#embed "../HubWeb/Assets/Groups/groupCheck.mustache"
}, t26[] = {
#embed "../HubWeb/Assets/Groups/groupChoice.mustache"
}, t27[] = {
#embed "../HubWeb/Assets/Groups/groupDownloads.mustache"
}, t28[] = {
#embed "../HubWeb/Assets/Consent/groupFootprint.mustache"
}, t29[] = {
#embed "../HubWeb/Assets/Groups/groupResult.mustache"
}, t30[] = {
#embed "../HubWeb/Assets/Groups/groups.mustache"
}, t31[] = {
#embed "../HubWeb/Assets/History/health.mustache"
}, t32[] = {
#embed "../HubWeb/Assets/Home/home.mustache"
}, t33[] = {
#embed "../HubWeb/Assets/Home/homeCard.mustache"
}, t34[] = {
#embed "../HubWeb/Assets/SOS/homePin.mustache"
}, t35[] = {
#embed "../HubWeb/Assets/Organisations/hook.mustache"
}, t36[] = {
#embed "../HubWeb/Assets/Organisations/hooks.mustache"
}, t37[] = {
#embed "../HubWeb/Assets/Care/hospital.mustache"
}, t38[] = {
#embed "../HubWeb/Assets/Care/hospitals.mustache"
}, t39[] = {
#embed "../HubWeb/Assets/OwnData/import.mustache"
}, t40[] = {
#embed "../HubWeb/Assets/OwnData/importResult.mustache"
}, t41[] = {
#embed "../HubWeb/Assets/Organisations/keyhelp.mustache"
}, t42[] = {
#embed "../HubWeb/Assets/Organisations/keys.mustache"
}, t43[] = {
#embed "../HubWeb/Assets/Pages/layout.mustache"
}, t44[] = {
#embed "../HubWeb/Assets/OwnData/leave.mustache"
}, t45[] = {
#embed "../HubWeb/Assets/Consent/ledger.mustache"
}, t46[] = {
#embed "../HubWeb/Assets/Live/link.mustache"
}, t47[] = {
#embed "../HubWeb/Assets/Live/live.mustache"
}, t48[] = {
#embed "../HubWeb/Assets/Pages/menu.mustache"
}, t49[] = {
#embed "../HubWeb/Assets/OwnData/mydata.mustache"
}, t50[] = {
#embed "../HubWeb/Assets/Pages/notice.mustache"
}, t51[] = {
#embed "../HubWeb/Assets/Notices/notices.mustache"
}, t52[] = {
#embed "../HubWeb/Assets/Accounts/oneTime.mustache"
}, t53[] = {
#embed "../HubWeb/Assets/Organisations/oversight.mustache"
}, t54[] = {
#embed "../HubWeb/Assets/Accounts/passkeyButton.mustache"
}, t55[] = {
#embed "../HubWeb/Assets/Accounts/passkeys.mustache"
}, t56[] = {
#embed "../HubWeb/Assets/Payments/payment.mustache"
}, t57[] = {
#embed "../HubWeb/Assets/Payments/payments.mustache"
}, t58[] = {
#embed "../HubWeb/Assets/Organisations/people.mustache"
}, t59[] = {
#embed "../HubWeb/Assets/Organisations/person.mustache"
}, t60[] = {
#embed "../HubWeb/Assets/Accounts/phone.mustache"
}, t61[] = {
#embed "../HubWeb/Assets/OwnData/phoneCode.mustache"
}, t62[] = {
#embed "../HubWeb/Assets/Places/places.mustache"
}, t63[] = {
#embed "../HubWeb/Assets/Places/placesHead.mustache"
}, t64[] = {
#embed "../HubWeb/Assets/Places/placesMap.mustache"
}, t65[] = {
#embed "../HubWeb/Assets/Live/plot.mustache"
}, t66[] = {
#embed "../HubWeb/Assets/Consent/policy.mustache"
}, t67[] = {
#embed "../HubWeb/Assets/Pages/problem.mustache"
}, t68[] = {
#embed "../HubWeb/Assets/SOS/protection.mustache"
}, t69[] = {
#embed "../HubWeb/Assets/Services/publish.mustache"
}, t70[] = {
#embed "../HubWeb/Assets/Accounts/region.mustache"
}, t71[] = {
#embed "../HubWeb/Assets/Consent/requests.mustache"
}, t72[] = {
#embed "../HubWeb/Assets/Runs/result.mustache"
}, t73[] = {
#embed "../HubWeb/Assets/Runs/results.mustache"
}, t74[] = {
#embed "../HubWeb/Assets/Runs/run.mustache"
}, t75[] = {
#embed "../HubWeb/Assets/Runs/runCard.mustache"
}, t76[] = {
#embed "../HubWeb/Assets/Runs/runCheckIn.mustache"
}, t77[] = {
#embed "../HubWeb/Assets/Runs/runCourse.mustache"
}, t78[] = {
#embed "../HubWeb/Assets/Runs/runEnrol.mustache"
}, t79[] = {
#embed "../HubWeb/Assets/Runs/runForm.mustache"
}, t80[] = {
#embed "../HubWeb/Assets/Runs/runFriends.mustache"
}, t81[] = {
#embed "../HubWeb/Assets/Runs/runHead.mustache"
}, t82[] = {
#embed "../HubWeb/Assets/Runs/runMine.mustache"
}, t83[] = {
#embed "../HubWeb/Assets/Runs/runNearby.mustache"
}, t84[] = {
#embed "../HubWeb/Assets/Runs/runPeople.mustache"
}, t85[] = {
#embed "../HubWeb/Assets/Runs/runs.mustache"
}, t86[] = {
#embed "../HubWeb/Assets/Runs/runsMine.mustache"
}, t87[] = {
#embed "../HubWeb/Assets/Accounts/second.mustache"
}, t88[] = {
#embed "../HubWeb/Assets/Accounts/security.mustache"
}, t89[] = {
#embed "../HubWeb/Assets/Services/service.mustache"
}, t90[] = {
#embed "../HubWeb/Assets/Services/services.mustache"
}, t91[] = {
#embed "../HubWeb/Assets/Services/servicesToCheck.mustache"
}, t92[] = {
#embed "../HubWeb/Assets/Pages/sheet.mustache"
}, t93[] = {
#embed "../HubWeb/Assets/SOS/sosContact.mustache"
}, t94[] = {
#embed "../HubWeb/Assets/SOS/sosLost.mustache"
}, t95[] = {
#embed "../HubWeb/Assets/SOS/strictWays.mustache"
}, t96[] = {
#embed "../HubWeb/Assets/Pages/tools.mustache"
}, t97[] = {
#embed "../HubWeb/Assets/Accounts/tour.mustache"
}, t98[] = {
#embed "../HubWeb/Assets/Workouts/tracks.mustache"
}, t99[] = {
#embed "../HubWeb/Assets/SOS/turnOn.mustache"
}, t100[] = {
#embed "../HubWeb/Assets/OwnData/typed.mustache"
}, t101[] = {
#embed "../HubWeb/Assets/Organisations/users.mustache"
}, t102[] = {
#embed "../HubWeb/Assets/Consent/waiting.mustache"
}, t103[] = {
#embed "../HubWeb/Assets/Runs/watch.mustache"
}, t104[] = {
#embed "../HubWeb/Assets/Ways/ways.mustache"
}, t105[] = {
#embed "../HubWeb/Assets/Accounts/welcome.mustache"
}, t106[] = {
#embed "../HubWeb/Assets/Operation/windows.mustache"
}, t107[] = {
#embed "../HubWeb/Assets/Runs/workout.mustache"
}, t108[] = {
#embed "../HubWeb/Assets/Workouts/workoutCompare.mustache"
}, t109[] = {
#embed "../HubWeb/Assets/Runs/workoutDone.mustache"
}, t110[] = {
#embed "../HubWeb/Assets/Runs/workoutFriend.mustache"
}, t111[] = {
#embed "../HubWeb/Assets/Runs/workoutLive.mustache"
}, t112[] = {
#embed "../HubWeb/Assets/Workouts/workoutRecord.mustache"
}, t113[] = {
#embed "../HubWeb/Assets/Workouts/workouts.mustache"
}, t114[] = {
#embed "../HubWeb/Assets/Workouts/workoutsTrends.mustache"
};
