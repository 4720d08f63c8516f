import type { IncomingMessage } from 'node:http'
import { limits } from '../../contract/limits.ts'

/** A body this much too large is still read to its end, so that its sender sees the refusal and not a broken pipe. */
const discardedBytesMax = 1_048_576

/** The whole body; `too-large` past `limits.bodyBytesMax`, `broken` when the caller hung up before its end. */
export async function readBody(request: IncomingMessage): Promise<Buffer | 'too-large' | 'broken'> {
  const chunks: Buffer[] = []
  const { length, isWhole } = await consume(request, (chunk, lengthSoFar) => {
    if (lengthSoFar <= limits.bodyBytesMax) chunks.push(chunk)
  })
  if (length > limits.bodyBytesMax) return 'too-large'
  if (!isWhole) return 'broken'
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

/** Lets a body pass that nobody wants. */
export async function discardBody(request: IncomingMessage): Promise<void> {
  await consume(request, () => undefined)
}

function consume(
  request: IncomingMessage,
  take: (chunk: Buffer, lengthSoFar: number) => void,
): Promise<{ length: number; isWhole: boolean }> {
  return new Promise((resolve) => {
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.byteLength
      take(chunk, length)
      if (length > discardedBytesMax) resolve({ length, isWhole: false })
    })
    request.on('end', () => resolve({ length, isWhole: true }))
    request.on('error', () => resolve({ length, isWhole: false }))
    request.on('close', () => resolve({ length, isWhole: false }))
  })
}
