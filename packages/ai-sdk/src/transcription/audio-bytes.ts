/** Audio of the AI SDK as bytes. A string is Base64, of either alphabet. */
export function bytesOf(audio: Uint8Array | string): Uint8Array {
  if (typeof audio !== 'string') return audio
  const binary = atob(audio.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
