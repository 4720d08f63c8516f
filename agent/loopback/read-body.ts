import type { IncomingMessage } from 'node:http'
import { limits } from '../../contract/limits.ts'

/** A body this much too large is still read to its end, so that its sender sees the refusal and not a broken pipe. */
const discardedBytesMax = 1_048_576

/** The whole body; `too-large` past `limits.bodyBytesMax`, `broken` when the caller hung up before its end. */
export function readBody(request: IncomingMessage): Promise<Buffer | 'too-large' | 'broken'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    const endedWith = (whole: () => Buffer | 'broken') => resolve(length > limits.bodyBytesMax ? 'too-large' : whole())
    const broken = () => endedWith(() => 'broken')
    request.on('data', (chunk: Buffer) => {
      length += chunk.byteLength
      if (length <= limits.bodyBytesMax) chunks.push(chunk)
      if (length > discardedBytesMax) resolve('too-large')
    })
    request.on('end', () => endedWith(() => (chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))))
    request.on('error', broken)
    request.on('close', broken)
  })
}

/** Lets a body pass that nobody wants. */
export async function discardBody(request: IncomingMessage): Promise<void> {
  await readBody(request)
}
