/** Started by `pressCtrlC`: this process gets Ctrl+C too. It must not end before it says so. */
import { writeSync } from 'node:fs'
import { sendCtrlC } from './console.ts'

process.on('SIGINT', () => undefined)
sendCtrlC(Number(process.argv[2]))
writeSync(1, 'sent')
