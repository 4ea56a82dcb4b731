import { nativeView } from './native-view.ts'

const decoder = new TextDecoder('latin1')

/** Converts ASCII bytes to a string. Bytes over 127 have no meaning here. */
export function asciiString(bytes: Uint8Array): string {
  const view = nativeView(bytes)
  // Buffer is fastest, if it exists.
  return typeof Buffer === 'function' && view instanceof Buffer ? view.toString('latin1') : decoder.decode(bytes)
}
