/**
 * A word of a line for PowerShell, which interprets nothing in it. PowerShell reads typographic quotation marks as its
 * own, so they are doubled too.
 */
export function powershellWord(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`
}

/**
 * A value as JSON that can be pasted into a terminal. Letters and digits of every script stay as they are. All other
 * characters beyond ASCII are escaped: a terminal acts on some of them, and others cannot be seen.
 */
export function typedJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[^\x20-\x7e\p{L}\p{N}]/gu, (sign) =>
    Array.from({ length: sign.length }, (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  )
}
