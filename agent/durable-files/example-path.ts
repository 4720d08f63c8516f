import { sep } from 'node:path'

/** Directories of Debian's package, and what takes their place on Windows. */
const onWindows: ReadonlyMap<string, string> = new Map([
  ['/etc/market-agent', 'C:\\ProgramData\\market-agent'],
  ['/var/lib/market-agent', 'C:\\ProgramData\\market-agent\\state'],
  ['/var/log/market-agent', 'C:\\ProgramData\\market-agent\\logs'],
  ['/var/spool/market-agent', 'C:\\ProgramData\\market-agent\\spool'],
])

/**
 * An example of a path, as people write it on this host.
 *
 * @param path One of Debian's package.
 * @param separator Between the parts of a path on this host.
 */
export function examplePath(path: string, separator: string = sep): string {
  if (separator === '/') return path
  const [start = path, ...name] = path.split(/(?<=market-agent)\//)
  return [onWindows.get(start) ?? start, ...name].join('\\')
}
