import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
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
  for (const { name } of names.length > 0 ? names.map(mutantNamed) : mutants) {
    const found = await findMutant(name, seconds)
    if (found === undefined) missed.push(name)
    console.log(`${name}\n    ${found ?? 'NOT FOUND'}`)
  }
  console.log(missed.length === 0 ? 'all are found' : `${missed.length} are not found`)
  return missed.length === 0
}

/** The seed that found it, and the promise. */
async function findMutant(name: string, seconds: number): Promise<string | undefined> {
  const args = ['--import', join(here, 'apply.ts'), join(here, 'run-mutant.ts'), String(seconds)]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, MUTANT: name },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = (await text(child.stdout)).trim()
  return output === '' ? undefined : output
}
