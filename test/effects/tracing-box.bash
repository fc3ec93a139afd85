# Runs each text of /texts under strace, with the same tree of canaries, and leaves its trace in /traces. See tracing-box.ts.
# It is process 1, so no text can end it.
set +m
ulimit -c 0
shopt -s nullglob dotglob
export HOME=/users/me USER=me LANG=C.UTF-8 SSH_AUTH_SOCK=/users/me/.ssh/agent.sock
export GIT_CONFIG_NOSYSTEM=1
# npm keeps a log of each run in the home directory, and waits for a network that is not there.
export npm_config_logs_max=0 npm_config_update_notifier=false npm_config_cache=/tmp/npm npm_config_fetch_retries=0

# In the trace of a text that changed nothing there is none of these.
changes='O_(WRONLY|RDWR)[^=]*= [0-9]+<(/users|/tmp)|(mkdir|rmdir|unlink|rename|link|symlink|mknod|chmod|chown|truncate|setxattr|utime|utimes|futimes)(at2?)?\('

trace='mkdir('
for file in /texts/*; do
  number=${file##*/}
  if [[ $trace =~ $changes ]]; then
    rm -rf /users/* /tmp/* && cp -a /template/. /users/ || { echo "broken $number"; exit 1; }
  fi
  IFS= read -r -d '' text <"$file"
  (
    cd /users/me/project || exit
    # The size is that of the trace too; a text that reads what it appends ends by it, and others by their processor time.
    ulimit -t 2 -f 4000 -v 4000000
    exec timeout -s KILL "$TEXT_SECONDS_MAX" strace -f -y -s 4096 --seccomp-bpf --quiet=attach,personality \
      -e "trace=$TRACED_CALLS" -o "/traces/$number" /bin/bash --noprofile --norc -c "$text"
  ) </dev/null >/dev/null 2>"/traces/$number.err"
  # What a late text leaves running.
  kill -9 -- -1 2>/dev/null
  IFS= read -r -d '' trace <"/traces/$number"
done
echo end
times >&2
