import ffi from 'node:ffi'

const { functions: kernel32 } = ffi.dlopen('kernel32.dll', {
  CreateFileW: { return: 'pointer', arguments: ['pointer', 'u32', 'u32', 'pointer', 'u32', 'u32', 'pointer'] },
  CloseHandle: { return: 'i32', arguments: ['pointer'] },
})
const genericRead = 0x8000_0000
const openExisting = 3
const invalidHandle = 0xffff_ffff_ffff_ffffn

/** A file that nobody else may open, rename or remove. */
export interface HeldFile {
  ageMs(): number
  close(): void
}

/** Opens a file as a virus scanner may, without sharing it. Node itself shares what it opens. */
export function holdOpen(path: string): HeldFile {
  const name = Buffer.from(`\\\\?\\${path}\0`, 'utf16le')
  const handle = kernel32.CreateFileW(ffi.getRawPointer(name), genericRead, 0, 0n, openExisting, 0, 0n)
  if (handle === invalidHandle) throw new Error(`cannot open ${path}`)
  const startMs = performance.now()
  return {
    ageMs: () => performance.now() - startMs,
    close: () => void kernel32.CloseHandle(handle),
  }
}
