import type { SentRequest } from '../sent-request.ts'
import type { Break } from './judge.ts'
import { parseSignature } from './signature.ts'

/** The platform accepts each envelope once (I7). @returns Called with each request that it has accepted. */
export function replayPromises(onBroken: Break): (request: SentRequest) => void {
  const jtis = new Set<string>()
  return ({ path, headers }) => {
    const jti = parseSignature(headers)?.jti
    if (jti === undefined) return onBroken('the platform accepts only signed requests', path)
    if (jtis.has(jti)) onBroken('an envelope is accepted once', jti)
    jtis.add(jti)
  }
}
