import type { Faults } from '../faults/faults.ts'
import { meets, type PartnerFault } from '../faults/partner-fault.ts'
import { Refusal, refuse } from '../marketplace/refusal.ts'
import { readInput } from './input.ts'
import type { Route } from './partner-routes.ts'

/** The fault that a request meets, counted down; undefined on every sound day, at the price of one look. */
export function takeFault(
  { partner }: Faults,
  route: Route,
  fields: Readonly<Record<string, string>>,
  body: Uint8Array,
): PartnerFault | undefined {
  if (partner.queue.isEmpty) return undefined
  const name = operationNameOf(route, fields, body)
  return partner.queue.take((fault) => meets(fault, name))
}

/**
 * What a fault does before the platform looks at the request: it waits, or answers in its place.
 *
 * @throws {Refusal} FAULT_INJECTED with the status that was asked for.
 */
export async function sufferBefore(fault: PartnerFault, { partner }: Faults): Promise<void> {
  if (fault.kind === 'delay') await partner.delays.pass(fault.delayMs)
  if (fault.kind === 'status') throw statusRefusal(fault)
}

function statusRefusal({ status, retryAfterSeconds }: PartnerFault & { kind: 'status' }): Refusal {
  const { code, message } = refuse('FAULT_INJECTED', { status })
  return new Refusal(code, status, message, {
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
  })
}

/** Operations that share a route are told apart by the body; null where it is none of theirs. */
function operationNameOf(route: Route, fields: Readonly<Record<string, string>>, body: Uint8Array) {
  const [only] = route.operations
  if (only && route.operations.length === 1) return only.name
  try {
    return readInput(route, fields, body).operation.name
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}
