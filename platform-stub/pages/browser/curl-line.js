// @ts-check

/**
 * A word for a shell: quoted where the shell would read it in another way.
 *
 * @param {string} text
 * @returns {string}
 */
export function shellWord(text) {
  return /^[\w./:=%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/**
 * The line for curl that sends a request.
 *
 * @param {{ readonly method: string, readonly url: string, readonly body?: string }} request
 * @returns {string}
 */
export function curlLine({ method, url, body }) {
  const json = body ? ['-H', shellWord('content-type: application/json'), '-d', shellWord(body)] : []
  const isImplied = method === 'GET' || (method === 'POST' && body)
  return ['curl', '-s', ...(isImplied ? [] : ['-X', method]), shellWord(url), ...json].join(' ')
}
