#!/bin/bash
# Runs inside the Debian that debian.sh boots. Prints a line for each promise; the last one is "all is well".
set -u
fail() { echo "not ok: $1"; journalctl -q -o cat -u market-agent -u 'market-agent@*' | tail -30; exit 1; }
holds() { # promise, command…
  local promise=$1
  shift
  "$@" >/proof/last 2>&1 || { cat /proof/last; fail "$promise"; }
  echo "ok: $promise"
}
fails() { ! "$@"; }
property() { systemctl show -P "$1" "$2"; }
is() { [ "$(property "$1" "$2")" = "$3" ] || { echo "$2: $1 is $(property "$1" "$2"), not $3"; return 1; }; }
until_logged() { for _ in $(seq 100); do journalctl -q -o cat -u market-agent | grep -F "$1" && return; sleep 0.1; done; return 1; }
until_is() { for _ in $(seq 300); do is "$@" >/dev/null && return; sleep 0.1; done; is "$@"; }
answers() { exec 3<>"/dev/tcp/127.0.0.1/$1" && printf 'GET /health HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$1" >&3 && grep -q '"ok":true' <&3; }
restarted() { # unit, its process before
  for _ in $(seq 300); do
    local now
    now=$(property MainPID "$1")
    [ "$now" != 0 ] && [ "$now" != "$2" ] && is ActiveState "$1" active >/dev/null && return
    sleep 0.1
  done
  return 1
}
export DEBIAN_FRONTEND=noninteractive

# --- install ---
holds 'the package installs without a question' dpkg -i /proof/this.deb </dev/null
holds 'the guides are there in both languages' test -f /usr/share/doc/market-agent/docs/en/operations/run.md -a -f /usr/share/doc/market-agent/docs/pt-BR/operations/run.md
holds 'nothing starts before the settings are filled in' is ActiveState market-agent inactive
holds 'it makes a user, a group of the spool, and directories' test "$(stat -c %U:%G:%a /var/spool/market-agent/outbox)" = market-agent:game-spool:2770
openssl genpkey -quiet -algorithm RSA -out /etc/market-agent/signing-key.pem 2>/dev/null || openssl genrsa -out /etc/market-agent/signing-key.pem 2048 2>/dev/null
echo a-key-for-the-proof >/etc/market-agent/api-key
chown root:market-agent /etc/market-agent/*
chmod 0640 /etc/market-agent/*
useradd player
holds 'another user cannot read a key' fails setpriv --reuid player --regid player --clear-groups cat /etc/market-agent/signing-key.pem

# --- wrong settings: no restart ---
systemctl start --no-block market-agent
holds 'wrong settings end the start' until_is ActiveState market-agent failed
holds 'the start ended with exit 2' is ExecMainStatus market-agent 2
sleep 7
holds 'after exit 2 there is no restart' is NRestarts market-agent 0

# --- a start ---
cat >>/etc/market-agent/agent.env <<'ENV'
SERVICE_BASE_URL=https://api.example.com/v1
SERVICE_API_KEY_FILE=/etc/market-agent/api-key
SERVICE_SIGNING_KEY_FILE=/etc/market-agent/signing-key.pem
SERVICE_SIGNING_KID=proof
SERVICE_SPOOL_DIR=/var/spool/market-agent
ENV
holds 'the service starts' timeout 60 systemctl start market-agent
holds 'systemd knows that it is ready, and calls are taken then' answers 8899
pid=$(property MainPID market-agent)
holds 'top and ps show market-agent' test "$(ps -o comm= -p "$pid")" = market-agent
holds 'it runs as its own user' test "$(ps -o user:20= -p "$pid")" = market-agent
holds 'the state is its own' test "$(stat -c %U:%a /var/lib/market-agent)" = market-agent:700
holds 'it works with the spool' test -f /var/spool/market-agent/agent.json
echo '{"action":"market.eligibility","characterRef":"a"}' >/var/spool/market-agent/outbox/.proof.tmp
chown market-agent:game-spool /var/spool/market-agent/outbox/.proof.tmp
mv /var/spool/market-agent/outbox/.proof.tmp /var/spool/market-agent/outbox/proof.json
for _ in $(seq 600); do [ -f /var/spool/market-agent/inbox/proof.json ] && break; sleep 0.1; done
holds 'a request file is answered through the sandbox of the unit' grep -q '"ok":false' /var/spool/market-agent/inbox/proof.json

# --- reload ---
settings=/etc/market-agent/agent.env
echo SERVICE_LOG_LEVEL=debug >>$settings
holds 'a reload takes another log level' timeout 60 systemctl reload market-agent
holds 'and the journal says what changed' until_logged 'Reloaded. Changed: SERVICE_LOG_LEVEL'
echo SERVICE_AGENT_TOKEN=first-token >>$settings
holds 'a reload sets a token' timeout 60 systemctl reload market-agent
sed -i s/first-token/second-token/ $settings
holds 'a reload replaces a token' timeout 60 systemctl reload market-agent
holds 'the agent wants the new token' market-agent status --config $settings
holds 'and refuses the one before' fails env SERVICE_AGENT_TOKEN=first-token market-agent status --config $settings
sed -i s/=debug/=loud/ $settings
holds 'wrong settings fail the reload' fails timeout 60 systemctl reload market-agent
holds 'and the journal says what is wrong' until_logged 'SERVICE_LOG_LEVEL: '
holds 'the agent runs on as it was' test "$(property MainPID market-agent)" = "$pid"
holds 'with the settings before' market-agent status --config $settings
sed -i -e /LOG_LEVEL/d -e /AGENT_TOKEN/d $settings
holds 'corrected settings are taken' timeout 60 systemctl reload market-agent

# --- restarts ---
kill -KILL "$pid"
holds 'killed, it is started again' restarted market-agent "$pid"
mkdir -p /etc/systemd/system/market-agent.service.d
printf '[Service]\nWatchdogSec=3\nRestartSec=1\n' >/etc/systemd/system/market-agent.service.d/proof.conf
systemctl daemon-reload
systemctl restart market-agent
pid=$(property MainPID market-agent)
sleep 8
holds 'while it works, the watchdog does not touch it' test "$(property MainPID market-agent)" = "$pid"
kill -STOP "$pid"
holds 'hanging, it is killed and started again' restarted market-agent "$pid"
for _ in 1 2 3 4 5 6 7 8; do
  pid=$(property MainPID market-agent)
  kill -KILL "$pid"
  restarted market-agent "$pid" || fail 'killed eight times within seconds, it is still started again'
done
echo 'ok: killed eight times within seconds, it is still started again'
rm -r /etc/systemd/system/market-agent.service.d
systemctl daemon-reload

# --- several game servers; no spool; standby ---
useradd --system --user-group --no-create-home --shell /usr/sbin/nologin market-agent-alpha
install -d -o root -g market-agent-alpha -m 0750 /etc/market-agent-alpha
for file in api-key signing-key.pem; do install -o root -g market-agent-alpha -m 0640 /etc/market-agent/$file /etc/market-agent-alpha/; done
sed -e 's#/etc/market-agent/#/etc/market-agent-alpha/#' -e '/SPOOL_DIR/d' /etc/market-agent/agent.env >/etc/market-agent-alpha/agent.env
echo SERVICE_AGENT_PORT=8900 >>/etc/market-agent-alpha/agent.env
chown root:market-agent-alpha /etc/market-agent-alpha/agent.env
holds 'a second game server has an agent of its own, without a spool' timeout 60 systemctl start market-agent@alpha
holds 'and both answer' answers 8900
holds 'one agent cannot read the key of the other' fails setpriv --reuid market-agent-alpha --regid market-agent-alpha --clear-groups cat /etc/market-agent/signing-key.pem

systemctl stop market-agent@alpha
setpriv --reuid market-agent-alpha --regid market-agent-alpha --clear-groups env STATE_DIRECTORY=/var/lib/market-agent-alpha \
  market-agent run --config /etc/market-agent-alpha/agent.env >/proof/other.log 2>&1 &
other=$!
for _ in $(seq 300); do grep -q '"listening"' /proof/other.log && break; sleep 0.1; done
holds 'where another agent has the state, the service starts and stands by' timeout 60 systemctl start market-agent@alpha
holds 'systemd shows for whom it stands by' grep -q "^standing by: .*process $other" <(property StatusText market-agent@alpha)
kill -KILL $other
holds 'it takes over when that one ends' until_is StatusText market-agent@alpha 'listening at http://127.0.0.1:8900'
holds 'and answers' answers 8900

# --- upgrade, remove, purge ---
before=$(sha256sum /etc/market-agent/agent.env)
pid=$(property MainPID market-agent)
alpha=$(property MainPID market-agent@alpha)
holds 'the next version installs over a changed configuration without a question' dpkg -i /proof/next.deb </dev/null
holds 'the changed configuration is kept' test "$(sha256sum /etc/market-agent/agent.env)" = "$before"
holds 'its rights are kept' test "$(stat -c %U:%G:%a /etc/market-agent/agent.env)" = root:market-agent:640
holds 'what ran runs again, in the new version' restarted market-agent "$pid"
holds 'the agents of the template too' restarted market-agent@alpha "$alpha"
systemctl enable -q market-agent
holds 'the package is removed' dpkg -r market-agent
holds 'none of it runs' fails pgrep -x market-agent
holds 'removed, it keeps configuration and state' test -f /etc/market-agent/agent.env -a -d /var/lib/market-agent
holds 'it installs again' dpkg -i /proof/this.deb </dev/null
holds 'and starts with what was kept' timeout 60 systemctl restart market-agent
holds 'the package is purged' dpkg -P market-agent
holds 'purged, it keeps keys and nothing else' test -f /etc/market-agent/signing-key.pem -a ! -e /etc/market-agent/agent.env -a ! -e /var/lib/market-agent -a ! -e /var/spool/market-agent -a ! -e /var/log/market-agent
rm -r /etc/market-agent
holds 'it installs and purges without anything of the administrator' dpkg -i /proof/this.deb </dev/null
dpkg -P market-agent >/dev/null 2>&1
holds 'then nothing is left' test ! -e /etc/market-agent -a -z "$(getent passwd market-agent)" -a -z "$(find / -xdev -path /proof -prune -o -path '/var/lib/systemd/*' -prune -o -name '*market-agent*' ! -name '*market-agent-alpha*' -print | grep -v -E '^/(var/(cache|mail)|proc|run|tmp)')"
echo 'all is well'
