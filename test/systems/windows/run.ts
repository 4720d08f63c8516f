/**
 * Started by `windows.sh` in Wine, by a Windows Node: tests the promises of both Windows executables. Arguments choose
 * groups. Exit 0, or 1 with a promise that is broken.
 */
import { commands } from './commands.ts'
import { leaveConsole } from './console.ts'
import { counting, type PromiseGroup, type Tally } from './promises.ts'
import { doors, journal, stops } from './running-agent.ts'
import { batchExample, demo } from './sales.ts'
import { spool } from './spool.ts'

const groups: readonly PromiseGroup[] = [commands, doors, stops, spool, journal, demo, batchExample]

/** What is different in Wine, or is not in it. */
const notShown = `What Wine cannot show:
- rights: Wine has no users and keeps few access lists, so neither icacls nor an account of a service was tested;
- a service: the script of \`service windows\`, Shawl and the Service Control Manager did not run. Ctrl+C is what Shawl sends.
  Wine does not deliver Ctrl+Break, and nobody closed a console;
- a power cut: the disk below is Linux's. NTFS, antivirus and indexing were not there; a file was held open in their place;
- time: figures are Wine's. Its file events are made from those of Linux;
- PowerShell: the guides' commands for it did not run.`

leaveConsole()
const wanted = process.argv.slice(2)
const tally: Tally = { kept: 0, broken: 0 }
const chosen = wanted.length > 0 ? groups.filter(({ name }) => wanted.includes(name)) : groups
for (const { name, test } of chosen) {
  console.log(`\n${name}`)
  await test(counting(tally))
}
console.log(`\n${notShown}\n\n${tally.kept} promises kept, ${tally.broken} broken`)
process.exit(tally.broken > 0 || tally.kept === 0 ? 1 : 0)
