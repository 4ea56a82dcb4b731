import type { SpeechToolProgress } from '@svc-audio/agent-tools'
import type { Extra } from './server-context.ts'

/** Milliseconds between two signs of life. Clients end a call after 30 seconds or more without any. */
const BEAT_MS = 5000

/** Reports the progress of one call, if the client sent a progress token: bytes, and a sign of life while the service works. */
export class CallProgress {
  readonly #extra: Extra
  readonly #beat: NodeJS.Timeout | undefined
  /** MCP requires growing values. */
  #sent = 0
  #isEnded = false

  constructor(extra: Extra) {
    this.#extra = extra
    const { _meta: meta } = extra
    if (meta?.progressToken === undefined) return
    this.#beat = setInterval(() => this.#send(this.#sent + 1, 'working'), BEAT_MS)
  }

  /** Reports bytes. */
  report({ phase, bytes, totalBytes }: SpeechToolProgress): void {
    if (bytes > this.#sent) this.#send(bytes, `${phase} audio`, totalBytes)
  }

  /** The call is over: its client no longer knows the token. */
  end(): void {
    this.#isEnded = true
    clearInterval(this.#beat)
  }

  #send(progress: number, message: string, total?: number): void {
    const { _meta, sendNotification } = this.#extra
    if (_meta?.progressToken === undefined || this.#isEnded) return
    this.#sent = progress
    const whole = total === undefined || total < progress ? {} : { total }
    const params = { progressToken: _meta.progressToken, progress, ...whole, message }
    // The client may have closed.
    sendNotification({ method: 'notifications/progress', params }).catch(() => {})
  }
}
