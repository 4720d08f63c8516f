import { compare } from '../compare.ts'
import { mediansOf } from '../figures.ts'
import { atLeast, ratio } from '../goals.ts'
import { spreadDirectories } from '../machine/disk.ts'
import { measureSignatureUs } from '../machine/signature-cost.ts'
import { startTestbed } from '../platform/testbed.ts'
import type { Section } from '../section.ts'
import { warmUpSpool, workOffBacklog } from '../spool/backlog.ts'
import { simpleWorker, startSimpleWorker, startSpoolProgram } from '../spool/spool-program.ts'

interface Backlog {
  readonly name: string
  readonly files: number
  /** The measurement ends with this many answers. */
  readonly answers: number
  readonly warmUpFiles: number
}

const small: Backlog = { name: 'the agent, 1,000 files', files: 1_000, answers: 1_000, warmUpFiles: 1_500 }
/** All answers would take minutes, and the first ones are those that many files could delay. */
const huge: Backlog = { name: 'the agent, 100,000 files', files: 100_000, answers: 20_000, warmUpFiles: 1_500 }
/** So many that its first scan, which is due at once, counts for little. */
const polling: Backlog = { name: simpleWorker, files: 240, answers: 240, warmUpFiles: 16 }
const backlog = 'backlog'
/** A round takes minutes. */
const roundsMax = 3

/** Requests per second out of a backlog, by its size. */
export const spoolBacklog: Section = {
  name: 'spool-backlog',
  title: 'The spool: a backlog',
  about:
    '`market.adjust-stock`, each for a new item. The worker is warm and stopped (SIGSTOP) while the files are written;' +
    ' counted from then on to the last answer, of 100,000 files to answer 20,000. The reader looks every 10 ms, checks' +
    ' each answer and moves it away. The agent syncs to disk and has a journal; the simple worker has neither. Not' +
    ' measured on Windows, which cannot stop a program and continue it.',
  goals: [
    atLeast(20, '1,000 files, agent / simple worker', ratio('perS', [small.name, backlog], [polling.name, backlog])),
    atLeast(0.9, 'the agent, 100,000 files / 1,000', ratio('perS', [huge.name, backlog], [small.name, backlog])),
  ],
  async measure({ agentCommand, rounds, progress }) {
    if (process.platform === 'win32') return []
    await using testbed = await startTestbed()
    spreadDirectories(testbed.dir)
    return await compare({
      contenders: [small, polling, huge],
      loads: [{ name: backlog }],
      rounds: Math.min(rounds, roundsMax),
      // Each comes before and after the others, so that a change of the machine's speed meets all of them.
      turns: 2,
      progress,
      // A new program and a new spool for each: none works among the leftovers of another.
      measure: async (worker) => {
        await using program =
          worker === polling
            ? await startSimpleWorker(testbed)
            : await startSpoolProgram(worker.name, agentCommand, testbed)
        await warmUpSpool(program, worker.warmUpFiles)
        const signatureUs = measureSignatureUs()
        const { perS, cpuUs } = await workOffBacklog(program, worker.files, worker.answers)
        return { perS, cpuUs, cpuS: cpuUs / signatureUs }
      },
      merge: mediansOf,
    })
  },
}
