/**
 * Ways out of a sandbox, as pieces of bash. Each runs in a directory of its own session; its output or the outside shows whether it worked.
 *
 * Variables: PLACE (a directory outside), DATA (Lectern's own), VICTIM (pid of a process outside), HOST (pid of the pty host), TCP and UDP
 * (ports outside), ABSTRACT (a socket name), SHARED (a file of shared memory), OTHER (id of another session), PROJECT (the working directory), L (the lectern command), P (python).
 */

export interface SandboxWay {
  readonly script: string;
  /** Files outside that show that it worked, below PLACE; default: it prints LEAK. */
  readonly makes?: string;
  /** It works without a sandbox, as the same user: the test runs it there first. Default true. */
  readonly worksOutside?: boolean;
}

const python = (code: string): string => `$P - <<'END'\n${code.trim()}\nEND`;

const unixConnect = (path: string): string =>
  `$P -c 'import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print("LE"+"AK")' "${path}"`;

const writes = (script: string, file: string, worksOutside = true): SandboxWay => ({
  script: script.replaceAll("FILE", `$PLACE/${file}`),
  makes: file,
  worksOutside,
});

const fileWays: Readonly<Record<string, SandboxWay>> = {
  "write a file": writes("echo x > FILE", "made/1"),
  "write through a link": writes('ln -s "$PLACE/made" out; echo x > out/2', "made/2"),
  "write through /proc/self/root": writes('echo x > "/proc/self/root$PLACE/made/3"', "made/3"),
  "write through the root of another process": writes(
    'for root in /proc/[0-9]*/root; do echo x > "$root$PLACE/made/4" && break; done',
    "made/4",
  ),
  "write through an open directory": writes('cd "$PLACE/made" && echo x > ./5', "made/5"),
  "make a directory": writes("mkdir FILE", "made/6"),
  "make a link": writes("ln -s /etc/passwd FILE", "made/7"),
  "make a pipe": writes("mkfifo FILE", "made/8"),
  "move a file out": writes("echo x > moved; mv moved FILE", "made/9"),
  "append to a file": { script: 'echo x >> "$PLACE/kept/append" && echo LEAK' },
  "append through a hard link": {
    script: 'ln "$PLACE/kept/link" hard && echo x >> hard && echo LEAK',
    worksOutside: false,
  },
  "cut a file off": { script: 'truncate -s 0 "$PLACE/kept/cut" && echo LEAK' },
  "remove a file": { script: 'rm -f "$PLACE/kept/remove" && echo LEAK' },
  "rename a directory": { script: 'mv "$PLACE/kept/directory" "$PLACE/kept/renamed" && echo LEAK' },
  "change a mode": { script: 'chmod 777 "$PLACE/kept/mode" && echo LEAK' },
  "touch a time": { script: 'touch -d 2001-01-01 "$PLACE/kept/time" && echo LEAK' },
  "the rc file of the shell": { script: 'echo evil >> "$HOME/.bashrc" && echo LEAK' },
  "settings of an agent in the home": {
    script: 'mkdir -p "$HOME/.claude" && echo "{}" > "$HOME/.claude/settings.json" && echo LEAK',
  },
  "a key that may log in": {
    script: 'mkdir -p "$HOME/.ssh" && echo key >> "$HOME/.ssh/authorized_keys" && echo LEAK',
    makes: "home/.ssh/authorized_keys",
  },
  "write through a descriptor without rights": writes(
    python(`
import os
place = os.open(os.environ["PLACE"] + "/made", os.O_PATH)
with open(f"/proc/self/fd/{place}/40", "w") as file: file.write("x")`),
    "made/40",
  ),
  "write through a descriptor of a directory": writes(
    'exec 9< "$PLACE/made" && echo x > /proc/self/fd/9/41',
    "made/41",
  ),
  "replace a file": { script: 'echo x > new; cp --remove-destination new "$PLACE/kept/replace" && echo LEAK' },
  "rename over a file": {
    script: python(`
import os
open("over", "w").close()
os.rename("over", os.environ["PLACE"] + "/kept/over"); print("LE" + "AK")`),
  },
  "change an owner": { script: 'chown "$(id -u)" "$PLACE/kept/owner" && echo LEAK' },
  "open a file for writing": { script: 'exec 9<> "$PLACE/kept/open" && echo LEAK' },
  "a program in the path": writes(
    'mkdir -p "$HOME/.local/bin"; echo evil > "$HOME/.local/bin/git"',
    "home/.local/bin/git",
  ),
  "a start of the desktop": writes(
    'mkdir -p "$HOME/.config/autostart"; echo evil > "$HOME/.config/autostart/x.desktop"',
    "home/.config/autostart/x.desktop",
  ),
  "a unit of systemd in the home": writes(
    'mkdir -p "$HOME/.config/systemd/user"; echo evil > "$HOME/.config/systemd/user/x.service"',
    "home/.config/systemd/user/x.service",
  ),
  "a module that Python imports": writes(
    'mkdir -p "$HOME/.local/lib/python3/site-packages"; echo evil > "$HOME/.local/lib/python3/site-packages/usercustomize.py"',
    "home/.local/lib/python3/site-packages/usercustomize.py",
  ),
  "settings of git in the home": { script: "git config --global core.fsmonitor evil && echo LEAK" },
  "settings of ssh": writes('echo "ProxyCommand evil" > "$HOME/.ssh/config"', "home/.ssh/config"),
  "settings of npm in the home": {
    script: 'echo script-shell=evil >> "$HOME/.npmrc" && grep -q evil "$HOME/.npmrc" && echo LEAK',
  },
  "a hook of git": writes("echo evil > .git/hooks/post-checkout", "project/.git/hooks/post-checkout"),
  "a setting of git": { script: "git config core.fsmonitor evil && grep -q evil .git/config && echo LEAK" },
  "a hook after .git was renamed": writes(
    "mv .git old && mkdir -p .git/hooks && echo evil > .git/hooks/pre-commit",
    "project/.git/hooks/pre-commit",
    false,
  ),
  "a hook after .git was removed": writes(
    "rm -rf .git; mkdir -p .git/hooks && echo evil > .git/hooks/pre-push",
    "project/.git/hooks/pre-push",
    false,
  ),
  "another directory of git's settings": { script: "echo ../evil > .git/commondir && echo LEAK", worksOutside: false },
  "settings of a worktree": { script: "echo '[core]' > .git/config.worktree && echo LEAK", worksOutside: false },
  "the directory as a repository of its own": {
    script: "rm -rf config; printf '[core]\\n' > config && test -f config && echo LEAK",
  },
  "settings of an agent": writes(
    "mkdir -p .claude; echo '{}' > .claude/settings.json",
    "project/.claude/settings.json",
  ),
  "settings of an agent by a rename": writes(
    "mkdir new; echo '{}' > new/settings.json; mv -T .codex .gone; mv -T new .codex",
    "project/.codex/settings.json",
    false,
  ),
  "tasks of an editor": writes("mkdir -p .vscode; echo '{}' > .vscode/tasks.json", "project/.vscode/tasks.json"),
  "servers of an agent": { script: "echo '{}' > .mcp.json && test -f .mcp.json && echo LEAK" },
  "the environment of a directory": { script: "echo evil > .envrc && test -f .envrc && echo LEAK" },
  "hooks of husky": writes("mkdir -p .husky; echo evil > .husky/pre-commit", "project/.husky/pre-commit"),
  "what opencode loads": writes("mkdir -p .opencode; echo '{}' > .opencode/plugin.js", "project/.opencode/plugin.js"),
};

