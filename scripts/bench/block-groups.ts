import { execFileSync } from 'node:child_process'

/**
 * Has the file system (ext2 to ext4) give each new directory in this one a place of its own. Without a journal ext4
 * takes no inode again for minutes after its file was removed, and steps over each such inode at every new file: a
 * program would pay for the thousands of files that the one measured before it removed.
 *
 * Where there is no such thing, nothing is done.
 */
export function spreadDirectories(dir: string): void {
  try {
    execFileSync('chattr', ['+T', dir], { stdio: 'ignore' })
  } catch {
    // Another file system, or another operating system.
  }
}
