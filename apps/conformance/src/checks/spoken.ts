import { type NamedFormat, requireFormat, requireOwnType, wholeWav } from '../audio.ts'
import { check, type Check } from '../check.ts'
import {
  ensure,
  type Fields,
  NotChecked,
  NotSupported,
  oneOf,
  requireShape,
  seconds,
  text,
  url,
  Violation,
} from '../expect.ts'
import { accepted } from '../http/api.ts'
import { SAID } from '../subject/fixtures.ts'
import {
  accept,
  bodyOf,
  finishedTask,
  hasEnded,
  lookAt,
  pathOf,
  plain,
  refuse,
  refused,
  type RequestName,
  runTask,
  send,
  type TaskName,
} from '../subject/requests.ts'
import { shared, type Subject } from '../subject/subject.ts'

const OBJECTS = { speech: 'audio.speech', dialogue: 'audio.speech', generation: 'audio.voice_generation' } as const

/** Checks that the endpoint accepts only JSON. */
export function takesJson(rule: string, name: RequestName): Check {
  return check(rule, 'a JSON body is accepted; a form and plain text are refused', async (subject) => {
    await plain(subject, name)
    const fields = await bodyOf(subject, name)
    const form = new URLSearchParams()
    for (const [field, value] of Object.entries(fields)) form.append(field, String(value))
    const types = ['application/x-www-form-urlencoded', 'text/plain']
    for (const contentType of types) {
      const response = await subject.api.send('POST', pathOf(name), { raw: form.toString(), contentType })
      refused(response, `a body of ${contentType}`)
    }
  })
}

/** Checks a required string field. */
export function requiresText(rule: string, name: RequestName, field: string): Check {
  return check(rule, `a request without ${field} is refused`, async (subject) => {
    await refuse(subject, name, { [field]: undefined })
    await refuse(subject, name, { [field]: '' })
  })
}

/** Checks the formats `mp3` and `wav` of the interface. */
export function speaksFormats(rule: string, name: Spoken): Check {
  return check(
    rule,
    'mp3 and wav return that format; without response_format the response is audio',
    async (subject) => {
      for (const format of ['mp3', 'wav'] as const) {
        const response = await accept(subject, name, { response_format: format })
        requireFormat(`the ${format} answer`, format, response.mimeType, response.bytes)
      }
      const { mimeType } = await accept(subject, name, { response_format: undefined })
      ensure(mimeType.startsWith('audio/'), `without response_format the response is ${mimeType}`)
    },
  )
}

/** Checks audio responses, by default and with `delivery_method: 'audio'`. */
export function givesAudio(rule: string, name: Spoken): Check {
  return check(rule, 'the response is audio with delivery_method audio or none', async (subject) => {
    for (const delivery of [undefined, 'audio']) {
      const { mimeType, bytes } = await accept(subject, name, { delivery_method: delivery })
      requireOwnType(`delivery_method ${delivery}: the response`, mimeType, bytes)
      ensure(mimeType.startsWith('audio/'), `delivery_method ${delivery}: the response is ${mimeType}`)
      ensure(bytes.byteLength > 1000, `delivery_method ${delivery}: the audio has only ${bytes.byteLength} bytes`)
    }
  })
}

/** Checks that a result's URL leads to audio. */
export function givesUrl(rule: string, name: Spoken): Check {
  return check(rule, 'delivery_method url returns a result with a URL to audio', async (subject) => {
    const result = await urlResult(subject, name)
    requireResult('the result', result, OBJECTS[name])
    ensure((await download(subject, result['url'])).byteLength > 1000, 'the URL leads to no audio')
  })
}

/** Checks asynchronous tasks. */
export function createsTask(rule: string, name: TaskName, object: string): Check {
  return check(rule, 'async=true creates a task, and the task succeeds', async (subject) => {
    const { creation, last } = await finishedTask(subject, name)
    requireShape('the creation result', creation, { object: oneOf(object) })
    requireShape('the task', last, { status: oneOf('SUCCESS') })
  })
}

/** Checks that callbacks require HTTPS. */
export function refusesPlainWebhook(rule: string, name: TaskName): Check {
  return check(rule, 'a webhook_url that is not HTTPS is refused', async (subject) => {
    await finishedTask(subject, name)
    for (const address of ['http://example.com/hook', 'ftp://example.com/hook', 'no address']) {
      refused(await send(subject, name, { async: true, webhook_url: address }), `the webhook_url ${address}`)
    }
  })
}

/** Checks the callback of a finished task. */
export function callsWebhook(rule: string, name: TaskName): Check {
  return check(rule, 'the server calls the webhook_url after the task has ended', (subject) => called(subject, name))
}

