import type { IncomingMessage } from 'node:http'
import { limits } from '../../contract/limits.ts'

/** A body this much too large is still read to its end, so that its sender sees the refusal and not a broken pipe. */
const discardedBytesMax = 1_048_576

/** The whole body; `too-large` past `limits.bodyBytesMax`, `broken` when the caller hung up before its end. */
export function readBody(request: IncomingMessage): Promise<Buffer | 'too-large' | 'broken'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    const settle = (isWhole: boolean) => {
      if (length > limits.bodyBytesMax) resolve('too-large')
      else if (!isWhole) resolve('broken')
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
    }
    request.on('data', (chunk: Buffer) => {
      length += chunk.byteLength
      if (length <= limits.bodyBytesMax) chunks.push(chunk)
      if (length > discardedBytesMax) settle(false)
    })
    request.on('end', () => settle(true))
    request.on('error', () => settle(false))
    request.on('close', () => settle(false))
  })
}

/** Lets a body pass that nobody wants. */
export async function discardBody(request: IncomingMessage): Promise<void> {
  await readBody(request)
}
