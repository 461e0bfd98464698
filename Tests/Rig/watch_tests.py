"""`trackme-agent watch --sensor` in the guest: one process, one sensor, nothing stored."""
from checks import check, decode, note, times
from machines import AGENT, Run

ADDRESS = "C4:01:02:03:04:05"
GUEST_UP = "hciconfig hci0 up; "  # bluetoothd does that where it runs


def watch(transport, *options, address=ADDRESS + "/random"):
    return f"{AGENT} watch --sensor {address} --transport {transport} " + " ".join(options)


def steady(values):
    return [{"hr": value} for value in values]


def strap(*steps, **more):
    return [{"address": ADDRESS, "interval": 0.5, "steps": list(steps), **more}]


def machine(test, transport, straps, command, limit=150):
    bluetoothd = transport == "bluez"
    return Run(f"{test}-{transport}", ("" if bluetoothd else GUEST_UP) + command, straps, limit, bluetoothd)


def same_measurements(name, run, count):
    got = [{key: event[key] for key in event if key not in ("type", "time")} for event in run.of("heart-rate")]
    sent = [decode(data) for _, data in run.log.sent(1)][:count]
    check(f"{name}: the {count} measurements are exactly those sent", len(got) == count and got == sent,
          f"sent {sent}, delivered {got}; {run.said()}")


def measurements(transport):
    steps = [{"hr": 72}, {"hr": 73, "contact": True}, {"hr": 74, "contact": True, "rr": [830]},
             {"hr": 75, "contact": True, "rr": [819, 821]}, {"hr": 76, "contact": True, "energy": 12, "rr": [808]},
             {"hr": 0, "contact": False}, {"hr": 150, "wide": True, "contact": True, "energy": 65535, "rr": [410, 409, 411]},
             {"hr": 300}, {"battery": 86}]
    run = machine("measurements", transport, strap(*steps, battery=87), watch(transport, "--count 20", "--seconds 60"))
    same_measurements("all variants", run, 20)
    percents = [event["percent"] for event in run.of("battery")]
    # BlueZ may tell the value that it has read once more.
    changes = [now for before, now in zip([None] + percents, percents) if now != before]
    check("battery is read, and notified later", changes == [87, 86], percents)
    codes = [event["code"] for event in run.of("body-location")]
    check("body location is read", codes == [1], codes)
    told = run.of("problem", "lost")
    check("no problem was reported", not told, told)
    log = run.log.of(1)
    connected = next((seconds for seconds, text in log if text.startswith("connected")), None)
    subscribed = next((seconds for seconds, text in log if text == "notify True"), None)
    if connected is not None and subscribed is not None:
        note(f"connected to subscribed: {subscribed - connected:.3f} s")


def drops(transport):
    steps = steady(range(80, 84)) + [{"drop": 8, "off": 4}] + steady(range(90, 94)) + [{"drop": 19, "off": 1}]
    run = machine("drops", transport, strap(*steps), watch(transport, "--count 20", "--seconds 100"))
    same_measurements("through two losses of each kind", run, 20)
    lost = [event["what"] for event in run.of("lost")]
    if transport == "att":
        told = len(lost) == 4 and "out of range" in lost[0] and "ended the connection" in lost[1]
        check("each loss is told once, with its kind", told, f"{lost} {run.said()}")
    else:
        check("each loss is told once", len(lost) == 4, f"{lost} {run.said()}")  # BlueZ 5.66 does not give the kind away
    returns = run.log.returns(1)
    check("advertising to subscribed within 3 s", bool(returns) and None not in returns and max(returns) <= 3, found=times(returns))


def silence(transport):
    run = machine("silence", transport, strap(*steady([70, 71, 72]), {"silent": 13}), watch(transport, "--count 6", "--seconds 60"))
    kinds = [event["type"] for event in run.of("heart-rate", "lost", "connected")]
    lost = run.of("lost")
    check("a silent strap is lost, never a heart that stopped", bool(lost) and "no reading" in lost[0]["what"], f"{lost} {run.said()}")
    # The end of the link that the agent closes itself is no second loss.
    told_once = kinds == ["connected"] + 3 * ["heart-rate"] + ["lost", "connected"] + 3 * ["heart-rate"]
    check("which is told once, and the link is opened anew", told_once, kinds)
    if lost and len(run.of("heart-rate")) > 3:
        before = max(event["time"] for event in run.of("heart-rate") if event["time"] < lost[0]["time"])
        note(f"told {lost[0]['time'] - before} ms after the last reading")


def absent(transport):
    run = machine("absent", transport, strap(*steady([70])), watch(transport, "--seconds 75", address="C4:99:99:99:99:99/random"))
    lost = run.of("lost")
    check("an absent sensor: it says so and what to do", len(lost) == 1 and bool(lost[0]["advice"]), f"{lost} {run.said()}")
    if transport == "att":
        check("in the words for a sensor that does not answer", bool(lost) and "does not answer" in lost[0]["what"])


def adapter_down():
    command = "hciconfig hci0 down; " + watch("att", "--count 3", "--seconds 60") + " & sleep 3; " + GUEST_UP + "wait"
    run = Run("adapter_down", command, strap(*steady([70, 71])))
    lost = run.of("lost")
    told = len(lost) == 1 and "hci0 is off" in lost[0]["what"] and "power on" in lost[0]["advice"]
    check("adapter down: it says so and what to do", told, f"{[event['what'] for event in lost]} {run.said()}")
    check("and delivers when it is up", len(run.of("heart-rate")) == 3)


