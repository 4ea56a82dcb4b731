/**
 * Decodes Base64 strictly: no other characters. Padding may be absent, but not wrong.
 * @returns `undefined` unless the text is complete Base64 of the standard alphabet
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  // The decoders below tolerate different errors. These checks leave only texts that both read alike.
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const digits = text.length - padding
  if (digits % 4 === 1 || (padding > 0 && text.length % 4 !== 0)) return undefined
  const bytes = typeof Buffer === 'function' ? fromBuffer(text) : fromText(text)
  return bytes?.length === Math.floor((digits * 3) / 4) ? bytes : undefined
}

/** Several times faster than the other decoders. It skips unknown characters, and also accepts base64url. */
function fromBuffer(text: string): Uint8Array | undefined {
  return text.includes('-') || text.includes('_') ? undefined : Buffer.from(text, 'base64')
}

/** Browsers of 2025 and later decode natively, a hundred times faster than by `atob()`. */
const decoders: Uint8ArrayConstructor & { fromBase64?(text: string): Uint8Array } = Uint8Array

function fromText(text: string): Uint8Array | undefined {
  try {
    // It skips white space, as `atob()` does.
    return decoders.fromBase64?.(text) ?? Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
