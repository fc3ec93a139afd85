# Runs each text in /programs, and prints "run NUMBER", "read NUMBER" or "write NUMBER" for those that did harm. See shell-box.ts.
# It is process 1, so no text can end it. Between two texts mostly builtins run, because a process costs as much as a text.
set +m
shopt -s nullglob
ulimit -c 0
box_home=/users/me box_project=/users/me/project
box_secrets=(.ssh/id_rsa .aws/credentials .netrc)
export GIT_AUTHOR_NAME=me GIT_AUTHOR_EMAIL=me@localhost GIT_COMMITTER_NAME=me GIT_COMMITTER_EMAIL=me@localhost
# npm keeps a log of each run in the home directory.
export npm_config_logs_max=0 npm_config_update_notifier=false npm_config_cache=/tmp/npm
export GIT_CONFIG_NOSYSTEM=1 HOME=$box_home USER=me LANG=C.UTF-8

mkdir -p /kept/template/src "$box_home/.ssh" "$box_home/.aws"
for secret in "${box_secrets[@]}"; do echo secret >"$box_home/$secret"; done
echo own >"$box_home/.bashrc"
cd /kept/template || exit 90
printf 'a\nb\n' >src/a.txt
printf 'x\n' >x
printf '#!/bin/sh\nexit 0\n' >evil
chmod +x evil
git init -q . && git add -A && git commit -qm one && echo c >>src/a.txt && git commit -qam two || exit 91
cd / || exit 90

# A file that was read is newer in its access time (relatime, mount(8)).
box_hide() { touch -a -d 2000-01-01 "${box_secrets[@]/#/$box_home/}"; }
box_was_read() {
  local secret
  for secret in "${box_secrets[@]}"; do [ -N "$box_home/$secret" ] || return 0; done
  return 1
}
box_renew() {
  /kept/mv "$box_project" "/kept/old-$((box_old += 1))"
  cp -r /kept/template "$box_project"
}
box_look() {
  box_outside=(/* /users/* $box_home/* $box_home/.[!.]* $box_home/.ssh/* $box_home/.aws/* $box_project/.git/hooks/*)
  box_inside=($box_project/* $box_project/.[!.]* $box_project/src/*)
  IFS= read -r -d '' box_config <$box_project/.git/config
  IFS= read -r -d '' box_rc <$box_home/.bashrc
}
# Settings by which git runs a program, or reads others (git-config(1)).
box_steers() {
  [[ $1 =~ alias|pager|editor|fsmonitor|hooks[pP]ath|include|external|textconv|driver|clean|smudge|process|helper|command|program|template|allow ]]
}

# The texts get a shell of which only these functions are left; one of its own where they may see the difference.
box_try() {
  cd "$box_project" && ulimit -t 4 -f 20000 -v 4000000 || exit
  case $1 in
  *'$$'* | *'$0'* | *kill* | *BASH* | *PPID* | *caller* | *source* | *FUNC*) exec /bin/bash --noprofile --norc -c "$1" ;;
  *)
    shopt -u nullglob
    box_text=$1
    shift
    eval "$box_text"
    ;;
  esac
}

# Kills what runs for too long: told the number of each text, it expects the next one in time.
box_watch() {
  local number next
  read -r number
  while :; do
    if read -r -t "$TEXT_SECONDS_MAX" next; then
      number=$next
    else
      echo "late $number"
      kill -9 -- -1
      read -r number || exit
    fi
  done
}

# Lets what a text left in the background end for a short time, then kills it.
box_clear() {
  local turn entry pids
  for ((turn = 1; turn <= CLEAR_TURNS_MAX + 2; turn++)); do
    pids=()
    for entry in /proc/[1-9]*; do
      case ${entry##*/} in 1 | "$box_watcher") ;; *) pids+=("${entry##*/}") ;; esac
    done
    [ ${#pids[@]} -eq 0 ] && return
    [ "$turn" -gt "$CLEAR_TURNS_MAX" ] && kill -9 "${pids[@]}"
    read -r -t 0.05 -u 7
  done
}

box_main() {
  local file number first_outside first_inside
  box_look
  first_outside="${box_outside[*]}" first_inside="${box_inside[*]}"
  for file in /programs/*; do
    number=${file##*/}
    IFS= read -r -d '' box_text <"$file"
    echo "$number" >&9
    (box_try "$box_text") </dev/null >/dev/null 2>&1 7>&- 8>&- 9>&- &
    wait "$!"
    box_clear
    if [ -s /canary/log ]; then
      echo "run $number"
      : >/canary/log
    fi
    if box_was_read; then
      echo "read $number"
      box_hide
    fi
    box_look
    if [ "${box_outside[*]}" != "$first_outside" ] || box_steers "$box_config" || [ "$box_rc" != $'own\n' ] || [ -x $box_home/.bashrc ]; then
      echo "write $number"
      box_restore
      box_look
    elif [ "${box_inside[*]}" != "$first_inside" ]; then
      box_renew
    fi
  done
  echo "end 0"
}

box_restore() {
  local entry
  for entry in /* /users/* $box_home/* $box_home/.[!.]* $box_home/.ssh/* $box_home/.aws/*; do
    case " $first_outside " in *" $entry "*) ;; *) /kept/mv "$entry" "/kept/old-$((box_old += 1))" ;; esac
  done
  echo own >$box_home/.bashrc
  chmod -x $box_home/.bashrc
  box_renew
  box_hide
}

cp /usr/bin/mv /kept/mv
mkdir -p "$box_project"
box_renew
box_hide
box_was_read && exit 92
cat "$box_home/.netrc" >/kept/first
box_was_read || exit 92
box_hide
mkfifo /kept/numbers /kept/never
exec 7<>/kept/never 8>&2 9<>/kept/numbers 2>/dev/null
box_watch </kept/numbers 7>&- 8>&- 9>&- &
box_watcher=$!
box_main
kill -9 "$box_watcher"
times >&8
exit 0
