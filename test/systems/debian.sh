#!/usr/bin/env bash
# `npm run test:debian`: installs, starts, upgrades, removes and purges the Debian package in a Debian of its own, which
# systemd-nspawn boots, and tests the promises of the systemd units. As root on Debian or Ubuntu; installs what it
# needs from there. Not part of `npm test`. Some ten minutes; the package is built unless DEB names one.
set -euo pipefail
cd "$(dirname "$0")/../.."

need() { # program package
  command -v "$1" >/dev/null || { echo "Installing $2"; apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2" >/dev/null; }
}
need systemd-analyze systemd
need systemd-nspawn systemd-container
need debootstrap debootstrap
need script bsdutils

work=$(mktemp -d /var/tmp/market-agent-debian.XXXXXX)
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root

if [ -z "${DEB:-}" ]; then
  npm run -s deb -- "$(dpkg --print-architecture)"
  DEB=$(ls -t dist/deb/*_"$(dpkg --print-architecture)".deb | head -1)
fi
echo "Package: $DEB"

# The next version, with an executable that is the same: what counts is what dpkg and the maintainer scripts do.
dpkg-deb --raw-extract "$DEB" "$work/next"
sed -i 's/^Version: .*/Version: 99.0.0/' "$work/next/DEBIAN/control"
dpkg-deb --root-owner-group -Znone --build "$work/next" "$work/next.deb" >/dev/null

echo 'Units: systemd-analyze'
install -D -m 0755 "$work/next/usr/bin/market-agent" "$work/units/usr/bin/market-agent"
mkdir -p "$work/verify"
for unit in market-agent.service market-agent@.service; do
  # The executable lies in the package, not on this host.
  sed "s#^\(Exec[A-Za-z]*=-*\)/usr/bin#\1$work/units/usr/bin#" "$work/next/usr/lib/systemd/system/$unit" >"$work/verify/$unit"
  complaints=$(systemd-analyze verify "$work/verify/$unit" 2>&1) || { echo "$complaints"; exit 1; }
  [ -z "$complaints" ] || { echo "not ok: $unit: $complaints"; exit 1; }
  exposure=$(systemd-analyze security --offline=true "$work/verify/$unit" | sed -n 's/.*exposure level for .*: \([0-9.]*\) .*/\1/p')
  awk -v value="$exposure" 'BEGIN { exit !(value != "" && value < 2.0) }' || { echo "not ok: $unit has an exposure of $exposure"; exit 1; }
  echo "ok: systemd accepts $unit; exposure $exposure"
done
rm -rf "$work/next" "$work/units"

echo 'Debian: debootstrap, a minute or two'
if [ -d "${DEBIAN_ROOT:-}" ]; then
  cp -a "$DEBIAN_ROOT" "$root" # a folder that debootstrap made before
else
  debootstrap --variant=minbase --include=systemd,systemd-sysv,libatomic1,libstdc++6,procps,openssl "${SUITE:-bookworm}" "$root" >"$work/debootstrap.log" 2>&1 ||
    { tail -20 "$work/debootstrap.log"; exit 1; }
fi
mkdir "$root/proof"
cp "$DEB" "$root/proof/this.deb"
cp "$work/next.deb" "$root/proof/next.deb"
install -m 0755 test/systems/debian-inside.sh "$root/proof/inside.sh"
cat >"$root/etc/systemd/system/proof.service" <<'UNIT'
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/proof/inside.sh
StandardOutput=append:/proof/log
StandardError=append:/proof/log
ExecStopPost=/bin/sh -c 'systemctl --no-block poweroff 2>/dev/null'
[Install]
WantedBy=graphical.target
UNIT
systemctl --root="$root" enable -q proof.service
ln -sf /lib/systemd/system/graphical.target "$root/etc/systemd/system/default.target"
# Debian's presets are not applied: networkd would wait for a network that the container does not have.
systemd-machine-id-setup --root="$root" >/dev/null 2>&1

echo 'Debian: systemd-nspawn boots it, a minute or two'
# With a terminal of its own: without one systemd in the container waits for it.
timeout -s KILL 400 script -qfec "systemd-nspawn -D '$root' --register=no --keep-unit --private-network --boot" "$work/boot.log" >/dev/null 2>&1 </dev/null || true
if [ ! -s "$root/proof/log" ]; then
  echo 'not ok: the container did not run the proof. The end of its console:'
  tail -30 "$work/boot.log"
  exit 1
fi
cat "$root/proof/log"
grep -q '^all is well$' "$root/proof/log"
