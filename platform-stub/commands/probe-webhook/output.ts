import type { WriteStream } from 'node:tty'
import type { PrintedProbing } from './run.ts'

/** Prints findings line by line. On a terminal the last line shows the probe that is under way and is written over. */
export function outputOf(stdout: WriteStream): Pick<PrintedProbing, 'print' | 'onProgress'> {
  if (!stdout.isTTY) return { print: (line) => stdout.write(`${line}\n`) }
  const clearLine = '\r\u001b[K'
  return {
    print: (line) => stdout.write(`${clearLine}${line}\n`),
    // A longer line would continue on the next one, where it is not written over.
    onProgress: (text) => stdout.write(`${clearLine}${text.slice(0, (stdout.columns || 80) - 1)}`),
  }
}
