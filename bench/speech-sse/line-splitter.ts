const LF = 10

/** Lines that end in LF, split from chunks with native searches. The minimum: no limit, no CR, no byte order mark. */
export class LineSplitter {
  #pieces: Buffer[] = []

  /** Calls `onLine` for every line completed by this chunk, without its LF. */
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
