import type { Writable } from 'node:stream'
import { ClientGoneError } from './client-gone-error.ts'
import { drain } from './drain.ts'
import { FormFields, type UploadFields } from './form-fields.ts'
import { createFormParser, type FilePart, type FormHandler } from './form-parser.ts'
import type { ResolvedUploadOptions } from './options.ts'
import { emptyBody } from './request-checks.ts'
import { UploadError } from './upload-error.ts'
import type { UploadRequest } from './upload-request.ts'

/** A file part that has begun, and the fields that came before it. */
export interface BegunFile extends FilePart {
  readonly fields: UploadFields
}

/**
 * One form on its way in. It ends once: whole, or with a failure, after which the request is let go of and the rest of
 * its body thrown away.
 */
export class FormReception implements FormHandler {
  /** The file part begins. Rejects with the failure. */
  readonly file: Promise<BegunFile>
  /** The form is whole; gives the fields after the file. Rejects with the failure. */
  readonly end: Promise<UploadFields>
  readonly #request: UploadRequest
  readonly #options: ResolvedUploadOptions
  readonly #parser: Writable
  readonly #fields = new FormFields()
  readonly #file = Promise.withResolvers<BegunFile>()
  readonly #end = Promise.withResolvers<UploadFields>()
  readonly #controller = new AbortController()
  readonly #cleanups: (() => void)[] = []
  #received = 0
  #hasFile = false
  #settled = false

  /** @throws UploadError when the boundary cannot be read */
  constructor(request: UploadRequest, options: ResolvedUploadOptions, signal?: AbortSignal) {
    this.#request = request
    this.#options = options
    this.file = quiet(this.#file.promise)
    this.end = quiet(this.#end.promise)
    this.#parser = createFormParser(request.headers, options, this)
    this.#listen(signal)
    request.pipe(this.#parser)
  }

  /** Aborts with the failure. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Ends the reception with a failure, unless it has ended. */
  fail(error: unknown): void {
    if (this.#letGo(error)) this.#controller.abort(error)
  }

  /**
   * Ends the reception for want of interest, unless it has ended. The signal stays quiet: it would hide from the consumer
   * why it gave up.
   */
  giveUp(): void {
    this.#letGo(new DOMException('The upload was given up', 'AbortError'))
  }

  #letGo(error: unknown): boolean {
    if (this.#settled) return false
    this.#settle()
    this.#request.unpipe(this.#parser)
    // Later, since this may run within one of the parser's own events.
    process.nextTick(() => this.#parser.destroy())
    drain(this.#request, this.#options.drain)
    this.#file.reject(error)
    this.#end.reject(error)
    return true
  }

  onField(name: string, value: string): void {
    if (!this.#settled) this.#fields.add(name, value)
  }

  onFile(part: FilePart): void {
    if (this.#settled) return
    this.#hasFile = true
    this.#file.resolve({ ...part, fields: this.#fields.take() })
  }

  onEnd(): void {
    if (this.#settled) return
    if (!this.#hasFile) {
      const { fileField } = this.#options
      this.fail(new UploadError('missing_file', `The form has no file in the field ${fileField}`))
      return
    }
    this.#settle()
    this.#end.resolve(this.#fields.take())
  }

  onError(error: UploadError): void {
    this.fail(error.code === 'truncated_form' && this.#received === 0 ? emptyBody() : error)
  }

  #listen(signal: AbortSignal | undefined): void {
    const request = this.#request
    const { maxFileSize, maxFormBytes } = this.#options
    const count = (chunk: Uint8Array): void => {
      this.#received += chunk.byteLength
      // The parser skips what it cannot use without an end, so the whole body is bounded here.
      if (this.#received > maxFileSize + maxFormBytes) this.fail(formTooLarge(maxFormBytes))
    }
    const close = (): void => {
      if (!request.complete) this.fail(new ClientGoneError())
    }
    const abort = (): void => this.fail(signal?.reason)
    request.on('data', count)
    request.once('close', close)
    signal?.addEventListener('abort', abort, { once: true })
    this.#cleanups.push(
      () => request.off('data', count),
      () => request.off('close', close),
      () => signal?.removeEventListener('abort', abort),
    )
    // A broken connection shows in `close`; unheard, its error would end the process, also while the rest is thrown away.
    request.on('error', () => {})
  }

  #settle(): void {
    this.#settled = true
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
  }
}

function formTooLarge(maxFormBytes: number): UploadError {
  return new UploadError('form_too_large', `The form around the file is larger than ${maxFormBytes} bytes`)
}

/** A promise whose failure is no unhandled rejection where nobody waits for it. */
function quiet<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {})
  return promise
}
