import type { CheckOptions, Outcome } from '../checks/index.ts'
import { InvalidRequestError, ProtocolError } from '../errors.ts'
import { AudioBody } from '../streaming/index.ts'
import type { TaskWaiter } from '../tasks/index.ts'
import type { Answer, Api, ApiRequest, ApiResponse, CallOptions, EventDeadline } from '../transport/index.ts'
import { multipartBody, openUpload, type UploadContext, type UploadSource } from '../uploads/index.ts'

/** Base of the resources. A client creates each with its context: see `BaseClient`. */
export class Resource {
  readonly #context: ClientContext

  constructor(context: ClientContext) {
    this.#context = context
  }

  /** Shared by the resources of the client. */
  protected get context(): ClientContext {
    return this.#context
  }
}

/** Shared by the resources of one client. */
export interface ClientContext {
  readonly api: Api
  /** Checks the rules of the interface, if the client has them. */
  readonly check: (endpoint: string, body: object, outcome: Outcome | 'stream') => void
  /** Access to files on this machine, and the largest upload. */
  readonly uploads: UploadContext
  /** Checks the options of waits. */
  readonly checkOptions: CheckOptions | undefined
  /** Returns a number from 0 to 1, for the delays of polls. */
  readonly random: () => number
  /** The context of the client that this one is derived from. */
  readonly parent: ClientContext | undefined
  /** The scheduler of all waits. Set by the first resource that waits: `waiterOf`. */
  waiter?: TaskWaiter
}

/** Fields that a body must not have, even if its type is wider. */
export type Without<Fields extends string> = { readonly [Field in Fields]?: undefined }

/**
 * Escapes an id for a path.
 * @returns the escaped id
 * @throws InvalidRequestError `missing_required_field`
 */
export function pathId(id: string, field: string): string {
  // URL parsers remove a lone dot from a path, and the request would reach another endpoint.
  if (typeof id === 'string' && !/^\.{0,2}$/.test(id)) return encodeURIComponent(id)
  throw new InvalidRequestError('missing_required_field', field, 'must be an id')
}

/** A multipart request: text fields, then one file. */
export async function uploadRequest(
  { uploads }: ClientContext,
  request: Required<Pick<ApiRequest, 'fields'>> & ApiRequest,
  [field, source]: readonly [field: string, source: UploadSource],
  { onUploadProgress }: CallOptions = {},
): Promise<ApiRequest> {
  const file = await openUpload(source, field, uploads)
  return { ...request, body: multipartBody(formFields(request.fields), field, file, { onProgress: onUploadProgress }) }
}

/** Converts the fields of a body to form fields. An array becomes repeated fields, a boolean `true` or `false`. */
function formFields(body: object): [name: string, value: string][] {
  return Object.entries(body).flatMap(([name, value]: [string, unknown]) => {
    const values: unknown[] = Array.isArray(value) ? value : [value]
    return values
      .filter((one) => one !== undefined)
      .map((one): [string, string] => [name, typeof one === 'string' ? one : JSON.stringify(one)])
  })
}

/**
 * Sends a request for audio.
 * @throws ProtocolError if the response is a document
 */
export async function requestAudio(
  { api, uploads }: ClientContext,
  request: ApiRequest,
  options?: CallOptions,
): Promise<Answer<AudioBody>> {
  const response = await api.send({ ...request, accept: '*/*' }, options)
  refuse(response, ['application/json', 'text/html'].includes(response.mediaType), 'audio')
  return { data: new AudioBody(response, uploads.files), response }
}

/**
 * Sends a request for events and opens their stream.
 * @throws ProtocolError for another media type, which would be read as one endless event. A missing media type passes.
 */
export async function requestEvents<Stream>(
  { api }: ClientContext,
  request: ApiRequest,
  open: (response: ApiResponse, deadline: EventDeadline) => Promise<Stream>,
  options?: CallOptions,
): Promise<Answer<Stream>> {
  const deadline = api.eventDeadline(options)
  const response = await api.send({ ...request, accept: 'text/event-stream', streamed: true }, options)
  refuse(response, !['text/event-stream', ''].includes(response.mediaType), 'an event stream')
  return { data: await open(response, deadline), response }
}

function refuse(response: ApiResponse, wrong: boolean, what: string): void {
  if (!wrong) return
  response.cancel()
  throw new ProtocolError(`The service answered with ${response.mediaType} instead of ${what}`, response)
}
