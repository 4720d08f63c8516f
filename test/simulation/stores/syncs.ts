/**
 * What a sync of a file does where `node:fs` has this in place of its own. It takes virtual time, and what it keeps is up
 * to the test.
 */
export const syncs = { begin: (_done: () => void): void => undefined }

/** `node:fs` with the syncs of a test. */
export function withSyncs<Fs extends object>(fs: Fs): Fs {
  return { ...fs, fsync: (_fd: number, callback: (error: null) => void) => syncs.begin(() => callback(null)) }
}
