import type { Faults } from '../faults/faults.ts'
import { appliesTo, type PartnerFault } from '../faults/partner-fault.ts'
import { Refusal, refuse } from '../marketplace/refusal.ts'
import { readInput } from './input.ts'
import type { Route } from './partner-routes.ts'

/** The fault that applies to a request, counted down; undefined for none. */
export function takeFault(
  { partner }: Faults,
  route: Route,
  fields: Readonly<Record<string, string>>,
  body: Uint8Array,
): PartnerFault | undefined {
  if (partner.isEmpty) return undefined
  const name = operationNameOf(route, fields, body)
  return partner.take((fault) => appliesTo(fault, name))
}

/**
 * Does what a fault does before the platform looks at the request: it waits, or answers in its place.
 *
 * @returns FAULT_INJECTED with the status that was asked for; undefined where the request continues.
 */
export async function applyFault(fault: PartnerFault, { partner }: Faults): Promise<Refusal | undefined> {
  if (fault.kind === 'delay') await partner.delays.pass(fault.delayMs)
  return fault.kind === 'status' ? statusRefusal(fault) : undefined
}

function statusRefusal({ status, retryAfterSeconds }: PartnerFault & { kind: 'status' }): Refusal {
  const { code, message } = refuse('FAULT_INJECTED', { status })
  return new Refusal(code, status, message, {
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
  })
}

/** The body distinguishes operations that share a route; null where it is none of theirs. */
function operationNameOf(route: Route, fields: Readonly<Record<string, string>>, body: Uint8Array) {
  const [only] = route.operations
  if (only && route.operations.length === 1) return only.name
  const asked = readInput(route, fields, body)
  return asked instanceof Refusal ? null : asked.operation.name
}