/** Below the home directory. */
export const credentialFiles: readonly string[] = (
  ".netrc .git-credentials .npmrc .kube/config .gnupg/key .config/gh/hosts.yml .config/gcloud/credentials.db " +
  ".docker/config.json .bash_history .pgpass"
).split(" ");

const readWays: Readonly<Record<string, SandboxWay>> = {
  "read a key": { script: 'grep -q SECRET "$HOME/.ssh/id" && echo LEAK' },
  "copy credentials": { script: 'cp -r "$HOME/.aws" aws && grep -rq SECRET aws && echo LEAK' },
  ...Object.fromEntries(
    credentialFiles.map((name) => [`read ~/${name}`, { script: `grep -q SECRET "$HOME/${name}" && echo LEAK` }]),
  ),
  "read a key through /proc": { script: 'grep -q SECRET "/proc/self/root$HOME/.ssh/id" && echo LEAK' },
  "read a key through a link": { script: 'ln -s "$HOME/.ssh/id" key; grep -q SECRET key && echo LEAK' },
  "list the data directory": { script: 'ls -A "$DATA" | grep -qvx -e run -e sessions && echo LEAK' },
  "list other sessions": { script: 'ls -A "$DATA/sessions" | grep -q "$OTHER" && echo LEAK' },
  "list the directory of the session": { script: 'ls -A "$DATA"/sessions/* | grep -qvx files && echo LEAK' },
  "write to the files of the session": { script: '(cd "$DATA"/sessions/*/files && touch x && echo LEAK)' },
  "read a file of the data directory": { script: 'grep -q SECRET "$DATA/secret" && echo LEAK' },
  "find a journal": { script: 'find "$DATA" -name "meta.json" | grep -q . && echo LEAK' },
  "read a file in /tmp": { script: 'grep -q SECRET "$TEMPORARY" && echo LEAK' },
  "the shared memory of other programs": { script: 'grep -q SECRET "$SHARED" && echo LEAK' },
  "a disk as a device": {
    script: 'for d in /dev/sd* /dev/vd* /dev/nvme* /dev/mem /dev/kvm; do [ -e "$d" ] && echo LEAK; done',
    worksOutside: false,
  },
  "the environment of a process": { script: "tr '\\0' '\\n' < /proc/$VICTIM/environ | grep -q SECRET && echo LEAK" },
  "the environment of any process": { script: "grep -l VICTIM-SECRET /proc/[0-9]*/environ | grep -q . && echo LEAK" },
  "the memory of a process": {
    script: python(`
import os
pid = os.environ["VICTIM"]
with open(f"/proc/{pid}/mem", "rb") as memory: print("LE" + "AK")`),
  },
  "the passwords of the system": { script: "grep -q '^root:' /etc/shadow && echo LEAK", worksOutside: false },
};

