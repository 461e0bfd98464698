// Made by packaging/assets, from the names in Sources/Hub/HubWeb/Assets.
static const uint8_t t0[] = {
#embed "../HubWeb/Assets/alarms.mustache"
}, t1[] = {
#embed "../HubWeb/Assets/article.mustache"
}, t2[] = {
#embed "../HubWeb/Assets/boxSetUp.mustache"
}, t3[] = {
#embed "../HubWeb/Assets/boxes.mustache"
}, t4[] = {
#embed "../HubWeb/Assets/button.mustache"
}, t5[] = {
#embed "../HubWeb/Assets/care.mustache"
}, t6[] = {
#embed "../HubWeb/Assets/careParent.mustache"
}, t7[] = {
#embed "../HubWeb/Assets/carePerson.mustache"
}, t8[] = {
#embed "../HubWeb/Assets/codes.mustache"
}, t9[] = {
#embed "../HubWeb/Assets/consentPart.mustache"
}, t10[] = {
#embed "../HubWeb/Assets/download.mustache"
}, t11[] = {
#embed "../HubWeb/Assets/downloads.mustache"
}, t12[] = {
#embed "../HubWeb/Assets/duty.mustache"
}, t13[] = {
#embed "../HubWeb/Assets/dutyTexts.mustache"
}, t14[] = {
#embed "../HubWeb/Assets/ecg.mustache"
}, t15[] = {
#embed "../HubWeb/Assets/ecgStrip.mustache"
}, t16[] = {
#embed "../HubWeb/Assets/emergencies.mustache"
}, t17[] = {
#embed "../HubWeb/Assets/export.mustache"
}, t18[] = {
#embed "../HubWeb/Assets/field.mustache"
}, t19[] = {
#embed "../HubWeb/Assets/followed.mustache"
}, t20[] = {
#embed "../HubWeb/Assets/followers.mustache"
}, t21[] = {
#embed "../HubWeb/Assets/following.mustache"
}, t22[] = {
#embed "../HubWeb/Assets/form.mustache"
}, t23[] = {
#embed "../HubWeb/Assets/groupAsk.mustache"
}, t24[] = {
#embed "../HubWeb/Assets/groupCheck.mustache"
}, t25[] = {
#embed "../HubWeb/Assets/groupChoice.mustache"
}, t26[] = {
#embed "../HubWeb/Assets/groupDownloads.mustache"
}, t27[] = {
#embed "../HubWeb/Assets/groupFootprint.mustache"
}, t28[] = {
#embed "../HubWeb/Assets/groupResult.mustache"
}, t29[] = {
#embed "../HubWeb/Assets/groups.mustache"
}, t30[] = {
#embed "../HubWeb/Assets/health.mustache"
}, t31[] = {
#embed "../HubWeb/Assets/home.mustache"
}, t32[] = {
#embed "../HubWeb/Assets/homeCard.mustache"
}, t33[] = {
#embed "../HubWeb/Assets/homePin.mustache"
}, t34[] = {
#embed "../HubWeb/Assets/hook.mustache"
}, t35[] = {
#embed "../HubWeb/Assets/hooks.mustache"
}, t36[] = {
#embed "../HubWeb/Assets/hospital.mustache"
}, t37[] = {
#embed "../HubWeb/Assets/hospitals.mustache"
}, t38[] = {
#embed "../HubWeb/Assets/import.mustache"
}, t39[] = {
#embed "../HubWeb/Assets/importResult.mustache"
}, t40[] = {
#embed "../HubWeb/Assets/keyhelp.mustache"
}, t41[] = {
#embed "../HubWeb/Assets/keys.mustache"
}, t42[] = {
#embed "../HubWeb/Assets/layout.mustache"
}, t43[] = {
#embed "../HubWeb/Assets/ledger.mustache"
}, t44[] = {
#embed "../HubWeb/Assets/link.mustache"
}, t45[] = {
#embed "../HubWeb/Assets/live.mustache"
}, t46[] = {
#embed "../HubWeb/Assets/menu.mustache"
}, t47[] = {
#embed "../HubWeb/Assets/mydata.mustache"
}, t48[] = {
#embed "../HubWeb/Assets/notice.mustache"
}, t49[] = {
#embed "../HubWeb/Assets/notices.mustache"
}, t50[] = {
#embed "../HubWeb/Assets/oneTime.mustache"
}, t51[] = {
#embed "../HubWeb/Assets/oversight.mustache"
}, t52[] = {
#embed "../HubWeb/Assets/passkeyButton.mustache"
}, t53[] = {
#embed "../HubWeb/Assets/passkeys.mustache"
}, t54[] = {
#embed "../HubWeb/Assets/people.mustache"
}, t55[] = {
#embed "../HubWeb/Assets/person.mustache"
}, t56[] = {
#embed "../HubWeb/Assets/phone.mustache"
}, t57[] = {
#embed "../HubWeb/Assets/phoneCode.mustache"
}, t58[] = {
#embed "../HubWeb/Assets/places.mustache"
}, t59[] = {
#embed "../HubWeb/Assets/placesHead.mustache"
}, t60[] = {
#embed "../HubWeb/Assets/placesMap.mustache"
}, t61[] = {
#embed "../HubWeb/Assets/plot.mustache"
}, t62[] = {
#embed "../HubWeb/Assets/policy.mustache"
}, t63[] = {
#embed "../HubWeb/Assets/problem.mustache"
}, t64[] = {
#embed "../HubWeb/Assets/protection.mustache"
}, t65[] = {
#embed "../HubWeb/Assets/publish.mustache"
}, t66[] = {
#embed "../HubWeb/Assets/region.mustache"
}, t67[] = {
#embed "../HubWeb/Assets/requests.mustache"
}, t68[] = {
#embed "../HubWeb/Assets/result.mustache"
}, t69[] = {
#embed "../HubWeb/Assets/results.mustache"
}, t70[] = {
#embed "../HubWeb/Assets/run.mustache"
}, t71[] = {
#embed "../HubWeb/Assets/runCard.mustache"
}, t72[] = {
#embed "../HubWeb/Assets/runCheckIn.mustache"
}, t73[] = {
#embed "../HubWeb/Assets/runCourse.mustache"
}, t74[] = {
#embed "../HubWeb/Assets/runEnrol.mustache"
}, t75[] = {
#embed "../HubWeb/Assets/runForm.mustache"
}, t76[] = {
#embed "../HubWeb/Assets/runFriends.mustache"
}, t77[] = {
#embed "../HubWeb/Assets/runHead.mustache"
}, t78[] = {
#embed "../HubWeb/Assets/runMine.mustache"
}, t79[] = {
#embed "../HubWeb/Assets/runNearby.mustache"
}, t80[] = {
#embed "../HubWeb/Assets/runPeople.mustache"
}, t81[] = {
#embed "../HubWeb/Assets/runs.mustache"
}, t82[] = {
#embed "../HubWeb/Assets/runsMine.mustache"
}, t83[] = {
#embed "../HubWeb/Assets/second.mustache"
}, t84[] = {
#embed "../HubWeb/Assets/security.mustache"
}, t85[] = {
#embed "../HubWeb/Assets/service.mustache"
}, t86[] = {
#embed "../HubWeb/Assets/services.mustache"
}, t87[] = {
#embed "../HubWeb/Assets/servicesToCheck.mustache"
}, t88[] = {
#embed "../HubWeb/Assets/sheet.mustache"
}, t89[] = {
#embed "../HubWeb/Assets/sosContact.mustache"
}, t90[] = {
#embed "../HubWeb/Assets/sosLost.mustache"
}, t91[] = {
#embed "../HubWeb/Assets/strictWays.mustache"
}, t92[] = {
#embed "../HubWeb/Assets/tools.mustache"
}, t93[] = {
#embed "../HubWeb/Assets/tour.mustache"
}, t94[] = {
#embed "../HubWeb/Assets/tracks.mustache"
}, t95[] = {
#embed "../HubWeb/Assets/turnOn.mustache"
}, t96[] = {
#embed "../HubWeb/Assets/waiting.mustache"
}, t97[] = {
#embed "../HubWeb/Assets/watch.mustache"
}, t98[] = {
#embed "../HubWeb/Assets/ways.mustache"
}, t99[] = {
#embed "../HubWeb/Assets/welcome.mustache"
}, t100[] = {
#embed "../HubWeb/Assets/windows.mustache"
}, t101[] = {
#embed "../HubWeb/Assets/workout.mustache"
}, t102[] = {
#embed "../HubWeb/Assets/workoutCompare.mustache"
}, t103[] = {
#embed "../HubWeb/Assets/workoutDone.mustache"
}, t104[] = {
#embed "../HubWeb/Assets/workoutFriend.mustache"
}, t105[] = {
#embed "../HubWeb/Assets/workoutLive.mustache"
}, t106[] = {
#embed "../HubWeb/Assets/workoutRecord.mustache"
}, t107[] = {
#embed "../HubWeb/Assets/workouts.mustache"
}, t108[] = {
#embed "../HubWeb/Assets/workoutsTrends.mustache"
};
