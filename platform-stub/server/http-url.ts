/** An http or https address; undefined for any other text. Its `href` is how it is kept: one spelling for all. */
export function httpUrlOf(text: string): URL | undefined {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}
