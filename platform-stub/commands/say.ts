/**
 * A text of the help in the language of the shell: Portuguese where `LC_ALL`, else `LC_MESSAGES`, else `LANG` begins with
 * `pt`. Windows has none of these variables, so the language of the system counts there.
 */
export function say(english: string, portuguese: string): string {
  const { LC_ALL, LC_MESSAGES, LANG } = process.env
  const ofWindows = () => (process.platform === 'win32' ? Intl.DateTimeFormat().resolvedOptions().locale : '')
  return /^pt(?![a-z])/i.test(LC_ALL || LC_MESSAGES || LANG || ofWindows()) ? portuguese : english
}
