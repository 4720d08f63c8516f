import type { IncomingMessage } from 'node:http'
import type { Faults } from '../faults/faults.ts'
import { type AnswerEnding, answerEndings, type PartnerFault } from '../faults/partner-fault.ts'
import type { Directory } from '../marketplace/game-servers/directory.ts'
import type { Platform } from '../marketplace/platform.ts'
import { Refusal, refuse } from '../marketplace/refusal.ts'
import { CommitFailedError } from '../store/group-commit.ts'
import { type AuthRefusal, authenticate, type Caller } from './authenticate.ts'
import { sufferBefore, takeFault } from './fault.ts'
import { type PartnerInput, readInput } from './input.ts'
import { hasBody, isDeclaredJson, noBody, type PartnerRequest, readBody, readHead } from './partner-request.ts'
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

/** A request and what became of it. */
export interface AnsweredRequest extends Trail {
  /** Unix ms of the stub's clock. */
  readonly atMs: number
  readonly method: string
  readonly path: string
  /** Of the answer, whether or not a fault let it leave; null where a fault dropped the request before it was read. */
  readonly status: number | null
  /** Code of the refusal, null for a success. */
  readonly code: string | null
  readonly message: string | null
  readonly durationMs: number
}

/** What goes back to the partner, as text. */
export interface PartnerAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Empty for a success without data. */
  readonly body: string
  /** How much of it a fault lets leave. */
  readonly ending: AnswerEnding
}

/** What became known of a request on its way. */
interface Trail {
  operation: string | null
  gameServerId: number | null
  kid: string | null
  /** Why no caller was found, with the request as it was received. */
  unauthenticated: { readonly request: PartnerRequest; readonly refused: AuthRefusal } | null
  fault: PartnerFault['kind'] | null
}

/** One partner request, from its first line to its answer. Everything that can end it is on this page. */
export async function answerPartner(incoming: IncomingMessage, parts: PartnerParts): Promise<PartnerAnswer> {
  const { clock } = parts.platform
  const startedMs = clock.monotonicMs()
  const trail: Trail = { operation: null, gameServerId: null, kid: null, unauthenticated: null, fault: null }
  const head = readHead(incoming)
  let refusal: Refusal | null = null
  let body = ''
  try {
    body = await bodyOfAnswer(incoming, head, parts, trail)
  } catch (error) {
    refusal = refusalOf(error, parts.platform)
    body = JSON.stringify({ message: refusal.message })
  }
  const status = refusal?.status ?? 200
  // Nobody saw a request that was dropped before: it has no status.
  const statusOrNone = trail.fault === 'hang-up-before' ? null : status
  const ending = trail.fault ? answerEndings[trail.fault] : 'whole'
  const durationMs = Math.round((clock.monotonicMs() - startedMs) * 10) / 10
  const { method, path } = head
  const code = refusal?.code ?? null
  const { operation, gameServerId, kid, unauthenticated, fault } = trail
  const message = refusal?.message ?? null
  parts.onAnswered({ ...trail, atMs: clock.nowMs(), method, path, status: statusOrNone, code, message, durationMs })
  const step = unauthenticated?.refused.step
  const facts = { operation, gameServerId, kid, status: statusOrNone, code, step, durationMs }
  parts.platform.log.info(fault ? { ...facts, fault } : facts, 'request answered')
  return { status, headers: refusal?.headers ?? {}, body, ending }
}

async function bodyOfAnswer(
  incoming: IncomingMessage,
  head: Omit<PartnerRequest, 'body'>,
  parts: PartnerParts,
  trail: Trail,
): Promise<string> {
  const { platform } = parts
  const { route, fields } = findRoute(head)
  if (route.operations.length === 1) trail.operation = route.operations[0]?.name ?? null
  if (route.method !== 'GET' && !isDeclaredJson(head)) throw refuse('BODY_NOT_JSON_TYPE')
  const body = hasBody(incoming) ? await readBody(incoming) : noBody
  const request = { ...head, body }

  const fault = takeFault(parts.faults, route, fields, body)
  if (fault) {
    trail.fault = fault.kind
    if (fault.kind === 'hang-up-before') return ''
    await sufferBefore(fault, parts.faults)
  }
  const caller = authenticate(request, route.auth, parts.directory, platform.clock.nowMs())
  if ('refusal' in caller) return refuseCaller(request, caller, trail)
  trail.gameServerId = caller.gameServerId
  trail.kid = caller.kid

  const asked = refusalOrValue(() => readInput(route, fields, body))
  if (!(asked instanceof Refusal)) trail.operation = asked.operation.name
  const done = await platform.transact(() => actOnce(platform, caller, route, asked))
  if (done === 'replayed') return refuseCaller(request, replayOf(caller), trail)
  if (done instanceof Refusal) throw done
  return done === undefined ? '' : JSON.stringify({ data: done })
}

function findRoute({ method, path }: Omit<PartnerRequest, 'body'>) {
  const match = matchRoute(method, path)
  if (match.kind === 'unknown') throw refuse('ROUTE_UNKNOWN')
  if (match.kind === 'route') return match
  const { code, status, message } = refuse('METHOD_NOT_ALLOWED', match)
  throw new Refusal(code, status, message, { Allow: match.allowed })
}

/**
 * Records the envelope and then acts, both in one transaction. A refusal undoes what was done and keeps the record:
 * an envelope that was refused is used up like any other.
 */
function actOnce(platform: Platform, caller: Caller, route: Route, asked: PartnerInput | Refusal) {
  const { kid, jti, exp, gameServerId } = caller
  const isNew = platform.tables.replays.record(kid, jti, exp)
  const mayRepeat = route.auth === 'signature-only' && platform.settings.allowOfferReplay
  if (!isNew && !mayRepeat) return 'replayed'
  if (asked instanceof Refusal) return asked
  const useCase = useCases[asked.operation.name] as (
    platform: Platform,
    gameServerId: number,
    input: unknown,
  ) => unknown
  const act = () => useCase(platform, gameServerId, asked.input)
  // What only reads leaves nothing to undo, and a savepoint costs a tenth of a read.
  return refusalOrValue(asked.operation.operation.retry === 'safe' ? act : () => platform.undoable(act))
}

function replayOf({ kid, jti }: Caller): AuthRefusal {
  const expected = 'a jti that was not used before'
  return { refusal: refuse('ENVELOPE_REPLAYED'), step: 'replay', expected, received: jti, kid }
}

function refuseCaller(request: PartnerRequest, refused: AuthRefusal, trail: Trail): never {
  trail.kid = refused.kid
  trail.unauthenticated = { request, refused }
  throw refused.refusal
}

function refusalOrValue<Value>(work: () => Value): Value | Refusal {
  try {
    return work()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function refusalOf(error: unknown, { log }: Platform): Refusal {
  if (error instanceof Refusal) return error
  log.error({ err: error }, 'request failed')
  return refuse(error instanceof CommitFailedError ? 'STORE_FULL' : 'INTERNAL')
}
