"""
Reads what is typed, in one of several ways, and writes what it was given into a file, one line of JSON each.

  python3 -IS test/support/act-reader.py NAME KIND FILE

line: lines of the terminal. raw: keys, with an echo of its own. paste: the same, and takes pastes. question, key: asks, and reads a line or a
key. It waits while FILE.busy exists. SIGUSR1: becomes the reader "other" of lines. SIGUSR2: reports what nobody has entered, and ends.
"""
import json, os, select, signal, sys, termios, time, tty

name, kind, path = sys.argv[1:4]
text = b""


def log(event, **more):
    with open(path, "a") as file:
        file.write(json.dumps({"who": name, "pid": os.getpid(), "event": event, **more}) + "\n")


def set_mode(is_raw):
    if is_raw:
        tty.setraw(0, termios.TCSANOW)
    mode = termios.tcgetattr(0)
    # As line editors do: it shows that one reads.
    mode[6][termios.VLNEXT] = b"\0" if is_raw and kind != "key" else b"\x16"
    if is_raw:
        termios.tcsetattr(0, termios.TCSANOW, mode)
    else:
        mode[0] |= termios.ICRNL
        mode[1] |= termios.OPOST
        mode[3] |= termios.ICANON | termios.ECHO | termios.ISIG
        termios.tcsetattr(0, termios.TCSANOW, mode)


def change(*_):
    signal.setitimer(signal.ITIMER_REAL, 0)
    os.execv(sys.executable, [sys.executable, "-IS", sys.argv[0], "other", "line", path])


def leave(*_):
    signal.setitimer(signal.ITIMER_REAL, 0)
    set_mode(True)
    rest = text
    while select.select([0], [], [], 0)[0]:
        rest += os.read(0, 4096)
    log("left", text=rest.decode())
    set_mode(False)
    os._exit(0)


def entered(line):
    log("entered", text=line.decode())
    os.write(1, b"\r\ngot it\r\n")


def idle():
    while os.path.exists(path + ".busy"):
        time.sleep(0.01)


signal.signal(signal.SIGUSR1, change)
signal.signal(signal.SIGUSR2, leave)
# A signal between Python's last look for one and its read waits for the end of the read: the next tick interrupts it.
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.25, 0.25)
is_raw = kind in ("raw", "paste", "key")
set_mode(is_raw)
prompt = {"question": b"Delete it? [y/N] ", "key": b"Delete it? (y/N) "}.get(kind, name.encode() + b"> ")
if kind == "paste":
    os.write(1, b"\x1b[?2004h")
log("begun")
if not is_raw:
    while True:
        os.write(1, prompt)
        while not text.endswith(b"\n"):
            text += os.read(0, 4096)
        line, text = text, b""
        entered(line)
        idle()
os.write(1, prompt)
is_pasting = False
while True:
    keys = os.read(0, 4096)
    for mark in (b"\x1b[200~", b"\x1b[201~"):
        if mark in keys:
            is_pasting = mark == b"\x1b[200~"
            keys = keys.replace(mark, b"")
    if kind == "key":
        os.write(1, keys)
        entered(keys)
    elif keys.endswith(b"\r") and not is_pasting:
        line, text = text + keys[:-1], b""
        entered(line)
    else:
        text += keys
        os.write(1, keys.replace(b"\r", b"\r\n").replace(b"\n", b"\r\n"))
        continue
    idle()
    os.write(1, prompt)
