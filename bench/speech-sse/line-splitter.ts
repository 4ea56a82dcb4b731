const LF = 10

/** Lines that end in LF, cut from chunks with native searches. No ceiling, no CR, no byte order mark: the least there is. */
export class LineSplitter {
  #pieces: Buffer[] = []

  /** Calls `onLine` for every line that this chunk completes, without its LF. */
  feed(bytes: Uint8Array, onLine: (line: Buffer) => void): void {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let from = 0
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
      onLine(this.#complete(chunk.subarray(from, end)))
      from = end + 1
    }
    if (from < chunk.length) this.#pieces.push(chunk.subarray(from))
  }

  #complete(end: Buffer): Buffer {
    if (this.#pieces.length === 0) return end
    const line = Buffer.concat([...this.#pieces, end])
    this.#pieces = []
    return line
  }
}
