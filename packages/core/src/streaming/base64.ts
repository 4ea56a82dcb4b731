/**
 * Base64 to bytes, strictly: every character must count. Padding may be left out, but not be wrong.
 * @returns `undefined` when the text is not whole Base64 of the standard alphabet.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  // Both decoders below forgive other things each; the checks leave what they agree on.
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const digits = text.length - padding
  if (digits % 4 === 1 || (padding > 0 && text.length % 4 !== 0)) return undefined
  const bytes = typeof Buffer === 'function' ? fromBuffer(text) : fromAtob(text)
  return bytes?.length === Math.floor((digits * 3) / 4) ? bytes : undefined
}

/** Several times faster than the others where it exists, but skips what it does not know, and knows base64url too. */
function fromBuffer(text: string): Uint8Array | undefined {
  return text.includes('-') || text.includes('_') ? undefined : Buffer.from(text, 'base64')
}

function fromAtob(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
