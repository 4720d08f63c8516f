import { getSystemErrorMap } from 'node:util'

const numbers = new Map([...getSystemErrorMap()].map(([errno, [code, text]]) => [code, { errno, text }]))

/** An error as Node makes it of a failed system call. */
export function systemError(code: string, syscall: string, path: string): NodeJS.ErrnoException {
  const { errno, text } = numbers.get(code) ?? { errno: 0, text: 'unknown' }
  return Object.assign(new Error(`${code}: ${text}, ${syscall} '${path}'`), { code, errno, syscall, path })
}
