import type { Disk } from '../disk/disk.ts'

/** Names that people and other programs leave in a spool. Some of them have the form of a request, or of a file of the agent. */
const strangeFiles: ReadonlySet<string> = new Set([
  'outbox/Pedido 1.json',
  'outbox/con.json',
  'outbox/leia-me.txt',
  'outbox/.pedido-7.tmp',
  'inbox/leia-me.txt',
  'inbox/.resposta.tmp',
  'events/notas.txt',
  'replies/resposta.json',
])
const strangeDirs: ReadonlySet<string> = new Set([
  'outbox/backup.json',
  'outbox/backup-2.json.claim-journal',
  'outbox/backup-3.json.rejected',
  'inbox/backup.json.done',
  'inbox/backup-2.json.unread',
  'replies/backup-4.json',
])
const text = '{"action":"market.eligibility","characterRef":"Ana"}'

/** Leaves files and directories in a spool that can never become requests, replies or files of the agent. */
export function leaveStrangeFiles(disk: Disk, spool: string): void {
  for (const path of strangeDirs) disk.mkdir(`${spool}/${path}`, 0o755)
  for (const path of strangeFiles) {
    const file = disk.create(`${spool}/${path}`, 0o644)
    file.data = Buffer.from(text)
    disk.sync(file)
  }
  for (const dir of ['outbox', 'inbox', 'events', 'replies']) disk.sync(disk.getDir(`${spool}/${dir}`, 'open'))
}

/** Whether it is one of these. @param path From the spool on. */
export function isStrange(path: string): boolean {
  return strangeFiles.has(path) || strangeDirs.has(path)
}

/** Finds a strange file or directory in the outbox or the inbox that somebody has changed or removed. Only the agent could do that. */
export function findChangedStrange(disk: Disk, spool: string): string | undefined {
  return [...strangeDirs, ...strangeFiles].find((path) => {
    if (!/^(?:outbox|inbox)\//.test(path)) return false
    const node = disk.find(`${spool}/${path}`, 'stat')
    return !node || (node.kind === 'file' && node.data.toString() !== text)
  })
}
