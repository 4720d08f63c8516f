/** A text as PostgreSQL can store it: it has no NUL. Different texts stay different, and most texts stay as they are. */
export function storable(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\0', '\\0')
}

/** The text from which `storable` made this. */
export function fromStorable(text: string): string {
  return text.replaceAll(/\\[\\0]/g, (escaped) => (escaped === '\\0' ? '\0' : '\\'))
}