def adapter_healed():
    """bluetoothd lets the agent switch the adapter on; a block by rfkill is for whoever may open /dev/rfkill, as the service may."""
    block = "echo 1 > /sys/class/rfkill/rfkill0/soft"
    on = "The Bluetooth adapter hci0 was off and has been switched on (Nothing needs doing)"
    unblocked = ("Bluetooth was blocked by rfkill (flight mode) and has been unblocked "
                 "(Nothing needs doing. Pause the monitoring if no readings are wanted)")
    blocked = "Bluetooth is blocked by rfkill (flight mode) (Unblock it, as root: rfkill unblock bluetooth)"

    def off_by(name, command, prefix=""):
        """What was told, each with its kind, and the run; None for what was told when no readings came."""
        run = Run(f"adapter_healed-{name}", f"{command}; sleep 1; {prefix}" + watch("bluez", "--count 3", "--seconds 60"),
                  strap(*steady([70, 71])), bluetoothd=True)
        told = [(event["type"], f"{event['what']} ({event['advice']})") for event in run.of("lost", "problem")]
        delivered = check(f"adapter off by {name}: readings come", len(run.of("heart-rate")) == 3, f"{told} {run.said()}")
        return told if delivered else None

    told = off_by("bluetoothctl", "bluetoothctl power off >/dev/null")
    check("adapter switched off: it is switched on again, which is told", told == [("problem", on)], told)
    told = off_by("rfkill", block)
    # Once the block is gone, bluetoothd often switches the adapter on before the agent does.
    good = told in ([("problem", unblocked)], [("problem", unblocked), ("problem", on)])
    check("adapter blocked by rfkill: it is unblocked, which is told", good, told)
    forbidden = f"{block}; chown nobody /dev/rfkill; (sleep 20; echo 0 > /sys/class/rfkill/rfkill0/soft) &"
    told = off_by("rfkill-for-others", forbidden + " true", "setpriv --bounding-set=-all --inh-caps=-all ")
    check("adapter blocked by rfkill, which it may not change: it is said what to do, once", told == [("lost", blocked)], told)


def no_adapter():
    # Without straps the guest has no adapter at all; its kernel loads the protocol by itself.
    run = Run("no_adapter", "modprobe bluetooth; " + watch("att", "--seconds 2"), limit=60)
    told = " ".join(event["what"] for event in run.of("lost", "problem"))
    check("no adapter: it says so", "No Bluetooth adapter" in told, f"{told} {run.said()}")


def held():
    ctl = "bluetoothctl --timeout"
    command = (f"({ctl} 12 scan on; {ctl} 25 connect {ADDRESS}) > /run/vm/ctl.log 2>&1; " + watch("att", "--count 2", "--seconds 60")
               + f" & sleep 6; {ctl} 5 disconnect {ADDRESS} >> /run/vm/ctl.log 2>&1; wait")
    run = Run("held", command, strap(*steady([70, 71])), limit=200, bluetoothd=True)
    lost = run.of("lost")
    check("bluetoothd holds the link: it says so and what to do",
          bool(lost) and "holds the link" in lost[0]["what"] and "bluetoothctl disconnect" in lost[0]["advice"], f"{lost} {run.said()}")
    check("and delivers when it is free", len(run.of("heart-rate")) == 2, f"see {run.folder}/ctl.log")


def chosen_by_itself():
    for bluetoothd in (True, False):
        command = ("" if bluetoothd else GUEST_UP) + watch("auto", "--count 3", "--seconds 60")
        name = "with bluetoothd" if bluetoothd else "without bluetoothd"
        run = Run(f"chosen_by_itself-{int(bluetoothd)}", command, strap(*steady([70, 71])), bluetoothd=bluetoothd)
        check(f"{name} it finds the way by itself", len(run.of("heart-rate")) == 3, run.said())


def paired():
    """Through bluetoothd: a strap whose measurement needs an encrypted link, paired before and not."""
    straps = strap(*steady([70, 71]), encrypted=True)
    by_hand = f"(sleep 1; echo scan on; sleep 5; echo scan off; echo pair {ADDRESS}; sleep 7; echo quit) | bluetoothctl"
    run = Run("paired", f"{by_hand} > /run/vm/ctl.log 2>&1; " + watch("bluez", "--count 3", "--seconds 60"), straps, bluetoothd=True)
    check("the rig's strap can be paired", any(text == "paired" for _, text in run.log.of(1)), f"see {run.folder}/ctl.log")
    check("a strap that was paired delivers", len(run.of("heart-rate")) == 3, run.said())
    run = Run("unpaired", watch("bluez", "--count 3", "--seconds 60"), straps, bluetoothd=True)
    told = [f"{event['what']} {event['advice']}" for event in run.of("lost", "problem")]
    delivered = len(run.of("heart-rate")) == 3
    # A pairing that was tried and failed is no success: this strap can be paired.
    needed = any("paired device" in text and "pairing failed" not in text for text in told)
    check("one that was not is paired, or said to need it", delivered or needed, f"{told} {run.said()}")


def both(test):
    """The test for each transport, with a name for the command line."""
    made = []
    for transport in ("att", "bluez"):
        def one(transport=transport):
            test(transport)
        one.__name__ = f"{test.__name__}_{transport}"
        made.append(one)
    return made


TESTS = [*both(measurements), *both(drops), *both(silence), *both(absent), adapter_down, adapter_healed, no_adapter, held,
         chosen_by_itself, paired]
