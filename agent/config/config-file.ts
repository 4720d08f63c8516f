import { cures } from '../language/cures.ts'
import { say } from '../language/say.ts'

/** One line of a configuration file that is not valid. */
export interface ConfigFileError {
  readonly line: number
  readonly problem: string
  readonly cure: string
}

/**
 * Reads `NAME=value` lines. Empty lines and lines that begin with `#` are skipped. One pair of quotes around a value is
 * removed, so that systemd's EnvironmentFile can use the same file.
 */
export function parseConfigFile(text: string): {
  values: ReadonlyMap<string, string>
  errors: readonly ConfigFileError[]
} {
  const values = new Map<string, string>()
  const errors: ConfigFileError[] = []
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    const [, name, value] = /^\s*([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (name === undefined || value === undefined)
      errors.push({ line: index + 1, problem: say`not a NAME=value line`, cure: cures.correctLine() })
    else if (values.has(name))
      errors.push({ line: index + 1, problem: say`${name} is given twice`, cure: cures.keepOneLine() })
    else values.set(name, /^(["'])(.*)\1$/.exec(value)?.[2] ?? value)
  }
  return { values, errors }
}