const socketWays: Readonly<Record<string, SandboxWay>> = {
  "the daemon's socket": { script: unixConnect("$DATA/run/daemon.sock"), worksOutside: false },
  "the host's socket": {
    script: `for s in "$RUN"/host-*.sock; do ${unixConnect("$s")}; done`,
    worksOutside: false,
  },
  "a control socket in the home": { script: unixConnect("$HOME/.docker/run/docker.sock") },
  "a control socket elsewhere": { script: unixConnect("$PLACE/control.sock") },
  "a control socket in the working directory": { script: unixConnect("$PROJECT/control.sock") },
  "a socket in /tmp": { script: unixConnect("$TEMPORARY.sock") },
  "a tmux server": { script: 'tmux -S "$PLACE/tmux.sock" ls | grep -q . && echo LEAK' },
  "an abstract socket": {
    script: `$P -c 'import socket,os; s=socket.socket(socket.AF_UNIX); s.connect("\\0"+os.environ["ABSTRACT"]); print("LE"+"AK")'`,
  },
  "a port of this machine": {
    script: `$P -c 'import socket,os; socket.create_connection(("127.0.0.1",int(os.environ["TCP"])),3); print("LE"+"AK")'`,
  },
  "a datagram": {
    script: `$P -c 'import socket,os; s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); s.settimeout(15); s.connect(("127.0.0.1",int(os.environ["UDP"]))); s.send(b"x"); print("LE"+"AK" if s.recv(9)==b"pong" else "")'`,
  },
  "a raw socket": {
    script: `$P -c 'import socket; socket.socket(socket.AF_INET,socket.SOCK_RAW,1); print("LE"+"AK")'`,
    worksOutside: false,
  },
  "a packet socket": {
    script: `$P -c 'import socket; socket.socket(socket.AF_PACKET,socket.SOCK_RAW,3); print("LE"+"AK")'`,
    worksOutside: false,
  },
  "a socket to the virtual machine's host": {
    script: `$P -c 'import socket; socket.socket(socket.AF_VSOCK); print("LE"+"AK")'`,
    worksOutside: false,
  },
};

