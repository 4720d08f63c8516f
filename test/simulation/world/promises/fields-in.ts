/** The fields of a text of JSON. None of a page, of half of an answer, or of a file that is not a request. */
export function fieldsIn<Fields extends object>(text: string | Uint8Array): Partial<Fields> {
  try {
    return (JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString()) as Fields | null) ?? {}
  } catch {
    return {}
  }
}
