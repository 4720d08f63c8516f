#!/usr/bin/env bash
# `npm run test:arm64`: builds the Linux arm64 executables and runs the end-to-end tests with them on x64, under
# qemu-user. As root on Debian or Ubuntu; installs what it needs from there. Not part of `npm test`. Some minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."

packages=(qemu-user binutils-aarch64-linux-gnu libc6-arm64-cross libstdc++6-arm64-cross libatomic1-arm64-cross libgcc-s1-arm64-cross)
if ! dpkg --status "${packages[@]}" >/dev/null 2>&1; then
  echo "Installing ${packages[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi

npm run -s build                # the host's: some of the tests start both
npm run -s build -- linux-arm64
dir=$PWD/dist/linux-arm64
mkdir -p "$dir/emulated"
for program in market-agent platform-stub; do
  cat >"$dir/emulated/$program" <<SCRIPT
#!/bin/sh
exec qemu-aarch64 -L /usr/aarch64-linux-gnu $dir/$program "\$@"
SCRIPT
  chmod +x "$dir/emulated/$program"
  echo "$program $("$dir/emulated/$program" --version)"
done

# Whole commands under emulation take seconds where they take a tenth of one otherwise.
MARKET_AGENT_BINARIES=$dir/emulated npx vitest run test/end-to-end --maxWorkers=1 --testTimeout=300000 \
  --testNamePattern='single file' "$@"
