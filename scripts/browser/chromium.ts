import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'

const root = join(import.meta.dirname, '..', '..')
const packed = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '..')

/**
 * Starts the Chromium that comes as an npm package, unpacked at its first use. Nothing is downloaded and nothing from
 * the system is needed: its fonts and the libraries that a bare Linux lacks come with it.
 */
export async function launchChromium(moreArguments: readonly string[] = []): Promise<Browser> {
  const folder = await unpacked()
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    // The package's own arguments switch off what keeps origins apart, which is what some tests are about.
    args: [
      ...['--no-sandbox', '--no-zygote', '--disable-gpu', '--font-render-hinting=none', '--force-color-profile=srgb'],
      ...moreArguments,
    ],
    env: {
      ...process.env,
      FONTCONFIG_FILE: fontConfiguration(folder),
      LD_LIBRARY_PATH: [join(folder, 'al2023', 'lib'), process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':'),
    },
  })
}

/** Names only the fonts of the package. With none at all this Chromium dies at the first form field. */
function fontConfiguration(folder: string): string {
  const file = join(folder, 'fonts.conf')
  const fonts = `<dir>${join(folder, 'fonts')}</dir><cachedir>${join(folder, 'fonts-cache')}</cachedir>`
  const text = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${fonts}</fontconfig>\n`
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
  return file
}

/** The folder with the unpacked browser. Its name has the version, and it is whole: it was renamed when it was done. */
async function unpacked(): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8')) as { version: string }
  const folder = join(root, 'node_modules', '.cache', 'market-agent', `chromium-${version}`)
  if (existsSync(folder)) return folder
  const unfinished = `${folder}.${randomUUID()}`
  mkdirSync(unfinished, { recursive: true })
  const temporary = process.env['TMPDIR']
  // The package unpacks into the system's folder for temporary files, under names that anybody may have taken.
  process.env['TMPDIR'] = unfinished
  try {
    const { default: chromiumPackage, inflate } = await import('@sparticuz/chromium')
    await Promise.all([chromiumPackage.executablePath(), inflate(join(packed, 'bin', 'al2023.tar.br'))])
  } finally {
    if (temporary === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = temporary
  }
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // Another process was faster.
    if (!existsSync(folder)) throw error
  }
  return folder
}
