import type { SentRequest } from '../sent-request.ts'
import type { Break } from './judge.ts'
import { parseSignature } from './signature.ts'

/**
 * The platform accepts each envelope once (I7), while it is valid.
 *
 * @param platformMs The time of the platform. @returns Called with each request that it has accepted.
 */
export function replayPromises(onBroken: Break, platformMs: () => number): (request: SentRequest) => void {
  const jtis = new Set<string>()
  return ({ path, headers }) => {
    const { jti, exp = 0 } = parseSignature(headers) ?? {}
    if (jti === undefined) return onBroken('the platform accepts only signed requests', path)
    if (exp * 1_000 <= platformMs()) onBroken('an envelope is accepted while it is valid', jti)
    if (jtis.has(jti)) onBroken('an envelope is accepted once', jti)
    jtis.add(jti)
  }
}
