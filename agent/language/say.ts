let translations: Readonly<Record<string, string>> | undefined

/** The texts of `say` are in Brazilian Portuguese from now on. The daemon never calls this: its log is in English. */
export async function speakPortuguese(): Promise<void> {
  translations = (await import('./portuguese.ts')).portuguese
}

/** Whether `speakPortuguese` was called. */
export function speaksPortuguese(): boolean {
  return translations !== undefined
}

/**
 * A text for a person at a command line, in that person's language. The English text is the key of its translation; each
 * value is a number in braces there: say`kid ${name}` has the key `kid {0}`.
 */
export function say(parts: TemplateStringsArray, ...values: readonly unknown[]): string {
  const key = parts.reduce((before, part, index) => `${before}{${index - 1}}${part}`)
  return (translations?.[key] ?? key).replace(/\{(\d)\}/g, (_, index) => String(values[index]))
}

/**
 * Whether a person reads Portuguese, by the variables of POSIX in their order of precedence. Windows has none of them, so
 * its own setting counts there.
 */
export function prefersPortuguese(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): boolean {
  const locale = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG']
  const ofWindows = () => (platform === 'win32' ? Intl.DateTimeFormat().resolvedOptions().locale : '')
  return /^pt(?![a-z])/i.test(locale || ofWindows())
}
