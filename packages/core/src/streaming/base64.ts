/**
 * Base64 to bytes, strictly: every character must count.
 * @throws SyntaxError when the text is not whole Base64.
 */
export function decodeBase64(text: string): Uint8Array {
  // Buffer is several times faster than the others where it exists, but skips what it does not know.
  if (typeof Buffer === 'function') {
    const bytes = Buffer.from(text, 'base64')
    if (bytes.length !== expectedBytes(text)) throw new SyntaxError('Not Base64')
    return bytes
  }
  let binary: string
  try {
    binary = atob(text)
  } catch (error) {
    throw new SyntaxError('Not Base64', { cause: error })
  }
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

function expectedBytes(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return Math.floor(((text.length - padding) * 3) / 4)
}
