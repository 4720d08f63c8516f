import type { Break } from './judge.ts'
import { parseSignature } from './signature.ts'

/** What is true of all that leaves an agent: no jti twice (I7), no secret in a log (I8), no bug of its own (I10). */
export class WirePromises {
  readonly #break: Break
  readonly #secrets: () => readonly string[]
  readonly #jtis = new Set<string>()

  /** @param secrets What must never be logged. */
  constructor(onBroken: Break, secrets: () => readonly string[]) {
    this.#break = onBroken
    this.#secrets = secrets
  }

  /** An agent sends a request with these headers. */
  readonly onSent = (headers: readonly string[]): void => {
    const jti = parseSignature(headers)?.jti
    if (jti === undefined) return
    if (this.#jtis.has(jti)) this.#break('no jti is sent twice', jti)
    this.#jtis.add(jti)
  }

  readonly onLogged = (line: string): void => {
    for (const secret of this.#secrets()) if (line.includes(secret)) this.#break('no secret is logged', line)
    if (line.includes('a bug of the agent')) this.#break('the agent has no bug that it can see', line)
  }
}
