/** Stands in for the WebSocket of a conversation. The test sends what the server would. */
export class FakeSocket extends EventTarget {
  /** All that were made, newest last. */
  static readonly made: FakeSocket[] = []

  readonly url: string
  readonly sent: unknown[] = []
  readonly bufferedAmount: number = 0
  readonly readyState: number = 1
  binaryType: string = 'blob'
  /** Whether the page has closed it. */
  closed: boolean = false

  constructor(url: string | URL) {
    super()
    this.url = String(url)
    FakeSocket.made.push(this)
    queueMicrotask(() => this.dispatchEvent(new Event('open')))
  }

  /** The newest one. @throws Error if there is none */
  static latest(): FakeSocket {
    const last = FakeSocket.made.at(-1)
    if (last === undefined) throw new Error('No WebSocket was made')
    return last
  }

  send(data: unknown): void {
    this.sent.push(data)
  }

  close(): void {
    this.closed = true
  }

  /** Sends messages of the server. */
  receive(...messages: readonly object[]): void {
    for (const message of messages) this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }))
  }

  /** The server ends the connection. */
  end(code: number, reason: string): void {
    this.dispatchEvent(Object.assign(new Event('close'), { code, reason }))
  }
}
