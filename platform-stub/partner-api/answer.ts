import type { Faults } from '../faults/faults.ts'
import { answerEndings, type PartnerFault } from '../faults/partner-fault.ts'
import { type HttpAnswer, jsonType, notKept } from '../http/answer.ts'
import type { HttpRequest } from '../http/http-request.ts'
import { isDeclaredJson } from '../http/json-body.ts'
import type { Directory } from '../marketplace/game-servers/directory.ts'
import type { Platform } from '../marketplace/platform.ts'
import { Refusal, refuse } from '../marketplace/refusal.ts'
import { type AuthRefusal, authenticate, type Caller } from './authenticate.ts'
import { applyFault, takeFault } from './fault.ts'
import { type PartnerInput, readInput } from './input.ts'
import { matchRoute, type Route } from './partner-routes.ts'
import { useCases } from './use-cases.ts'

/** What the partner routes reach into. */
export interface PartnerParts {
  readonly platform: Platform
  readonly directory: Directory
  readonly faults: Faults
  /** Called with every request when its answer is known. */
  readonly onAnswered: (answered: AnsweredRequest) => void
}

/** A request and its result. */
export interface AnsweredRequest extends Readonly<Trail> {
  /** Unix ms of the stub's clock. */
  readonly atMs: number
  readonly request: HttpRequest
  /** Of the answer, even where a fault kept it back; null where a fault dropped the request before it was read. */
  readonly status: number | null
  /** Code of the refusal, null for a success. */
  readonly code: string | null
  readonly message: string | null
  readonly durationMs: number
  /** The answer's body, even where a fault kept it back. */
  readonly answerBody: string
}

/** What became known about a request on its way. */
interface Trail {
  /** As it was received; null where it was not read. */
  body: Buffer | null
  operation: string | null
  gameServerId: number | null
  kid: string | null
  /** Why no caller was found. */
  unauthenticated: AuthRefusal | null
  fault: PartnerFault['kind'] | null
}

/** One partner request, from its first line to its answer. Everything that can end it is on this page. */
export async function answerPartner(request: HttpRequest, parts: PartnerParts): Promise<HttpAnswer> {
  const { clock, log } = parts.platform
  const startedMs = clock.monotonicMs()
  const trail: Trail = {
    body: null,
    operation: null,
    gameServerId: null,
    kid: null,
    unauthenticated: null,
    fault: null,
  }
  const outcome = await outcomeOf(request, parts, trail).catch((error: unknown) => {
    log.error({ err: error }, 'request failed')
    return refuse('INTERNAL')
  })
  const { operation, gameServerId, kid, unauthenticated, fault } = trail
  const answerBody = bodyOf(outcome)
  const refusal = outcome instanceof Refusal ? outcome : null
  const status = fault === 'hang-up-before' ? null : (refusal?.status ?? 200)
  const code = refusal?.code ?? null
  const durationMs = Math.round((clock.monotonicMs() - startedMs) * 10) / 10
  const message = refusal?.message ?? null
  parts.onAnswered({ ...trail, atMs: clock.nowMs(), request, status, code, message, durationMs, answerBody })
  const step = unauthenticated?.step
  const facts = { operation, gameServerId, kid, status, code, step, durationMs }
  log.info(fault ? { ...facts, fault } : facts, 'request answered')
  return {
    status: refusal?.status ?? 200,
    contentType: jsonType,
    headers: [...notKept, ...Object.entries(refusal?.headers ?? {}).flat()],
    body: answerBody,
    ending: fault ? answerEndings[fault] : 'whole',
  }
}

function bodyOf(outcome: unknown): string {
  if (outcome instanceof Refusal) return JSON.stringify({ message: outcome.message })
  return outcome === undefined ? '' : JSON.stringify({ data: outcome })
}

/** @returns The answer's data, undefined for a success without data, or the refusal. */
async function outcomeOf(request: HttpRequest, parts: PartnerParts, trail: Trail): Promise<unknown> {
  const { platform } = parts
  const match = matchRoute(request.method, request.path)
  if (match instanceof Refusal) return match
  const { route, fields } = match
  if (route.operations.length === 1) trail.operation = route.operations[0]?.name ?? null
  if (route.method !== 'GET' && !isDeclaredJson(request)) return refuse('BODY_NOT_JSON_TYPE')
  const body = await request.body()
  if (body instanceof Refusal) return body
  trail.body = body

  const fault = takeFault(parts.faults, route, fields, body)
  if (fault) {
    trail.fault = fault.kind
    if (fault.kind === 'hang-up-before') return undefined
    const refusal = await applyFault(fault, parts.faults)
    if (refusal) return refusal
  }
  const refuseCaller = (refused: AuthRefusal): Refusal => {
    trail.kid = refused.kid
    trail.unauthenticated = refused
    return refused.refusal
  }
  const caller = await authenticate(request, body, route.auth, parts)
  if ('refusal' in caller) return refuseCaller(caller)
  trail.gameServerId = caller.gameServerId
  trail.kid = caller.kid

  const asked = readInput(route, fields, body)
  if (!(asked instanceof Refusal)) trail.operation = asked.operation.name
  const done = platform.transact(() => actOnce(platform, caller, route, asked))
  return done === replayed ? refuseCaller(replayOf(caller)) : done
}

const replayed = Symbol('replayed')

/**
 * Records the envelope and then acts, both in one transaction. A refusal keeps the record: an envelope that was refused
 * is used up like any other.
 */
function actOnce(platform: Platform, caller: Caller, route: Route, asked: PartnerInput | Refusal): unknown {
  const { kid, jti, exp, gameServerId } = caller
  const isNew = platform.tables.replays.record(kid, jti, exp, platform.clock.nowMs() / 1_000)
  const mayRepeat = route.auth === 'signature-only' && platform.settings.allowOfferReplay
  if (!isNew && !mayRepeat) return replayed
  if (asked instanceof Refusal) return asked
  const useCase = useCases[asked.operation.name] as (
    platform: Platform,
    gameServerId: number,
    input: unknown,
  ) => unknown
  return useCase(platform, gameServerId, asked.input)
}

function replayOf({ kid, jti }: Caller): AuthRefusal {
  const expected = 'a jti that was not used before'
  return { refusal: refuse('ENVELOPE_REPLAYED'), step: 'replay', expected, received: jti, cause: null, kid }
}
