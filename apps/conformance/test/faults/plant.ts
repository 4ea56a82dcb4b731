import { encodeWav } from '@svc-audio/core/audio'
import { wholeWav, type Wav } from '../../src/audio.ts'
import type { Body, Fault, Forwarded, Passed } from '../support/fault.ts'
import { jsonResponse, parseFields } from '../support/fault-proxy.ts'

/** A fault of a server, the rule that it breaks, and the fault in the proxy. */
export type Planted = readonly [fact: string, rule: string, fault: Fault]

/** An endpoint: method and path. A `*` at the end stands for any rest. */
export type Call = `${'GET' | 'POST' | 'DELETE'} /v1/${string}`

export const SPEECH = 'POST /v1/audio/speech'
export const DIALOGUE = 'POST /v1/audio/speech/speakers'
export const GENERATION = 'POST /v1/audio/voice/generations'
export const TRANSCRIPTION = 'POST /v1/audio/transcriptions'
export const VOICES = 'GET /v1/audio/voices'
export const NEW_VOICE = 'POST /v1/audio/voices'
export const TASK = 'GET /v1/audio/tasks/*'
export const FILES = 'GET /v1/files'
export const FILE = 'GET /v1/files/*'
export const NEW_FILE = 'POST /v1/files'
export const DELETION = 'DELETE /v1/files/*'
export const MODELS = 'GET /v1/models'

/** Whether a request goes to an endpoint. */
export function goesTo(call: Call, { method, path }: Pick<Forwarded, 'method' | 'path'>): boolean {
  const [wanted, pattern = ''] = call.split(' ')
  const [plain = ''] = path.split('?')
  return method === wanted && (pattern.endsWith('*') ? plain.startsWith(pattern.slice(0, -1)) : plain === pattern)
}

/** Changes the JSON body of a request. */
export function asks(call: Call, change: (json: Body) => void): Fault {
  return {
    request: (request) => {
      if (goesTo(call, request)) change(request.json)
    },
  }
}

/** Changes the form of a request. */
export function asksForm(call: Call, change: (form: FormData) => void): Fault {
  return {
    request: (request) => {
      if (goesTo(call, request) && request.form !== undefined) change(request.form)
    },
  }
}

/** Changes the query of a request. */
export function queries(call: Call, change: (query: URLSearchParams) => void): Fault {
  return {
    request: (request) => {
      if (!goesTo(call, request)) return
      const [plain = '', query = ''] = request.path.split('?')
      const params = new URLSearchParams(query)
      change(params)
      request.path = `${plain}?${params.toString()}`
    },
  }
}

/** Changes the JSON of a successful response. */
export function answers(call: Call, change: (fields: Body, request: Forwarded) => void): Fault {
  return {
    answer: (response, request) => {
      const isJson = response.headers.get('content-type')?.includes('json') === true
      if (!isJson || !goesTo(call, request)) return
      const fields = parseFields(response.body)
      change(fields, request)
      response.body = Buffer.from(JSON.stringify(fields))
    },
  }
}

/** Changes each entry of a list in a successful response. */
export function rows(call: Call, list: 'data' | 'segments', change: (row: Body, at: number) => void): Fault {
  return answers(call, (fields) => {
    const all: unknown = fields[list]
    if (Array.isArray(all)) for (const [at, row] of all.entries()) change(row, at)
  })
}

/** Changes the entries of a list in a successful response. */
export function lists(call: Call, change: (all: readonly Body[]) => readonly Body[]): Fault {
  return answers(call, (fields) => {
    const all: unknown = fields['data']
    if (Array.isArray(all)) fields['data'] = change(all)
  })
}

/** Changes head and body of a successful response. */
export function sends(call: Call, change: (response: Passed, request: Forwarded) => void): Fault {
  return {
    answer: (response, request) => {
      if (goesTo(call, request)) change(response, request)
    },
  }
}

/** Changes a response whose content type begins with this word. */
export function sendsType(call: Call, type: string, change: (response: Passed, request: Forwarded) => void): Fault {
  return sends(call, (response, request) => {
    if (response.headers.get('content-type')?.startsWith(type) === true) change(response, request)
  })
}

/** Changes the samples of WAV responses, and their header with them. */
export function waves(call: Call, change: (wav: Wav) => Uint8Array): Fault {
  return sendsType(call, 'audio/wav', (response) => {
    const wav = wholeWav(response.body)
    response.body = Buffer.from(encodeWav(wav, [change(wav)]))
  })
}

/** Changes the events of a stream. */
export function streams(call: Call, change: (events: Body[]) => readonly Body[]): Fault {
  return sendsType(call, 'text/event-stream', (response) => {
    const lines = response.body
      .toString()
      .split('\n')
      .filter((line) => line.startsWith('data:'))
    const events = lines.map((line) => parseFields(Buffer.from(line.slice('data:'.length))))
    response.body = Buffer.from(
      change(events)
        .map((event) => `data: ${JSON.stringify(event)}\n\n`)
        .join(''),
    )
  })
}

/** Changes one kind of event. */
export function streamEvent(call: Call, type: string, change: (event: Body) => void): Fault {
  return streams(call, (events) => {
    for (const event of events.filter((one) => one['type'] === type)) change(event)
    return events
  })
}

/** Changes a response that refuses a request to an endpoint. */
export function refuses(call: Call, change: (response: Passed, request: Forwarded) => void): Fault {
  return {
    refusal: (response, request) => {
      if (goesTo(call, request)) change(response, request)
    },
  }
}

/** Accepts requests that the service refuses. */
export function accepts(call: Call, value: unknown = { text: 'accepted' }): Fault {
  return refuses(call, (response) => Object.assign(response, jsonResponse(200, value)))
}

/** Refuses requests that the service accepts. */
export function rejects(call: Call, when: (request: Forwarded) => boolean): Fault {
  return {
    instead: (request) =>
      goesTo(call, request) && when(request)
        ? jsonResponse(400, { error: { code: 'refused', message: 'This server refuses it.' } })
        : undefined,
  }
}

/** Sends a header with another value, or none. */
export function sendsHeader(call: Call, name: string, value: string | null): Fault {
  return sends(call, ({ headers }) => {
    if (value === null) headers.delete(name)
    else if (headers.has(name)) headers.set(name, value)
  })
}

/** Applies a change to each entry of a list in a request. */
export function each(list: unknown, change: (entry: object) => object): unknown[] {
  return Array.isArray(list) ? list.map((entry: unknown) => change(Object(entry))) : []
}
