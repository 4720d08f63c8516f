import { spawnSync } from 'node:child_process'
import ffi from 'node:ffi'
import { join } from 'node:path'

/** What Windows says about consoles. A process has at most one. */
const { functions: kernel32 } = ffi.dlopen('kernel32.dll', {
  FreeConsole: { return: 'i32', arguments: [] },
  AttachConsole: { return: 'i32', arguments: ['u32'] },
  GenerateConsoleCtrlEvent: { return: 'i32', arguments: ['u32', 'u32'] },
})

const ctrlC = 0

/** Gives each program that this process starts from now on a console of its own, as a service wrapper does. */
export function leaveConsole(): void {
  kernel32.FreeConsole()
}

/**
 * Presses Ctrl+C in the console of a process, as a person or a service wrapper does. In a process of its own, which it may
 * end too.
 *
 * @throws {Error} It was not sent.
 */
export function pressCtrlC(pid: number): void {
  const args = [join(import.meta.dirname, 'press-ctrl-c.ts'), String(pid)]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (!stdout.includes('sent')) throw new Error(`Ctrl+C was not sent: ${stderr}`)
}

/** @throws {Error} The process has no console. */
export function sendCtrlC(pid: number): void {
  kernel32.FreeConsole()
  const isSent = kernel32.AttachConsole(pid) && kernel32.GenerateConsoleCtrlEvent(ctrlC, 0)
  if (!isSent) throw new Error(`process ${pid} has no console`)
}
