import { readFileSync } from 'node:fs'
import type { ConfigReading } from '../config/config.ts'
import { parseConfigFile } from '../config/config-file.ts'
import { realPathOf } from '../config/real-path.ts'
import type { SettingsSource } from '../config/settings.ts'
import { exitCodes } from './exit-codes.ts'

/**
 * Reads a configuration from the environment and a `--config` file. What is wrong with it is told on standard error, a
 * line for each fault, and the exit code set.
 *
 * @returns undefined where something is wrong.
 */
export function readConfig<Config>(
  configFile: string | undefined,
  read: (source: SettingsSource) => ConfigReading<Config>,
): Config | undefined {
  const file = configFile === undefined ? emptyFile : readConfigFile(configFile)
  const readFile = (path: string) => readFileSync(path, 'utf8')
  const reading = file && read({ env: process.env, file: file.values, readFile, realPath: realPathOf })
  const faults = [
    ...(file
      ? file.faults.map(({ line, problem }) => `${configFile}, line ${line}: ${problem}`)
      : [`--config: cannot read ${configFile}`]),
    ...(reading?.ok === false ? reading.faults : []),
  ]
  if (faults.length === 0 && reading?.ok) return reading.config
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  process.exitCode = exitCodes.usage
  return undefined
}

const emptyFile: ReturnType<typeof parseConfigFile> = { values: new Map(), faults: [] }

function readConfigFile(path: string): ReturnType<typeof parseConfigFile> | undefined {
  try {
    return parseConfigFile(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
