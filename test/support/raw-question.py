"""
Asks in a form that is not known: without a line editor, it reads single keys, which it writes into a file.

  python3 test/support/raw-question.py FILE [TEXT]
"""
import os, sys, termios, time, tty

log = open(sys.argv[1], "wb", buffering=0)
text = sys.argv[2] if len(sys.argv) > 2 else 'Press y to delete the cluster "prod"'
before = termios.tcgetattr(0)
tty.setraw(0)
os.write(1, b"\x1b[?25l\r\n" + text.replace("\n", "\r\n").encode())
while True:
    key = os.read(0, 1)
    log.write(key)
    if key in b"yYnN\r\x03":
        break
os.write(1, b"\r\nanswered\r\n\x1b[?25h")
termios.tcsetattr(0, termios.TCSADRAIN, before)
