/** What differs between hosts. */
export interface WindowsServiceOptions {
  /** Name of the service. With several game servers on one host each has its own. */
  readonly name: string
}

/**
 * A PowerShell script that installs the service through Shawl, a maintained wrapper that knows exit codes and stops a
 * program with Ctrl+C. The comments in it are for the administrator who reads it on the host.
 */
export function windowsService({ name }: WindowsServiceOptions): string {
  return `# Made by \`market-agent service windows\`. Read it, then run it in PowerShell as an administrator. It can run again.
#
# It needs, in $Programs:
#   market-agent.exe
#   shawl.exe 1.7 or newer, the service wrapper: \`winget install -e --id mtkennerly.shawl\`, or its releases page. Copy it there.
# and in $Data:
#   agent.env, signing-key.pem and the other files that agent.env names. Write whole paths into agent.env.
$ErrorActionPreference = 'Stop'
$Name = '${name}'
$Programs = "$env:ProgramFiles\\market-agent"
$Data = "$env:ProgramData\\${name}"
$Account = "NT SERVICE\\$Name"   # made by Windows only for this service: no password, only the rights below

New-Item -ItemType Directory -Force "$Data\\state", "$Data\\logs" | Out-Null

# --- The service ---
# Restart after every end but 0 (stopped) and 2 (the settings are wrong, the port is taken, a directory cannot be
# used), with a pause of 5 s. --stop-timeout: the agent ends within 10 s of the Ctrl+C. --standby: where another agent
# has the same state directory, wait for its end.
if (Get-Service $Name -ErrorAction SilentlyContinue) { throw "The service $Name is there already. Remove it first: sc.exe delete $Name" }
& "$Programs\\shawl.exe" add --name $Name --log-dir "$Data\\logs" --no-log-cmd \`
  --restart-if-not 0,2 --restart-delay 5000 --pass 0 --stop-timeout 15000 \`
  --env "SERVICE_STATE_DIR=$Data\\state" --env "SERVICE_LOG_FILE=$Data\\logs\\agent.log" \`
  -- "$Programs\\market-agent.exe" run --standby --config "$Data\\agent.env"
if ($LASTEXITCODE -ne 0) { throw 'shawl add failed' }
sc.exe config $Name obj= $Account start= delayed-auto | Out-Null
sc.exe description $Name 'Signs and sends the calls of the game server to the marketplace' | Out-Null
sc.exe sidtype $Name unrestricted | Out-Null
# When the wrapper itself ends: start again after 5 s, without a limit.
sc.exe failure $Name reset= 0 actions= restart/5000/restart/5000/restart/5000 | Out-Null

# --- Who may read and write ---
# No rights are inherited. Administrators and SYSTEM have full control; the service reads the settings and keys, and writes its
# state and logs. *S-1-5-32-544 are the Administrators and *S-1-5-18 is SYSTEM, in Windows of any language.
icacls $Data /inheritance:r /grant:r '*S-1-5-32-544:(OI)(CI)F' '*S-1-5-18:(OI)(CI)F' "\${Account}:(OI)(CI)RX" /Q
icacls "$Data\\state" /grant:r "\${Account}:(OI)(CI)M" /Q
icacls "$Data\\logs" /grant:r "\${Account}:(OI)(CI)M" /Q
# The spool, if agent.env sets SERVICE_SPOOL_DIR. GAME is the account that the game server runs as.
# icacls 'C:\\path\\of\\the\\spool' /grant "\${Account}:(OI)(CI)M" 'GAME:(OI)(CI)M'

# --- Start, look, stop, remove ---
# Start-Service ${name}
# Invoke-RestMethod http://127.0.0.1:8899/health
# Get-Content "$env:ProgramData\\${name}\\logs\\agent.log" -Tail 20 -Wait
# Stop-Service ${name}
# sc.exe delete ${name}      # state, logs and keys stay in $Data
`
}
