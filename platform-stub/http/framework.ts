import { Readable } from 'node:stream'
import type { Hono } from 'hono'
import { refuse } from '../marketplace/refusal.ts'
import { type Handler, type HttpAnswer, jsonType, notKept } from './answer.ts'
import type { HttpRequest } from './http-request.ts'

/** The environment of every route that the framework serves. */
export interface StubEnv {
  Bindings: {
    /** As it was received. Its body is read here: the framework has none to read. */
    readonly request: HttpRequest
  }
}

/**
 * Hands requests to the framework, as far as it routes them: method, target, and headers for languages and cookies.
 *
 * @param loadApp Called with the first request: a stub that only partners ask starts without pages.
 */
export function frameworkHandler(loadApp: () => Promise<Hono<StubEnv>>): Handler {
  let loading: Promise<Hono<StubEnv>> | undefined
  return async (request) => {
    loading ??= loadApp()
    const app = await loading
    const routed = routedRequest(request)
    return routed ? answerOf(await app.fetch(routed, { request })) : malformed()
  }
}

/** The request as the framework knows requests; undefined for a method or target that it has no form for. */
function routedRequest({ method, path, query, headers }: HttpRequest): Request | undefined {
  // Another form of target names its own host.
  if (!path.startsWith('/')) return undefined
  try {
    const lines = headers.entries().flatMap(([name, values]) => values.map((value): [string, string] => [name, value]))
    // The framework would drop the body of its answer to HEAD without ending it, and a stream would stay open.
    const routedMethod = method === 'HEAD' ? 'GET' : method
    return new Request(`http://stub.invalid${path}${query && `?${query}`}`, {
      method: routedMethod,
      headers: [...lines],
    })
  } catch {
    return undefined
  }
}

function malformed(): HttpAnswer {
  const { status, message } = refuse('REQUEST_MALFORMED')
  return { status, contentType: jsonType, headers: notKept, body: JSON.stringify({ message }) }
}

/** A stream of events stays a stream. Everything else is sent whole, with its length. */
async function answerOf({ status, headers, body }: Response): Promise<HttpAnswer> {
  const lines = [...headers].flat()
  if (!body) return { status, headers: lines, body: '' }
  const isEvents = headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isEvents) return { status, headers: lines, body: new Uint8Array(await new Response(body).arrayBuffer()) }
  return { status, headers: lines, body: Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]) }
}