const call = (number: string, ...words: string[]): string =>
  python(`
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
result = libc.syscall(${[number, ...words].join(", ")})
print("LE" + "AK" if result >= 0 else os.strerror(ctypes.get_errno()))`);
const number = (x64: number, arm64: number): string => `(${x64} if os.uname().machine == "x86_64" else ${arm64})`;

const processWays: Readonly<Record<string, SandboxWay>> = {
  "a signal to a process": { script: "kill -0 $VICTIM && echo LEAK" },
  "a signal to the host": { script: "kill -9 $HOST && echo LEAK", worksOutside: false },
  "a signal through a descriptor of a process": { script: call(number(434, 434), 'int(os.environ["VICTIM"])', "0") },
  "a debugger": { script: call(number(101, 117), "16", 'int(os.environ["VICTIM"])', "0", "0"), worksOutside: false },
  "a namespace of another process": { script: "nsenter -t $VICTIM -m true && echo LEAK", worksOutside: false },
  "a namespace of the first process": { script: "nsenter -t 1 -a true && echo LEAK", worksOutside: false },
  "a user namespace": { script: "unshare -Ur true && echo LEAK", worksOutside: false },
  "a mount namespace": { script: "unshare -m true && echo LEAK", worksOutside: false },
  "another bubblewrap": { script: "bwrap --bind / / true && echo LEAK", worksOutside: false },
  "a mount": { script: "mount -t tmpfs none /mnt && echo LEAK", worksOutside: false },
  "a writable root": { script: "mount -o remount,rw / && echo LEAK", worksOutside: false },
  "what lies under a mount": { script: 'umount "$PROJECT/.git/hooks" && echo LEAK', worksOutside: false },
  "another root": { script: "chroot / true && echo LEAK", worksOutside: false },
  "the new mount calls": { script: call(number(428, 428), "-100", 'b"/"', "1"), worksOutside: false },
  "keys of the kernel": { script: call(number(250, 219), "0", "-4", "0"), worksOutside: false },
  "a program in the kernel": { script: call(number(321, 280), "0", "0", "0"), worksOutside: false },
  "a file by its handle": { script: call(number(304, 265), "-100", "0", "0"), worksOutside: false },
  "what a crash runs": {
    script: "echo '|/bin/false' > /proc/sys/kernel/core_pattern && echo LEAK",
    worksOutside: false,
  },
  "a control group": { script: "mkdir /sys/fs/cgroup/lectern-way && echo LEAK", worksOutside: false },
  "a device": { script: "mknod disk b 8 0 && echo LEAK", worksOutside: false },
  "the terminal of another program": {
    script: 'for t in /dev/pts/[0-9]*; do [ "$t" = "$VICTIM_TERMINAL" ] && echo x > "$t" && echo LEAK; done',
    worksOutside: false,
  },
  "typing into its own terminal": {
    script: python(`
import fcntl
with open("/dev/tty", "rb") as tty: fcntl.ioctl(tty, 0x5412, b" "); print("LE" + "AK")`),
    worksOutside: false,
  },
  "typing by a request of 64 bits": {
    script: python(`
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
tty = os.open("/dev/tty", os.O_RDWR)
number = 16 if os.uname().machine == "x86_64" else 29
print("LE" + "AK" if libc.syscall(ctypes.c_long(number), ctypes.c_long(tty), ctypes.c_ulong(0x100005412), b" ") == 0 else "no")`),
    worksOutside: false,
  },
  "typing by a system call of x32": {
    script: python(`
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
tty = os.open("/dev/tty", os.O_RDWR)
print("LE" + "AK" if libc.syscall(ctypes.c_long(0x40000000 + 514), ctypes.c_long(tty), ctypes.c_ulong(0x5412), b" ") == 0 else "no")`),
    worksOutside: false,
  },
  "the console's paste": {
    script: python(`
import fcntl
with open("/dev/tty", "rb") as tty: fcntl.ioctl(tty, 0x541c, b"\\x03"); print("LE" + "AK")`),
    worksOutside: false,
  },
  sudo: { script: "sudo -n true && echo LEAK", worksOutside: false },
};