const called = shared(async (subject, name: TaskName) => {
  const hook = subject.need('hook', '--webhook-url').next()
  const { fields: creation } = await accept(subject, name, { async: true, webhook_url: hook.url })
  const timeout = AbortSignal.timeout(subject.timeout)
  const { promise: late, reject } = Promise.withResolvers<never>()
  const told = `the webhook_url of a ${name} task was not called within ${subject.timeout / 1000} s`
  timeout.addEventListener('abort', () => reject(new Violation(told)))
  await Promise.race([hook.called, late])
  const task = await lookAt(subject, creation['task_id'])
  ensure(hasEnded(task), `the call came while the task was ${String(task['status'])}`)
})

/** Whether a file has a text in its metadata, as UTF-8 or UTF-16. */
export function holdsText(bytes: Uint8Array, words: string): boolean {
  const file = Buffer.from(bytes)
  return file.includes(words) || file.includes(Buffer.from(words, 'utf16le'))
}

const twice = shared(async (subject) => {
  const [first, second] = [await plain(subject, 'speech'), accepted(await send(subject, 'speech'))]
  return [first, second].map(({ bytes }) => wholeWav(bytes).samples)
})

/**
 * Returns the samples of a short speech with the given changes.
 * @throws NotSupported when equal requests give different audio, which cannot be compared
 */
export async function samples(subject: Subject, changes: object = {}): Promise<Uint8Array> {
  const [first, second] = await twice(subject)
  const same = first !== undefined && second !== undefined && Buffer.compare(first, second) === 0
  if (!same) throw new NotSupported('equal requests give different audio')
  return wholeWav((await accept(subject, 'speech', { ...changes })).bytes).samples
}

const SHAPE = {
  id: text,
  object: text,
  status: oneOf('SUCCESS'),
  url,
  response_format: text,
  content_type: text,
  created_at: seconds,
}

/** The speech endpoints. */
export type Spoken = 'speech' | 'dialogue' | 'generation'

/** Requests a result with a URL, by default of speech. */
export function urlResult(subject: Subject, name: Spoken = 'speech', format?: NamedFormat): Promise<Fields> {
  return sharedResult(subject, name, format)
}

const sharedResult = shared(async (subject, name: Spoken, format: NamedFormat | undefined) => {
  const wanted = format === undefined ? {} : { response_format: format }
  return (await accept(subject, name, { delivery_method: 'url', ...wanted })).fields
})

/** Downloads the file of a result. Sends the key to the server under test only. */
export async function download(subject: Subject, address: unknown): Promise<Uint8Array> {
  const own = String(address).startsWith(new URL(subject.options.baseUrl).origin)
  const open = await subject.api.send('GET', String(address), { key: null })
  const response = open.status === 401 && own ? await subject.api.send('GET', String(address)) : open
  return accepted(response).bytes
}

/** The audio of {@link SAID} behind the URL of a result. */
export const longUrlAudio: (subject: Subject) => Promise<Uint8Array> = shared(async (subject) => {
  const { fields } = await accept(subject, 'speech', { input: SAID, delivery_method: 'url', response_format: 'wav' })
  return download(subject, fields['url'])
})

/**
 * The audio of a task that speaks {@link SAID}. The interface does not show result fields, so a `url` is not required.
 * @throws NotChecked when the finished task has no `url`
 */
export const longTaskAudio: (subject: Subject) => Promise<Uint8Array> = shared(async (subject) => {
  const { last } = await runTask(subject, 'speech', { input: SAID })
  if (typeof last['url'] !== 'string') throw new NotChecked('the finished task has no url')
  return download(subject, last['url'])
})

/** Requires all fields of a result with a URL. */
function requireResult(where: string, result: Fields, object: string): void {
  requireShape(where, result, { ...SHAPE, object: oneOf(object) })
}

/** Results with a URL. */
export const resultChecks: readonly Check[] = [
  check('speech-result.fields', 'a result with a URL has all its fields', async (subject) => {
    requireShape('the result', await urlResult(subject), SHAPE)
  }),
  check('speech-result.object', 'the object of speech is audio.speech', async (subject) => {
    requireShape('the result of speech', await urlResult(subject), { object: oneOf('audio.speech') })
  }),
  check('speech-result.object', 'the object of dialogue is audio.speech', async (subject) => {
    requireShape('the result of dialogue', await urlResult(subject, 'dialogue'), { object: oneOf('audio.speech') })
  }),
  check('speech-result.object', 'the object of voice generation is audio.voice_generation', async (subject) => {
    const result = await urlResult(subject, 'generation')
    requireShape('the result of voice generation', result, { object: oneOf('audio.voice_generation') })
  }),
  check('speech-result.actual-format', 'format and MIME type match the file at the URL', async (subject) => {
    for (const format of ['mp3', 'wav'] as const) {
      const result = await urlResult(subject, 'speech', format)
      ensure(
        result['response_format'] === format,
        `response_format is ${String(result['response_format'])}, not ${format}`,
      )
      const type = String(result['content_type']).split(';', 1).join('')
      requireFormat(`the ${format} result`, format, type, await download(subject, result['url']))
    }
  }),
]
