import { type Check, check } from '../check.ts'
import { ensure, NotChecked } from '../outcomes.ts'
import type { Fields } from '../http/response.ts'
import { accepted } from '../http/api.ts'
import { oneOf, requireShape, seconds, text, url } from '../shape.ts'
import { SAID } from '../subject/fixtures.ts'
import { accept } from '../subject/requests.ts'
import { shared } from '../subject/shared.ts'
import type { Subject } from '../subject/subject.ts'
import { runTask } from '../subject/tasks.ts'
import { type NamedFormat, requireFormat } from '../audio/formats.ts'

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
export function requireResult(where: string, result: Fields, object: string): void {
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
