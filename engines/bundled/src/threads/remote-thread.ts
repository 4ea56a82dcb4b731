import { EventEmitter } from 'node:events'
import type { HostReply, HostRequest } from './worker-process-protocol.ts'
import { ownedBytes } from './owned-bytes.ts'
import type { Thread } from './thread.ts'

/** The part of a process that its threads use. */
export interface RemoteThreadParts {
  readonly id: number
  readonly send: (request: HostRequest) => void
  /** See {@link Thread.share}. */
  readonly share: () => number
  /** Called when {@link RemoteThread.referenced} may have changed. */
  readonly onReference: () => void
}

/** A handle of a thread in another process. */
export class RemoteThread extends EventEmitter implements Thread<unknown> {
  readonly #parts: RemoteThreadParts
  readonly #gone: Promise<unknown>
  #ended = false
  #referenced = true

  constructor(parts: RemoteThreadParts) {
    super()
    this.#parts = parts
    this.#gone = new Promise((resolve) => {
      this.once('exit', resolve)
    })
  }

  share(): number {
    return this.#parts.share()
  }

  /** Whether it keeps this process alive. */
  get referenced(): boolean {
    return this.#referenced && !this.#ended
  }

  /** Copies the buffers: nothing can be transferred to another process. */
  postMessage(message: unknown): void {
    const { id, send } = this.#parts
    if (!this.#ended) send({ type: 'post', id, message })
  }

  async terminate(): Promise<unknown> {
    const { id, send } = this.#parts
    if (!this.#ended) send({ type: 'terminate', id })
    // A caller that awaits its end must see it.
    this.ref()
    return this.#gone
  }

  ref(): void {
    this.#referenced = true
    this.#parts.onReference()
  }

  unref(): void {
    this.#referenced = false
    this.#parts.onReference()
  }

  /** Handles a message about it. */
  receive({ event, value }: HostReply): void {
    if (this.#ended) return
    if (event === 'exit') {
      this.#ended = true
      this.#parts.onReference()
    }
    this.emit(event, ownedBytes(value))
  }
}
