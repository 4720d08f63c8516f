import { copyFileSync, cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './build-error.ts'

/**
 * Copies what a reader needs besides the programs into a folder: the guides in both languages, with the alerts and the
 * dashboard that they name, and the examples of all settings. Links between the guides point to the same places there.
 */
export function copyDocuments(dir: string): void {
  for (const tree of ['en', 'pt-BR', 'operations']) {
    cpSync(join(root, 'docs', tree), join(dir, 'docs', tree), { recursive: true })
  }
  mkdirSync(dir, { recursive: true })
  for (const file of ['agent.example.env', 'agent.example.pt-BR.env']) copyFileSync(join(root, file), join(dir, file))
}