const laterWays: Readonly<Record<string, SandboxWay>> = {
  "a job that outlives its shell": writes("nohup sh -c 'echo x > FILE' > /dev/null 2>&1 & wait", "made/20"),
  "a double fork in a kernel session of its own without an environment": writes(
    `(env -i PATH="$PATH" setsid sh -c 'sh -c "echo x > FILE; echo x > tried" &' &); until [ -e tried ]; do sleep 0.02; done`,
    "made/21",
    false,
  ),
  "a job of cron": { script: "echo '* * * * * touch /tmp/x' | crontab - && echo LEAK", worksOutside: false },
  "a file of cron": {
    script: "echo '* * * * * root true' > /etc/cron.d/lectern-way && echo LEAK",
    worksOutside: false,
  },
  "a job of at": { script: "echo true | at now && echo LEAK", worksOutside: false },
  "a unit of systemd": { script: "systemd-run --user true && echo LEAK", worksOutside: false },
  "a message to the system's bus": {
    script: unixConnect("/run/dbus/system_bus_socket"),
    worksOutside: false,
  },
  "a container": { script: unixConnect("/run/docker.sock"), worksOutside: false },
};

const lecternWays: Readonly<Record<string, SandboxWay>> = {
  "lectern approve": { script: "$L approve other q1 && echo LEAK", worksOutside: false },
  "lectern token": { script: "$L token create && echo LEAK", worksOutside: false },
  "lectern down": { script: "$L down --programs && echo LEAK", worksOutside: false },
  "lectern send": { script: '$L send other "touch $PLACE/made/30" --enter && echo LEAK', worksOutside: false },
  "lectern run": { script: '$L run -d -- touch "$PLACE/made/31" && echo LEAK', worksOutside: false },
  "lectern as if there were no sandbox": {
    script: "env -u LECTERN_SANDBOX $L ls | grep other && echo LEAK",
    worksOutside: false,
  },
  "an event of another session": {
    script: "env LECTERN_SESSION=$OTHER $L emit STOLEN && echo LEAK",
    worksOutside: false,
  },
};

export const sandboxWays: Readonly<Record<string, SandboxWay>> = {
  ...fileWays,
  ...readWays,
  ...socketWays,
  ...processWays,
  ...laterWays,
  ...lecternWays,
};

/** A script that tries them all and writes what each one prints into `results/NUMBER`. */
export function waysScript(ways: readonly SandboxWay[]): string {
  const tries = ways.map(
    ({ script }, index) => `cat > "$TRY" <<'END-OF-WAY'\n${script}\nEND-OF-WAY
timeout --foreground -k 1 20 bash "$TRY" > "results/${index}" 2>&1 < /dev/null`,
  );
  return `set +e\nTRY=$PROJECT/try.sh\nmkdir results\n${tries.join("\n")}\necho finished\n`;
}
