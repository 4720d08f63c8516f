import * as z from 'zod/mini'
import { UserError } from '../user-error.ts'

/** No stub answers at the address, or it refused. */
class AskStubError extends UserError {
  override readonly name = 'AskStubError'
}

/** The answer of a running stub. */
export interface StubAnswer<Data> {
  readonly data: Data
  /** The stub's own time of the answer: Unix ms, whole seconds. */
  readonly dateMs: number
}

const envelope = z.object({ data: z.unknown() })
const refusal = z.object({ message: z.string() })

/**
 * Asks a control route of a running stub, from another process.
 *
 * @param schema The schema of the answer's `data`.
 * @param body Posted as JSON. Without it, the request is a GET.
 * @throws {AskStubError} The message says what to do.
 */
export async function askStub<Schema extends z.ZodMiniType>(
  stubUrl: string,
  path: string,
  schema: Schema,
  body?: object,
): Promise<StubAnswer<z.infer<Schema>>> {
  const response = await sendRequest(stubUrl, path, body)
  const answer: unknown = await response.json().catch(() => undefined)
  const refused = refusal.safeParse(answer)
  if (!response.ok && refused.success) {
    throw new AskStubError(`${stubUrl} refused (${response.status}): ${refused.data.message}`)
  }
  const data = schema.safeParse(envelope.safeParse(answer).data?.data)
  const dateMs = Date.parse(response.headers.get('date') ?? '')
  if (response.ok && data.success && !Number.isNaN(dateMs)) return { data: data.data, dateMs }
  throw new AskStubError(
    `what answers at ${stubUrl} is not a platform-stub of this version (status ${response.status})`,
  )
}

async function sendRequest(stubUrl: string, path: string, body: object | undefined): Promise<Response> {
  const post = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
  try {
    return await fetch(`${stubUrl}${path}`, body === undefined ? {} : post)
  } catch (cause) {
    const advice = 'start one with `platform-stub serve`'
    throw new AskStubError(`no platform-stub answers at ${stubUrl}; ${advice}`, { cause })
  }
}
