import type { Writable } from 'node:stream'
import { ClientDisconnectedError } from './client-disconnected-error.ts'
import { drain } from './drain.ts'
import { FormFields, type UploadFields } from './form-fields.ts'
import { createFormParser, type FilePart, type FormHandler } from './form-parser.ts'
import type { ResolvedUploadOptions } from './options.ts'
import { emptyBody } from './request-checks.ts'
import { UploadError } from './upload-error.ts'
import type { UploadRequest } from './upload-request.ts'

/** A started file part, and the fields before it. */
export interface BegunFile extends FilePart {
  readonly fields: UploadFields
}

/**
 * One arriving form. It ends once: complete, or with a failure. After a failure, the rest of the body is read and
 * discarded within the limits of `drain`.
 */
export class FormReception implements FormHandler {
  /** The file part begins. Rejects with the failure. */
  readonly file: Promise<BegunFile>
  /** The form is complete; resolves with the fields after the file. Rejects with the failure. */
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
    if (this.#stop(error)) this.#controller.abort(error)
  }

  /**
   * Ends the reception because the rest is not needed, unless it has ended. The signal does not abort: that would hide
   * the consumer's reason.
   */
  dispose(): void {
    this.#stop(new DOMException('The upload was disposed of', 'AbortError'))
  }

  #stop(error: unknown): boolean {
    if (this.#settled) return false
    this.#settle()
    this.#request.unpipe(this.#parser)
    // Deferred, because this may run inside one of the parser's events.
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
      // The parser skips unusable parts of any length, so the whole body is limited here.
      if (this.#received > maxFileSize + maxFormBytes) this.fail(formTooLarge(maxFormBytes))
    }
    const close = (): void => {
      if (!request.complete) this.fail(new ClientDisconnectedError())
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
    // `close` reports a broken connection. Without a listener, its error would end the process, also during the drain.
    request.on('error', (error) => {
      if (isBodyLimit(error)) this.fail(bodyTooLarge(error))
    })
  }

  #settle(): void {
    this.#settled = true
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
  }
}

/** Whether the framework ended the body at a limit of its own, as SvelteKit does at `BODY_SIZE_LIMIT`. */
function isBodyLimit(error: Error): boolean {
  return 'status' in error && error.status === 413
}

function bodyTooLarge(cause: Error): UploadError {
  return new UploadError('form_too_large', 'The form is larger than the server allows', { cause })
}

function formTooLarge(maxFormBytes: number): UploadError {
  return new UploadError('form_too_large', `The form around the file is larger than ${maxFormBytes} bytes`)
}

/** A promise whose unobserved rejection is not reported as unhandled. */
function quiet<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {})
  return promise
}
