import { type Check, check, ensure, NotSupported } from '../check.ts'
import { requireShape, oneOf } from '../shape.ts'
import { accept, bodyOf, pathOf, plain, refuse, refused, type RequestName, send } from '../subject/requests.ts'
import { shared } from '../subject/shared.ts'
import type { Subject } from '../subject/subject.ts'
import { finishedTask, hasEnded, lookAt, type TaskName } from '../subject/tasks.ts'
import { readWav, requireFormat } from '../subject/wav.ts'
import { download, requireResult, type Spoken, urlResult } from './results.ts'

const OBJECTS = { speech: 'audio.speech', dialogue: 'audio.speech', generation: 'audio.voice_generation' } as const

/** The endpoint takes JSON. */
export function takesJson(rule: string, name: RequestName): Check {
  return check(rule, 'a JSON body is taken, a form or plain text is not', async (subject) => {
    await plain(subject, name)
    const fields = await bodyOf(subject, name)
    const form = new URLSearchParams()
    for (const [field, value] of Object.entries(fields)) form.append(field, String(value))
    const types = ['application/x-www-form-urlencoded', 'text/plain']
    for (const contentType of types) {
      const answer = await subject.api.send('POST', pathOf(name), { raw: form.toString(), contentType })
      refused(answer, `a body of ${contentType}`)
    }
  })
}

/** A field that must be there, as text. */
export function requiresText(rule: string, name: RequestName, field: string): Check {
  return check(rule, `a request without ${field} is refused`, async (subject) => {
    await refuse(subject, name, { [field]: undefined })
    await refuse(subject, name, { [field]: '' })
  })
}

/** `mp3` and `wav`, which the interface names. */
export function speaksFormats(rule: string, name: Spoken): Check {
  return check(
    rule,
    'mp3 and wav are given when they are asked for, and something when nothing is',
    async (subject) => {
      for (const format of ['mp3', 'wav'] as const) {
        const answer = await accept(subject, name, { response_format: format })
        requireFormat(`the ${format} answer`, format, answer.mimeType, answer.bytes)
      }
      const { mimeType } = await accept(subject, name, { response_format: undefined })
      ensure(mimeType.startsWith('audio/'), `without response_format comes ${mimeType}`)
    },
  )
}

/** The audio itself, by default or when asked for. */
export function answersAudio(rule: string, name: Spoken): Check {
  return check(rule, 'the answer is audio, with delivery_method audio or none', async (subject) => {
    for (const delivery of [undefined, 'audio']) {
      const { mimeType, bytes } = await accept(subject, name, { delivery_method: delivery })
      ensure(mimeType.startsWith('audio/'), `delivery_method ${delivery}: the answer is ${mimeType}`)
      ensure(bytes.byteLength > 1000, `delivery_method ${delivery}: the audio has only ${bytes.byteLength} bytes`)
    }
  })
}

/** A result with a URL that leads to audio. */
export function answersUrl(rule: string, name: Spoken): Check {
  return check(rule, 'delivery_method url gives the result, whose URL leads to audio', async (subject) => {
    const result = await urlResult(subject, name)
    requireResult('the result', result, OBJECTS[name])
    ensure((await download(subject, result['url'])).byteLength > 1000, 'there is no audio behind the URL')
  })
}

/** A task instead of an answer. */
export function createsTask(rule: string, name: TaskName, object: string): Check {
  return check(rule, 'async=true gives a task, which ends well', async (subject) => {
    const { creation, last } = await finishedTask(subject, name)
    requireShape('the creation result', creation, { object: oneOf(object) })
    requireShape('the task', last, { status: oneOf('SUCCESS') })
  })
}

/** Callbacks over HTTPS. */
export function refusesPlainWebhook(rule: string, name: TaskName): Check {
  return check(rule, 'a webhook_url that is not HTTPS is refused', async (subject) => {
    await finishedTask(subject, name)
    for (const url of ['http://example.com/hook', 'ftp://example.com/hook', 'no address']) {
      refused(await send(subject, name, { async: true, webhook_url: url }), `the webhook_url ${url}`)
    }
  })
}

/** A callback when the task has ended. */
export function callsWebhook(rule: string, name: TaskName): Check {
  return check(rule, 'the webhook_url is called when the task has ended', async (subject) => {
    const { url, called } = subject.need('hook', '--webhook-url').next()
    const { fields: creation } = await accept(subject, name, { async: true, webhook_url: url })
    const timeout = AbortSignal.timeout(subject.timeout)
    const { promise: late, reject } = Promise.withResolvers<never>()
    timeout.addEventListener('abort', () => reject(new Error(`no call came within ${subject.timeout / 1000} s`)))
    await Promise.race([called, late])
    const task = await lookAt(subject, creation['task_id'])
    ensure(hasEnded(task), `the call came when the task was ${String(task['status'])}`)
  })
}

const twice = shared(async (subject) => {
  const [first, second] = [await plain(subject, 'speech'), await accept(subject, 'speech')]
  return [first, second].map(({ bytes }) => readWav(bytes).data)
})

/**
 * The samples of a short speech, changed.
 * @throws NotSupported when the server never makes the same audio twice, so that nothing can be compared
 */
export async function samples(subject: Subject, changes: object = {}): Promise<Uint8Array> {
  const [first, second] = await twice(subject)
  const same = first !== undefined && second !== undefined && Buffer.compare(first, second) === 0
  if (!same) throw new NotSupported('the server never makes the same audio twice')
  return readWav((await accept(subject, 'speech', { ...changes })).bytes).data
}
