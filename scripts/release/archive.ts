import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { runCommand } from './build-error.ts'

/** Packs files of a directory as .tar.xz. Equal files give equal bytes, on any machine and by any user. */
export function packArchive(archive: string, dir: string, files: readonly string[], timeS: number): void {
  runCommand(
    'tar',
    [
      '--create',
      `--file=${archive}`,
      '--format=ustar',
      '--sort=name',
      `--mtime=@${timeS}`,
      '--owner=root:0',
      '--group=root:0',
      '--mode=u=rwX,go=rX',
      // With threads, xz writes the same bytes whatever their number.
      '--use-compress-program=xz --threads=2 -6',
      `--directory=${dir}`,
      ...files,
    ],
    'Install GNU tar and xz (Debian: tar, xz-utils).',
  )
}

/** SHA-256 of a file in hex, as `sha256sum` prints it. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
