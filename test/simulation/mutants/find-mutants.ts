import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Mutant } from './mutant.ts'
import { mutantNamed, mutants } from './mutants.ts'

const here = import.meta.dirname

/**
 * Runs each mutant until a promise is broken, and prints which one and after how many seeds.
 *
 * @param names All of them if there are none.
 * @param seconds For each.
 * @returns Whether all were found.
 */
export async function findMutants(names: readonly string[], seconds: number): Promise<boolean> {
  const missed: string[] = []
  for (const mutant of names.length > 0 ? names.map(mutantNamed) : mutants) {
    const found = await findMutant(mutant, seconds)
    if (found === undefined) missed.push(mutant.name)
    console.log(`${mutant.name}\n    ${found ?? 'NOT FOUND'}`)
  }
  console.log(missed.length === 0 ? 'all are found' : `${missed.length} are not found`)
  return missed.length === 0
}

/** How many seeds it took, and the promise that was broken. @throws {Error} The simulation could not run. */
async function findMutant({ name, hosts }: Mutant, seconds: number): Promise<string | undefined> {
  const options = ['--brief', '--twice', '0', '--seconds', String(seconds)]
  if (hosts !== undefined) options.push('--hosts', String(hosts))
  const child = spawn(
    process.execPath,
    ['--import', join(here, 'apply.ts'), join(here, '../simulate.ts'), ...options],
    {
      env: { ...process.env, MUTANT: name },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const output = await text(child.stdout)
  if (output === '') throw new Error(`the mutant ${JSON.stringify(name)} does not run`)
  const promise = /^seed \d+: (.*)$/m.exec(output)?.[1]
  return promise && `${/^\d+/.exec(output)?.[0]} seeds: ${promise.slice(0, 100)}`
}
