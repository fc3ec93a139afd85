"""A chat that reads lines, in the form of one that is published. Usage: line-bot.py llm | ollama | aider

llm: a line of readline behind "> ". ollama: an editor of its own in raw mode, with a hint in grey and lines between three quotes.
aider: a rule above each prompt, a line that waits and is erased, and the count of tokens below each answer.
"""
import os
import sys
import termios
import tty

form = sys.argv[1]


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def raw_line(mark, hint=""):
    """One line, read key by key, as ollama does: its own echo, Backspace and Ctrl-D."""
    before = termios.tcgetattr(0)
    tty.setraw(0, termios.TCSADRAIN)
    say(f"\r{mark}\x1b[38;5;245m{hint}\x1b[m\x1b[{max(1, len(hint))}D" if hint else f"\r{mark}")
    line = b""
    try:
        while True:
            key = os.read(0, 1)
            if key in (b"", b"\x04"):
                raise EOFError
            if key in (b"\r", b"\n"):
                say("\r\n")
                return line.decode()
            line = line[:-1] if key == b"\x7f" else line + key
            say(f"\r\x1b[K{mark}{line.decode(errors='ignore')}")
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)


def ask():
    if form == "ollama":
        line = raw_line(">>> ", "Send a message (/? for help)")
        while line.startswith('"""') and not line.endswith('"""', 3):
            line += "\n" + raw_line("... ")
        return line.strip('"')
    if form == "aider":
        say("─" * 40 + "\n")
    return input("> ")


def answer(text):
    if form == "aider":
        say("░█ Waiting for the model\r\x1b[K")
    for part in ["Here is the list:\n", "- one\n", f"- {len(text)} characters\n", "> a quote\n", "Done.\n"]:
        say(part)
    if form == "ollama":
        say("\n")
    if form == "aider":
        say("\nTokens: 12 sent, 34 received.\n")


say({"llm": "Chatting with a model\nType 'exit' or 'quit' to exit\n", "ollama": "", "aider": "Aider-like v1\n"}[form])
if form != "ollama":
    import readline  # noqa: F401 (it makes input() a line editor)
while True:
    try:
        text = ask()
    except EOFError:
        break
    if text in ("exit", "/bye"):
        break
    answer(text)
