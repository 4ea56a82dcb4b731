import { type Check, check } from '../check.ts'
import { ensure, NotSupported, Violation } from '../outcomes.ts'
import { requireShape, oneOf } from '../shape.ts'
import { accept, bodyOf, pathOf, plain, refuse, refused, type RequestName, send } from '../subject/requests.ts'
import { accepted } from '../http/api.ts'
import { shared } from '../subject/shared.ts'
import type { Subject } from '../subject/subject.ts'
import { finishedTask, hasEnded, lookAt, type TaskName } from '../subject/tasks.ts'
import { requireFormat, requireOwnType } from '../audio/formats.ts'
import { wholeWav } from '../audio/wav.ts'
import { download, requireResult, type Spoken, urlResult } from './results.ts'

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
    for (const url of ['http://example.com/hook', 'ftp://example.com/hook', 'no address']) {
      refused(await send(subject, name, { async: true, webhook_url: url }), `the webhook_url ${url}`)
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
export function holdsText(bytes: Uint8Array, text: string): boolean {
  const file = Buffer.from(bytes)
  return file.includes(text) || file.includes(Buffer.from(text, 'utf16le'))
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
