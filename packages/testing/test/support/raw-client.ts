import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { TestUpstream } from '../../src/index.ts'

/** One TCP connection that shows the exact bytes of an upstream. */
export class RawClient {
  readonly socket: Socket
  /** Resolves when the connection has closed: `end` in order, or the error's code. */
  readonly gone: Promise<string>
  #received = ''
  #wake: (() => void)[] = []

  constructor({ url }: TestUpstream) {
    this.socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
    let how = 'end'
    this.socket.on('data', (data) => {
      this.#received += data.toString('latin1')
      this.#notify()
    })
    this.socket.on('error', (error: NodeJS.ErrnoException) => {
      how = error.code ?? 'error'
    })
    this.gone = new Promise((resolve) => {
      this.socket.on('close', () => {
        this.#notify()
        resolve(how)
      })
    })
    onTestFinished(() => void this.socket.destroy())
  }

  /** Sends a request for speech, or its head alone. */
  ask(
    { apiKey }: TestUpstream,
    body = JSON.stringify({ model: 'm', input: 'x', voice_id: 'v' }),
    length = body.length,
  ): this {
    const head = ['POST /v1/audio/speech HTTP/1.1', 'host: upstream', `authorization: Bearer ${apiKey}`]
    head.push('content-type: application/json', `content-length: ${length}`, '', body)
    this.socket.write(head.join('\r\n'))
    return this
  }

  /** Waits until the received text satisfies the predicate. */
  async until(holds: (received: string) => boolean): Promise<string> {
    while (!holds(this.#received)) {
      if (this.socket.closed) throw new Error(`The connection closed after ${JSON.stringify(this.#received)}`)
      await new Promise<void>((resolve) => {
        this.#wake.push(resolve)
      })
    }
    return this.#received
  }

  /** Everything received until the connection closed. */
  async all(): Promise<{ head: string; body: string; how: string }> {
    const how = await this.gone
    const [head = '', ...body] = this.#received.split('\r\n\r\n')
    return { head: head.toLowerCase(), body: body.join('\r\n\r\n'), how }
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }
}
