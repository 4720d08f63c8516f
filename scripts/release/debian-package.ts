import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { systemdUnit, usualUnitOptions } from '../../agent/service/systemd-unit.ts'
import manifest from '../../package.json' with { type: 'json' }
import { root, runCommand } from './build-error.ts'
import { copyDocuments } from './documents.ts'
import type { BuildVersion } from './version.ts'

/** What a package is made of. */
export interface DebianPackage {
  readonly architecture: 'amd64' | 'arm64'
  readonly build: BuildVersion
  readonly executable: string
  /** Scripts that complete the command line, by shell. */
  readonly completion: { readonly bash: string; readonly zsh: string }
  readonly licences: string
}

/** Writes a package. Equal contents give equal bytes. */
export function writeDebianPackage(file: string, contents: DebianPackage): void {
  const { architecture, build, executable, completion, licences } = contents
  const tree = `${file}.tree`
  rmSync(tree, { recursive: true, force: true })
  const write = (path: string, text: string | Uint8Array, mode = 0o644) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    writeFileSync(join(tree, path), text, { mode })
  }
  const debian = join(import.meta.dirname, 'debian')
  const doc = 'usr/share/doc/market-agent'

  write('DEBIAN/control', controlFile(architecture, debianVersion(build)))
  write('DEBIAN/conffiles', '/etc/market-agent/agent.env\n')
  for (const script of ['postinst', 'prerm', 'postrm']) {
    write(`DEBIAN/${script}`, readFileSync(join(debian, script)), 0o755)
  }
  mkdirSync(join(tree, 'usr/bin'), { recursive: true })
  cpSync(executable, join(tree, 'usr/bin/market-agent'))
  write('etc/market-agent/agent.env', readFileSync(join(debian, 'agent.env')), 0o640)
  write('usr/lib/systemd/system/market-agent.service', systemdUnit(usualUnitOptions(false)))
  write('usr/lib/systemd/system/market-agent@.service', systemdUnit(usualUnitOptions(true)))
  write('usr/share/bash-completion/completions/market-agent', completion.bash)
  write('usr/share/zsh/vendor-completions/_market-agent', completion.zsh)
  write(
    `${doc}/copyright`,
    `${readFileSync(join(root, 'LICENSE'), 'utf8')}\nParts of others: THIRD-PARTY-LICENSES.txt.gz\n`,
  )
  write(`${doc}/THIRD-PARTY-LICENSES.txt.gz`, gzipSync(licences, { level: 9 }))
  for (const name of ['CHANGELOG.md', 'CHANGELOG.pt-BR.md'])
    write(`${doc}/${name}.gz`, gzipSync(readFileSync(join(root, name)), { level: 9 }))
  copyDocuments(join(tree, doc))

  const env = { ...process.env, SOURCE_DATE_EPOCH: String(build.commitTimeS) }
  // The rights must be those of the package, whatever the umask and the user of the build.
  runCommand('chmod', ['--recursive', 'u=rwX,go=rX', tree], 'Install coreutils.')
  runCommand('chmod', ['0640', join(tree, 'etc/market-agent/agent.env')], '')
  const args = ['--root-owner-group', '-Zxz', '--build', tree, file]
  runCommand('dpkg-deb', args, 'dpkg-deb comes with Debian and Ubuntu (package dpkg).', env)
  rmSync(tree, { recursive: true })
}

/**
 * A version in Debian's order: a preview comes before its release, and commits come in the order of their dates, which
 * their names do not have.
 */
export function debianVersion({ version, commitTimeS }: BuildVersion): string {
  const date = new Date(commitTimeS * 1000).toISOString().replace(/\D/g, '').slice(0, 14)
  return version.replace('-', '~').replace('+', `+${date}.`)
}

function controlFile(architecture: string, version: string): string {
  return `Package: market-agent
Version: ${version}
Architecture: ${architecture}
Maintainer: The market-agent authors <market-agent@localhost>
Section: net
Priority: optional
Depends: libatomic1, libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 5), passwd
Recommends: systemd, ca-certificates
Description: ${manifest.description.split(';')[0]?.replace(/\.$/, '')}
 A small daemon that runs next to a game server and makes its calls to a
 marketplace. The game server hands over plain JSON, by HTTP on loopback or
 as files in a directory.
`
}
