/** What differs between hosts. */
export interface SystemdUnitOptions {
  /** Absolute path of the executable. */
  readonly executable: string
  /** One unit for several game servers, `market-agent@.service`: `%i` stands for the name of one. */
  readonly isTemplate: boolean
  readonly configFile: string
  readonly spoolDir: string
}

/** Exit code 2: wrong settings, a port that is taken. A restart does not change that. */
const exitCodeOfUsage = 2

/** Name of the user, the group and every directory. Not one directory in the other: its owner could close it. */
const nameOf = (isTemplate: boolean) => (isTemplate ? 'market-agent-%i' : 'market-agent')

/** Where things are for one game server, or for each of several. */
export function usualUnitOptions(isTemplate: boolean): SystemdUnitOptions {
  const name = nameOf(isTemplate)
  return {
    executable: '/usr/bin/market-agent',
    isTemplate,
    configFile: `/etc/${name}/agent.env`,
    spoolDir: `/var/spool/${name}`,
  }
}

/** A unit file for systemd 252 and newer. The comments in it are for the administrator who reads it on the host. */
export function systemdUnit({ executable, isTemplate, configFile, spoolDir }: SystemdUnitOptions): string {
  const name = nameOf(isTemplate)
  return `# ${isTemplate ? 'market-agent@.service: one agent for each game server, market-agent@NAME' : 'market-agent.service'}
# Made by \`market-agent service systemd${isTemplate ? ' --template' : ''}\`. Users, groups and directories: docs/en/operations/install-linux.md
[Unit]
Description=Marketplace agent of the game server${isTemplate ? ' %i' : ''}
# Not network-online.target: the agent starts without the platform, and calls find it again later.
After=network.target
# Restarts without a limit.
StartLimitIntervalSec=0

[Service]
User=${name}
Group=${name}
# What is wrong on this host, a line each, in the journal. It stops nothing: the agent itself ends with exit ${exitCodeOfUsage}
# where it cannot start, and then there is no restart. A failure here would be tried again for ever.
ExecStartPre=-${quoted(executable)} check --offline --config ${quoted(configFile)}
ExecStart=${quoted(executable)} run --standby --config ${quoted(configFile)}
# \`systemctl reload\` takes new keys, token and log level without losing a call, or fails and prints why. The signal is for
# an agent in standby: it takes no calls, so the command reached the other one.
ExecReload=${quoted(executable)} reload --config ${quoted(configFile)}
ExecReload=/bin/kill -HUP $MAINPID

# Ready when calls are taken, or when another agent takes them and this one is in standby: \`systemctl status\` says which.
Type=notify
NotifyAccess=all
# The agent reports that its event loop and its journal answer. When it does not, it is killed and started again.
WatchdogSec=60
WatchdogSignal=SIGKILL

Restart=always
RestartSec=5
# ${exitCodeOfUsage}: the settings are wrong, the port is taken, a directory cannot be used. The log says which; a restart does not change it.
RestartPreventExitStatus=${exitCodeOfUsage}
# The agent ends within 10 s.
TimeoutStopSec=15
KillMode=mixed

# What is remembered, and SERVICE_LOG_FILE if you set it. Only the agent's user reads them.
StateDirectory=${name}
StateDirectoryMode=0700
LogsDirectory=${name}
LogsDirectoryMode=0750
# SERVICE_SPOOL_DIR. The hyphen: no failure where there is no spool.
ReadWritePaths=-${spoolDir}
# Files of mode 0640: only the group of the spool reads answers.
UMask=0027

# The agent needs the network, its own directories and nothing else.
CapabilityBoundingSet=
AmbientCapabilities=
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProcSubset=pid
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
DevicePolicy=closed
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
# Not MemoryDenyWriteExecute: the JavaScript engine writes machine code.

[Install]
WantedBy=multi-user.target
`
}

/** A word of a command line in a unit. `%i` stays: it is systemd's. */
function quoted(word: string): string {
  return /^[\w./%@:+-]+$/.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&').replaceAll('$', '$$$$')}"`
}
