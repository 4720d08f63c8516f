import { isSea } from 'node:sea'
import { systemdUnit, usualUnitOptions } from '../service/systemd-unit.ts'
import { windowsService } from '../service/windows-service.ts'

/** Options of `market-agent service systemd`. */
export interface SystemdFlags {
  readonly template?: boolean
  readonly config?: string
  readonly spoolDir?: string
}

/** Prints a unit for the executable that runs this command. */
export function printSystemdUnit({ template = false, config, spoolDir }: SystemdFlags): void {
  const usual = usualUnitOptions(template)
  process.stdout.write(
    systemdUnit({
      executable: isSea() ? process.execPath : usual.executable,
      isTemplate: template,
      configFile: config ?? usual.configFile,
      spoolDir: spoolDir ?? usual.spoolDir,
    }),
  )
}

/** Prints a PowerShell script that installs the service. */
export function printWindowsService({ name }: { name: string }): void {
  process.stdout.write(windowsService({ name }))
}
