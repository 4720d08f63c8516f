import { readFileSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { ConfigReading } from '../config/config.ts'
import { parseConfigFile } from '../config/config-file.ts'
import type { SettingsSource } from '../config/settings.ts'
import { codeOf, problemOf } from '../durable-files/system-errors.ts'
import { cures } from '../language/cures.ts'
import { sentenceOf } from '../language/problem.ts'
import { say } from '../language/say.ts'
import { exitCodes } from './exit-codes.ts'
import { realPathOf, usualStateDir } from './host-paths.ts'

/**
 * Reads a configuration from the environment and a `--config` file. All errors are reported together on standard error,
 * one per line, and the exit code is set.
 *
 * @returns undefined if there is an error.
 */
export function readConfig<Config>(
  configFile: string | undefined,
  read: (source: SettingsSource) => ConfigReading<Config>,
): Config | undefined {
  const reading = readSettings(configFile, read)
  if (reading.ok) return reading.config
  for (const error of reading.errors) process.stderr.write(`${sentenceOf(error)}\n`)
  process.exitCode = exitCodes.usage
  return undefined
}

/** As `readConfig`, with the errors as a value. */
export function readSettings<Config>(
  configFile: string | undefined,
  read: (source: SettingsSource) => ConfigReading<Config>,
): ConfigReading<Config> {
  const file = configFile === undefined ? emptyFile : readConfigFile(configFile)
  if (file instanceof Error) {
    const problem = say`cannot read ${configFile}: ${problemOf(file)} (${codeOf(file)})`
    return { ok: false, errors: [{ name: '--config', problem, cure: cures.correctSetting() }] }
  }
  const reading = read({
    env: process.env,
    file: file.values,
    filePath: configFile && resolve(configFile),
    readFile: readUnlessPipe,
    realPath: realPathOf,
    isReadableByAll,
    usualStateDir: usualStateDir(process.env),
    hostName: hostname(),
  })
  const errors = [
    ...file.errors.map(({ line, problem, cure }) => ({ name: say`${configFile}, line ${line}`, problem, cure })),
    ...(reading.ok ? [] : reading.errors),
  ]
  if (errors.length === 0) return reading
  return { ok: false, errors, ...(!reading.ok && reading.partial && { partial: reading.partial }) }
}

const emptyFile: ReturnType<typeof parseConfigFile> = { values: new Map(), errors: [] }

function readConfigFile(path: string): ReturnType<typeof parseConfigFile> | Error {
  try {
    return parseConfigFile(readUnlessPipe(path))
  } catch (error) {
    return error as Error
  }
}

/** A pipe would keep a reload waiting until somebody writes into it. @throws {NodeJS.ErrnoException} */
function readUnlessPipe(path: string): string {
  if (statSync(path).isFIFO()) throw Object.assign(new Error(`ESPIPE: ${path} is a pipe`), { code: 'ESPIPE' })
  return readFileSync(path, 'utf8')
}

function isReadableByAll(path: string): boolean {
  try {
    return process.platform !== 'win32' && (statSync(path).mode & 0o004) !== 0
  } catch {
    return false
  }
}
