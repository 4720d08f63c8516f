import type { IncomingMessage } from 'node:http'
import { limits } from '../../contract/limits.ts'

/** The whole body; `too-large` past `limits.bodyBytesMax`, `broken` when the caller hung up before its end. */
export function readBody(request: IncomingMessage): Promise<Buffer | 'too-large' | 'broken'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.byteLength
      if (length > limits.bodyBytesMax) resolve('too-large')
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', () => resolve('broken'))
    request.on('close', () => resolve('broken'))
  })
}

const discardedBytesMax = 1_048_576

/**
 * Continues to read after an early answer. A connection that closed at once would be reset, and the caller might not
 * see the answer.
 */
export function discardBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.byteLength
      if (length > discardedBytesMax) resolve()
    })
    request.on('end', resolve)
    request.on('error', resolve)
    request.on('close', resolve)
  })
}
