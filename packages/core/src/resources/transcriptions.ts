import { checkTranscription } from '../checks/transcription.ts'
import type { Api, ApiRequest } from '../transport/api.ts'
import { jsonBody } from '../transport/bodies.ts'
import type { CallOptions } from '../transport/call-options.ts'
import { multipartBody } from '../transport/multipart.ts'
import { openUpload, type UploadContext, type UploadSource } from '../transport/uploads.ts'
import type { DiarizedTranscription, Transcription, TranscriptionRequest } from '../wire/transcription.ts'

/** Body of {@link TranscriptionsResource.create}: exactly one of the four sources is given. */
export type TranscriptionCreateBody = Omit<TranscriptionRequest, 'stream' | 'async' | 'webhook_url'> & {
  /** A local file, at most 512 MB. A string is a path on this machine. */
  readonly file?: UploadSource
}

/** Transcription (interface: `POST /v1/audio/transcriptions`). */
export class TranscriptionsResource {
  readonly #api: Api
  readonly #uploads: UploadContext

  constructor(api: Api, uploads: UploadContext = {}) {
    this.#api = api
    this.#uploads = uploads
  }

  /**
   * Audio to text. A `file` is streamed in constant memory.
   * @returns The text itself with `response_format: 'text'`, else the service's JSON with every field it sent.
   * @throws InvalidRequestError before anything is sent
   */
  create(body: TranscriptionCreateBody & { readonly response_format: 'text' }, options?: CallOptions): Promise<string>
  create(
    body: TranscriptionCreateBody & {
      readonly model: 'svc-transcribe-diarize-pro'
      readonly diarize?: true
      readonly response_format?: 'json'
    },
    options?: CallOptions,
  ): Promise<DiarizedTranscription>
  create(
    body: TranscriptionCreateBody & { readonly response_format?: 'json' },
    options?: CallOptions,
  ): Promise<Transcription>
  create(body: TranscriptionCreateBody, options?: CallOptions): Promise<Transcription | string>
  async create(body: TranscriptionCreateBody, options?: CallOptions): Promise<Transcription | string> {
    checkTranscription(body)
    const request = await this.#request(body)
    if (body.response_format !== 'text') return this.#api.json<Transcription>(request, options)
    const response = await this.#api.send({ ...request, accept: 'text/plain' }, options)
    return response.text()
  }

  async #request({ file, ...rest }: TranscriptionCreateBody): Promise<ApiRequest> {
    const method = 'POST'
    const path = '/v1/audio/transcriptions'
    if (file === undefined) return { method, path, body: jsonBody(rest) }
    const opened = await openUpload(file, 'file', this.#uploads)
    return { method, path, body: multipartBody(formFields(rest), 'file', opened) }
  }
}

/** A body's fields as form fields: an array becomes repeated fields, a boolean `true` or `false`. */
function formFields(body: object): [name: string, value: string][] {
  return Object.entries(body).flatMap(([name, value]: [string, unknown]) => {
    const values: unknown[] = Array.isArray(value) ? value : [value]
    return values
      .filter((one) => one !== undefined)
      .map((one): [string, string] => [name, typeof one === 'string' ? one : JSON.stringify(one)])
  })
}
