import type * as z from 'zod/mini'
import { exitCodes, UserError } from '../../user-error.ts'

/**
 * What is wrong with one field of a scenario and how to correct it, for the developer at the command line.
 *
 * @param value The whole that was read.
 * @returns `gameServers[0].transactions[2].quantity: must be a whole number from 1, not 0`
 */
export function fieldFault(issue: z.core.$ZodIssue, value: unknown): string {
  const place = locationOf(issue.path)
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => locationOf([...issue.path, key]))
    return `${names.join(', ')}: has no place here; remove it or mend its name`
  }
  if (issue.code === 'invalid_key') return `${place}: is not a valid name; it must not be empty, "." or ".."`
  const received = issue.path.reduce<unknown>(
    (inner, key) => (inner as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[key],
    value,
  )
  if (received === undefined) return `${place}: is missing; give ${wanted(issue)}`
  return `${place}: must be ${wanted(issue)}, not ${shown(received)}`
}

/** A field's place as it is written in most languages. */
export function locationOf(path: readonly PropertyKey[]): string {
  const written = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
  return written.join('').replace(/^\./, '') || 'the whole'
}

function wanted(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeNames[issue.expected] ?? issue.expected
    case 'too_small':
      return issue.origin === 'string' ? 'a text that is not empty' : `a number from ${issue.minimum}`
    case 'too_big':
      return `a number up to ${issue.maximum}`
    case 'invalid_value':
      return oneOf(issue.values)
    case 'invalid_union':
      return 'options' in issue ? oneOf((issue.options ?? []) as readonly unknown[]) : 'a value that fits'
    case 'custom':
      return String(
        issue.params?.['wanted'] ??
          `a text of ${issue.params?.['lengthMin']} to ${issue.params?.['lengthMax']} characters`,
      )
    default:
      return 'a value that fits'
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a whole number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
}

function oneOf(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(' or ')
}

function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

/** A scenario that the stub cannot start from. Each line names a field, what is wrong with it and how to correct it. */
export class ScenarioError extends UserError {
  override readonly name = 'ScenarioError'
  override readonly exitCode = exitCodes.usage
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}
