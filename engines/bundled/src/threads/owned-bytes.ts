/**
 * Gives bytes from a pipe a separate buffer. They share a buffer with other data, and passing them on would copy all of
 * it.
 * @param message Its views of bytes are found at the top and one step below, where all messages here have them.
 */
export function ownedBytes(message: unknown): unknown {
  if (typeof message !== 'object' || message === null) return message
  if (ArrayBuffer.isView(message)) return copyOf(message)
  for (const [name, value] of Object.entries(message)) {
    if (ArrayBuffer.isView(value)) Object.assign(message, { [name]: copyOf(value) })
  }
  return message
}

function copyOf(view: ArrayBufferView): Int16Array | Uint8Array {
  const bytes = view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength)
  return view instanceof Int16Array ? new Int16Array(bytes) : new Uint8Array(bytes)
}
